"""The file that `Draws.save` writes: one npz archive of tallies, settings and trees."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._archive import (
    Arrays,
    FileFormat,
    ReadArrays,
    add_prefix,
    check_array,
    header_of,
    with_prefix,
    write_arrays,
)
from bayesvc._core import SavedForests
from bayesvc._npz import DamagedFile
from bayesvc._typing import BoolArray, FloatArray, PathLike
from bayesvc._validation import check_integer
from bayesvc.data.schema import ColumnSchema
from bayesvc.draws.draws import Draws
from bayesvc.draws.tallies import MOVE_NAMES, tally_layout
from bayesvc.priors import prior_from_dict, prior_to_dict
from bayesvc.priors.calibration import Calibration
from bayesvc.priors.normal_scores import ScoreMap
from bayesvc.priors.spike_forest import AbcRecord

_NODES: dict[str, type[np.generic]] = {
    "variable": np.int32,
    "right": np.int32,
    "value": np.float64,
    "missing_left": np.uint8,
    "subset": np.uint64,
}
_OPTIONAL = ("missing_left", "subset")

# version 2 tells what the columns were, where they were not all plain numbers
KIND = FileFormat("bayesvc-draws", "Draws", (1, 2), "sample again")


def write(draws: Draws, path: PathLike) -> None:
    """Write everything but the data."""
    write_arrays(path, to_arrays(draws))


def read(path: PathLike) -> Draws:
    """Return the draws that `write` wrote."""
    return KIND.read(path, from_parts)


def to_arrays(draws: Draws) -> Arrays:
    """Return all that a file of draws holds."""
    arrays = {name: getattr(draws, name) for name in _kept_tallies(draws)}
    if draws.classes is not None:
        arrays["classes"] = draws.classes
    if draws.abc is not None:
        arrays |= add_prefix(
            "abc/", {name: np.asarray(part) for name, part in vars(draws.abc).items()}
        )
    for r, forest in enumerate(draws.forests or ()):
        arrays |= add_prefix(f"forests/{r}/", forest.to_arrays())
    return KIND.with_settings(_settings(draws), 1 if draws.schema is None else 2, arrays)


def _kept_tallies(draws: Draws) -> list[str]:
    names = tally_layout(draws.n_features, draws.n_draws)
    return [name for name in names if getattr(draws, name) is not None]


def _settings(draws: Draws) -> dict[str, Any]:
    names = ["n_trees", "burn_in", "n_draws", "response", "random_state", "n_rows", "source"]
    names += ["data_hash", "feature_names", "n_batches", "batch_size", "n_replicates"]
    calibration = draws.calibration
    return {
        "has_forests": draws.forests is not None,
        "prior": None if draws.prior is None else prior_to_dict(draws.prior),
        "calibration": None if calibration is None else dataclasses.asdict(calibration),
        **{name: getattr(draws, name) for name in names},
        **({} if draws.schema is None else {"table": draws.schema.to_dict()}),
    }


def from_parts(settings: dict[str, Any], arrays: ReadArrays) -> Draws:
    """Return the draws of a file's settings and arrays."""
    _check_settings(settings)
    has_forests = settings.pop("has_forests")
    n_replicates = settings.pop("n_replicates")
    optional = {"counts", "s"}
    if settings["prior"] is None:
        optional |= {"accepted", "proposed"}
    else:
        settings["prior"] = prior_from_dict(settings["prior"])
    calibration = settings["calibration"]
    if calibration is not None:
        calibration = settings["calibration"] = _calibration(dict(calibration))
    if settings["prior"] is None or not settings["prior"].learns_k:
        optional.add("leaf_sd")
    if calibration is None or not calibration.learns_df:
        optional.add("df")
    settings["feature_names"] = tuple(settings["feature_names"])
    if "table" in settings:  # what files call the schema
        settings["schema"] = ColumnSchema.from_dict(settings.pop("table"))
        if settings["schema"].variable_names != settings["feature_names"]:
            raise ValueError("the schema does not describe the variables")
    layout = tally_layout(len(settings["feature_names"]), settings["n_draws"])
    tallies: dict[str, Any] = {}
    for name, (shape, dtype) in layout.items():
        if name in optional and name not in arrays:
            tallies[name] = None
            continue
        if name in ("accepted", "proposed"):
            tallies[name] = _move_counts(name, arrays, n_replicates)
            continue
        tallies[name] = check_array(name, arrays, (n_replicates, *shape), dtype)
    prior = settings["prior"]
    if "abc/kept" in arrays or (prior is not None and prior.sampler == "abc"):
        tallies["abc"] = _abc_record(arrays, n_replicates)
    if has_forests:
        n_draws = settings["n_draws"]
        tallies["forests"] = tuple(
            saved_forests(with_prefix(f"forests/{r}/", arrays), n_draws)
            for r in range(n_replicates)
        )
    if "classes" in arrays and header_of("classes", arrays).shape != (2,):
        raise ValueError("there must be two classes")
    return Draws(**tallies, **settings, classes=arrays.get("classes"))


def _move_counts(name: str, arrays: ReadArrays, n_replicates: int) -> NDArray[np.int64]:
    """Return the counts of each move; earlier files know the first four."""
    n_moves = len(MOVE_NAMES)
    n_known = 4 if header_of(name, arrays).shape == (n_replicates, 4) else n_moves
    counts = check_array(name, arrays, (n_replicates, n_known), np.int64)
    return np.pad(counts, ((0, 0), (0, n_moves - n_known)))


def _calibration(fields: dict[str, Any]) -> Calibration:
    """Return the calibration in a file; earlier files tell only whether y is binary."""
    if "binary" in fields:
        binary = fields.pop("binary")
        fields |= {"model": "probit" if binary else "gaussian", "centre": 0.0 if binary else 0.5}
    if fields.get("score_map") is not None:
        fields["score_map"] = _score_map(**fields["score_map"])
    return Calibration(**fields)


def _score_map(scores: list[float], values: list[float]) -> ScoreMap:
    """Return the map in a file; both lists must rise."""
    for numbers in (scores, values):
        if not (len(numbers) == len(scores) > 1 and (np.diff(numbers) > 0).all()):
            raise ValueError("the map from normal scores to y is damaged")
    return ScoreMap(tuple(map(float, scores)), tuple(map(float, values)))


def _check_settings(settings: dict[str, Any]) -> None:
    """Raise TypeError or ValueError for what `save` would not have written."""
    for name in ("n_replicates", "n_draws", "n_batches", "batch_size"):
        check_integer(name, settings[name], 0)
    for name in ("n_trees", "burn_in", "n_rows", "random_state"):
        if settings[name] is not None:
            check_integer(name, settings[name], 0)
    if not isinstance(settings["response"], str | None):
        raise TypeError("response must be text")
    if not all(type(name) in (str, int) for name in settings["feature_names"]):
        raise TypeError("feature_names must be text or integers")


def _abc_record(arrays: ReadArrays, n_kept: int) -> AbcRecord:
    names = ("discrepancy", "subset_size", "kept", "seconds")
    shapes = [header_of(f"abc/{name}", arrays).shape for name in names]
    if shapes[0] != shapes[1] or shapes[2:] != [(n_kept,), ()]:
        raise ValueError(f"abc: {', '.join(map(str, shapes))}")
    discrepancy, subset_size, kept, seconds = (arrays[f"abc/{name}"] for name in names)
    return AbcRecord(discrepancy, kept, subset_size, float(seconds))


def saved_forests(arrays: ReadArrays, n_draws: int) -> SavedForests:
    """Return the trees of `n_draws` draws from their arrays, or raise DamagedFile."""
    try:
        arrays = _forest_arrays(arrays, n_draws)
        forests = SavedForests.from_arrays(arrays)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise DamagedFile(f"trees are damaged: {error}") from error
    _check_values(arrays["variable"] < 0, arrays["value"])
    return forests


def _forest_arrays(arrays: ReadArrays, n_draws: int) -> Arrays:
    """Return the arrays of a forest; those of its nodes are unpacked if their lengths agree."""
    n_trees = check_array("n_trees", arrays, (1,), np.int64)
    n_kept = math.prod(header_of("tree_start", arrays).shape) // max(1, int(n_trees[0]))
    if n_kept != n_draws:
        raise ValueError(f"there are trees of {n_kept} draws instead of {n_draws}")
    n_nodes = header_of("variable", arrays).shape
    found = {"n_trees": n_trees, "tree_start": arrays["tree_start"]}
    for name, kind in _NODES.items():
        if name in arrays or name not in _OPTIONAL:
            found[name] = check_array(name, arrays, n_nodes, kind)
    return found


def _check_values(is_leaf: BoolArray, values: FloatArray) -> None:
    """Raise DamagedFile for values that no sampler leaves behind.

    A cutpoint may be -infinity, which is below every value that is not missing.
    """
    for what, values_of, is_damaged in (
        ("leaf", values[is_leaf], ~np.isfinite(values[is_leaf])),
        ("cutpoint", values[~is_leaf], np.isnan(values[~is_leaf])),
    ):
        if is_damaged.any():
            raise DamagedFile(
                f"trees are damaged: a {what} has the value {values_of[is_damaged][0]}"
            )
