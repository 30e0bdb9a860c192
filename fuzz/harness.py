"""What the harnesses share: values to choose from, and the start of a run."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import atheris
import numpy as np

SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-12, 1e12, 1e9, 5e-324, -1e-310, 2.3e-308, 1e-160, 1e160,
    1e300, -1e300, 1.7e308, -1.7e308, float("nan"), float("inf"), -float("inf"),
)  # fmt: skip


def number(fdp: atheris.FuzzedDataProvider) -> float:
    """Return a usual, a special or any number."""
    kind = fdp.ConsumeIntInRange(0, 3)
    if kind == 0:
        return float(fdp.ConsumeIntInRange(-5, 5))
    if kind == 1:
        return float(fdp.PickValueInList(list(SPECIAL)))
    return fdp.ConsumeFloat() if kind == 2 else fdp.ConsumeProbability()


def column(fdp: atheris.FuzzedDataProvider, n: int) -> np.ndarray:
    """Return n values: untied, tied, constant, of one scale, or anything."""
    kind = fdp.ConsumeIntInRange(0, 4)
    rng = np.random.default_rng(fdp.ConsumeIntInRange(0, 2**32 - 1))
    if kind == 0:
        return rng.normal(size=n)
    if kind == 1:
        return rng.integers(fdp.ConsumeIntInRange(1, 12), size=n).astype(float)
    if kind == 2:
        return np.full(n, number(fdp))
    with np.errstate(all="ignore"):
        if kind == 3:
            return rng.normal(size=n) * number(fdp) + number(fdp)
        values = rng.normal(size=n)
        for i in range(min(n, 4)):
            values[rng.integers(n)] = number(fdp) if i < n else 0.0
        return values


def run(test: Callable[[bytes], None], seeds: list[bytes]) -> None:
    """Fuzz; the last argument is the folder of inputs, which gets the seeds, or one input."""
    corpus = Path(sys.argv[-1])
    if not corpus.is_file():
        corpus.mkdir(parents=True, exist_ok=True)
        for i, seed in enumerate(seeds):
            (corpus / f"seed-{i}").write_bytes(seed)
    warnings.simplefilter("error", RuntimeWarning)  # overflow and the like are findings too
    if sys.argv[1] == "replay":
        return _replay(test, corpus, float(sys.argv[2]))
    atheris.Setup(sys.argv, test)
    atheris.Fuzz()


def _replay(test: Callable[[bytes], None], corpus: Path, seconds: float) -> None:
    """Run what was found before, then random inputs: for builds that libFuzzer cannot watch."""
    until = time.monotonic() + seconds
    inputs = sorted(corpus.iterdir())
    for path in inputs:
        test(path.read_bytes())
    rng = np.random.default_rng(int(seconds))
    n_random = 0
    while time.monotonic() < until:
        data = rng.bytes(rng.integers(1, 600))
        (corpus.parent / "last-input").write_bytes(data)
        test(data)
        n_random += 1
    print(f"{len(inputs)} inputs again and {n_random} random ones, no finding")
