"""Split counts of chains (chain, draw, variable) as `Draws`: the checks and the tallies."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesvc._typing import FloatArray
from bayesvc._validation import must_be, shown
from bayesvc.draws.draws import Draws

Counts = NDArray[np.uint16]

_LARGEST_COUNT = int(np.iinfo(np.uint16).max)
_NUMBERS_PER_BLOCK = 8_000_000


class Chains(NamedTuple):
    """Split counts (chain, draw, variable) and sigma (chain, draw), NaN where it is unknown."""

    counts: Counts
    sigma: FloatArray


def check_counts(name: str, counts: ArrayLike) -> Counts:
    """Return a copy of `counts`, which must be whole numbers in two or three dimensions."""
    remedy = "pass the number of splits on each variable in each draw"
    try:
        array = np.asarray(counts)
    except ValueError as error:
        got = f"rows of unequal length ({error})"
        raise ValueError(must_be(name, "an array of whole numbers", got, remedy)) from None
    if array.dtype.kind not in "iuf":
        got = f"dtype {array.dtype}"
        raise TypeError(must_be(name, "an array of whole numbers", got, remedy))
    if array.ndim not in (2, 3) or array.size == 0:
        wanted = "an array (replicates, draws, variables), or (draws, variables) for one replicate"
        raise ValueError(must_be(name, wanted, f"shape {array.shape}", remedy))
    if array.dtype.kind == "f":
        own = (
            "pass the splits of each draw, not their means or proportions. For means over the "
            "draws, make an object with an array vc and pass it to a measure"
        )
        _refuse(name, array, array != np.rint(array), "a whole number", own)
    _refuse(name, array, array < 0, "at least 0", remedy)
    _refuse(name, array, array > _LARGEST_COUNT, f"at most {_LARGEST_COUNT}", remedy)
    return array.astype(np.uint16)


def _refuse(
    name: str, array: NDArray[Any], bad: NDArray[np.bool_], wanted: str, remedy: str
) -> None:
    if bad.any():
        place = np.unravel_index(int(bad.argmax()), bad.shape)
        where = ", ".join(str(int(i)) for i in place)
        raise ValueError(must_be(f"{name}[{where}]", wanted, str(array[place]), remedy))


def each_item(name: str, items: Any) -> list[tuple[str, Any]]:
    """Return the items of a list, or a single item, each with its name for messages."""
    if not isinstance(items, list | tuple):
        return [(name, items)]
    if not items:
        got = f"an empty {type(items).__name__}"
        raise ValueError(must_be(name, "one fitted model or several", got))
    return [(f"{name}[{i}]", item) for i, item in enumerate(items)]


def is_instance_of(item: object, package: str, *names: str) -> bool:
    """Return whether `item` is of one of these classes, without importing the package."""
    return any(
        kind.__name__ in names and kind.__module__.partition(".")[0] == package
        for kind in type(item).__mro__
    )


def unknown_sigma(counts: Counts) -> FloatArray:
    """Return a sigma of NaN for every draw."""
    return np.full(counts.shape[:2], np.nan)


def draws_of_chains(
    models: Sequence[Chains], feature_names: Sequence[str] | None, source: str
) -> Draws:
    """Make `Draws` from the chains of all models, which must have the same shape."""
    n_draws, n_features = models[0].counts.shape[1:]
    for i, model in enumerate(models):
        if model.counts.shape[1:] != (n_draws, n_features):
            here = model.counts.shape[1:]
            raise ValueError(
                f"All models must have the same number of draws and variables. Got {here[0]} draws "
                f"of {here[1]} variables in model {i}, and {n_draws} of {n_features} in model 0. "
                "Pass models of one length, fitted to one data set."
            )
    counts = np.ascontiguousarray(np.concatenate([model.counts for model in models]))
    n_replicates = len(counts)
    names = _check_names(feature_names, n_features)
    return Draws(
        **_tallies(counts),
        mi=np.full((n_replicates, n_features), np.nan),
        alpha=np.full((n_replicates, n_draws), np.nan),
        tree_depth=np.full(n_replicates, np.nan),
        seconds=np.full(n_replicates, np.nan),
        sigma=np.concatenate([model.sigma for model in models]),
        counts=counts,
        n_draws=n_draws,
        feature_names=names,
        source=source,
        accepted=None,
        proposed=None,
        prior=None,
        n_trees=None,
        burn_in=None,
        response=None,
        classes=None,
        random_state=None,
        n_rows=None,
        data_hash=None,
        calibration=None,
    )


def _check_names(feature_names: Sequence[str] | None, n_features: int) -> tuple[str, ...]:
    if feature_names is None:
        return tuple(f"x{j}" for j in range(n_features))
    wanted = f"{n_features} different strings, one per variable"
    listed = not isinstance(feature_names, str) and np.iterable(feature_names)
    if not listed or not all(isinstance(name, str) for name in feature_names):
        raise TypeError(must_be("feature_names", wanted, shown(feature_names)))
    names = tuple(str(name) for name in feature_names)
    if len(names) != n_features:
        raise ValueError(must_be("feature_names", wanted, f"{len(names)} names"))
    most_common, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise ValueError(must_be("feature_names", wanted, f"{most_common!r} {times} times"))
    return names


def _tallies(counts: Counts) -> dict[str, Any]:
    """Return what the sampler would have tallied, by the names it has in `Draws`."""
    n_replicates, n_draws, n_features = counts.shape
    n_splits = counts.sum(axis=2, dtype=np.int64)
    batch_size = math.isqrt(n_draws)
    found: dict[str, Any] = {
        name: np.empty((n_replicates, n_features))
        for name in ("vc", "vip", "vip_of_sums", "mpvip", "count_batch_squares")
    }
    for name in ("count_half_sums", "count_half_squares"):
        found[name] = np.empty((n_replicates, 2, n_features))
    step = max(1, _NUMBERS_PER_BLOCK // n_draws)
    for r in range(n_replicates):
        for start in range(0, n_features, step):
            columns = slice(start, start + step)
            block = counts[r, :, columns].astype(np.float64)
            for name, values in _tallies_of(block, n_splits[r], batch_size).items():
                found[name][r, ..., columns] = values
    return found | {
        "n_splits": n_splits.astype(np.int32),
        "batch_size": batch_size,
        "n_batches": -(-n_draws // batch_size),
    }


def _tallies_of(
    counts: FloatArray, n_splits: NDArray[np.int64], batch_size: int
) -> dict[str, FloatArray]:
    """Tally some variables (draw, variable) of forests that have `n_splits` splits in all."""
    n_draws = len(counts)
    half = (n_draws + 1) // 2
    halves = (counts[:half], counts[half:])
    starts = np.arange(0, n_draws, batch_size)
    lengths = np.minimum(batch_size, n_draws - starts)[:, np.newaxis]
    batch_sums = np.add.reduceat(counts, starts, axis=0)
    per_split = 1.0 / np.maximum(n_splits, 1)[:, np.newaxis]
    return {
        "vc": counts.sum(axis=0) / n_draws,
        "vip": (counts * per_split).sum(axis=0) / n_draws,
        "vip_of_sums": counts.sum(axis=0) / max(int(n_splits.sum()), 1),
        "mpvip": (counts > 0).sum(axis=0) / n_draws,
        "count_half_sums": np.stack([part.sum(axis=0) for part in halves]),
        "count_half_squares": np.stack([(part**2).sum(axis=0) for part in halves]),
        "count_batch_squares": (batch_sums**2 * (batch_size / lengths)).sum(axis=0),
    }
