"""A selection has the same bits whichever vector instructions numpy uses."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

CHILD = """
import sys, warnings
from pathlib import Path
import numpy as np
import bayesvc as bv
from bayesvc._logarithms import log, log1p
from bayesvc.selection.methods import RECIPES

warnings.simplefilter("ignore")
print(*np.show_config(mode="dicts")["SIMD Extensions"].get("found", ()))
folder = Path(sys.argv[1])
rng = np.random.default_rng(3)
X = rng.uniform(size=(80, 37))
y = 10 * X[:, 0] + 7 * X[:, 3] * X[:, 5] + rng.normal(size=80)
for name in RECIPES:
    if name.startswith("abc"):
        how = {"prior": bv.SpikeForest(n_samples=200)}
    else:
        how = {"burn_in": 60, "n_draws": 60}
    found = bv.select(X, y, name, random_state=1, n_jobs=1, **how)
    found.to_json(folder / f"{name}.json")
    found.save(folder / f"{name}.npz")
numbers = rng.uniform(0, 50, size=100_000)
np.savez(folder / "logarithms.npz", log=log(numbers), log1p=log1p(numbers))
"""


def results(folder, disabled):
    """Return the vector instructions that a child found, and its results by name."""
    folder.mkdir()
    environment = os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(disabled)}
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder)], env=environment, text=True,
        capture_output=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = {}
    for path in folder.iterdir():
        if path.suffix == ".json":
            found[path.name] = path.read_bytes()
            continue
        with np.load(path) as arrays:
            for name in arrays.files:
                if not name.endswith("seconds"):
                    found[f"{path.name} {name}"] = arrays[name].tobytes()
    return done.stdout.split(), found


def test_every_method_with_and_without_vector_instructions(tmp_path):
    fast, expected = results(tmp_path / "fast", ())
    if not fast:
        pytest.skip("numpy uses no vector instructions that could be switched off here")
    plain, found = results(tmp_path / "plain", fast)
    assert not plain
    assert len(expected) > 100
    assert [name for name in expected if found[name] != expected[name]] == []
    assert found.keys() == expected.keys()
