"""The file that `Draws.save` writes: one npz archive of tallies, settings and trees."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc import _core
from bayesvc._files import DamagedFile, read_arrays, whole_file
from bayesvc.checkpoint import saved_forests
from bayesvc.draws import Draws, PathLike, tally_layout
from bayesvc.priors import Calibration, prior_from_dict, prior_to_dict
from bayesvc.spike_forest import AbcRecord, SpikeForest
from bayesvc.table import Table

_FORMAT = "bayesvc-draws"
_VERSIONS = (1, 2)  # 2 tells what the columns were, where they were not all plain numbers


def write(draws: Draws, path: PathLike) -> None:
    """Write everything but the data; a file of that name stays whole until it is replaced."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"path={str(path)!r} cannot be written, because there is no folder "
            f"{str(target.parent)!r}; make the folder first"
        )
    arrays = {name: getattr(draws, name) for name in _kept_tallies(draws)}
    if draws.classes is not None:
        arrays["classes"] = draws.classes
    if draws.abc is not None:
        arrays |= {f"abc/{name}": np.asarray(part) for name, part in vars(draws.abc).items()}
    for r, forest in enumerate(draws.forests or ()):
        arrays |= {f"forests/{r}/{key}": part for key, part in forest.to_arrays().items()}
    settings = json.dumps(_settings(draws), allow_nan=False).encode()
    arrays["settings"] = np.frombuffer(settings, dtype=np.uint8)
    with whole_file(target) as file:
        np.savez_compressed(file, **arrays)


def read(path: PathLike) -> Draws:
    """Return the draws that `write` wrote."""
    try:
        arrays = read_arrays(Path(path))
    except DamagedFile as error:
        raise ValueError(_bad_file(path, "it is no Draws file or damaged", error)) from error
    settings = _read_settings(path, arrays)
    try:
        return _from_parts(settings, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise ValueError(_bad_file(path, "its contents do not fit", error)) from error


def _kept_tallies(draws: Draws) -> list[str]:
    names = tally_layout(draws.n_features, draws.n_draws)
    return [name for name in names if getattr(draws, name) is not None]


def _settings(draws: Draws) -> dict[str, Any]:
    names = ["n_trees", "burn_in", "n_draws", "response", "random_state", "n_rows", "source"]
    names += ["data_hash", "feature_names", "n_batches", "batch_size", "n_replicates"]
    calibration = draws.calibration
    return {
        "format": _FORMAT,
        "version": 1 if draws.table is None else 2,
        "has_forests": draws.forests is not None,
        "prior": None if draws.prior is None else prior_to_dict(draws.prior),
        "calibration": None if calibration is None else dataclasses.asdict(calibration),
        **{name: getattr(draws, name) for name in names},
        **({} if draws.table is None else {"table": draws.table.to_dict()}),
    }


def _from_parts(settings: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Draws:
    has_forests = settings.pop("has_forests")
    n_replicates = settings.pop("n_replicates")
    optional = {"counts", "s"}
    if settings["prior"] is None:
        optional |= {"accepted", "proposed"}
    else:
        settings["prior"] = prior_from_dict(settings["prior"])
    if settings["calibration"] is not None:
        settings["calibration"] = Calibration(**settings["calibration"])
    settings["feature_names"] = tuple(settings["feature_names"])
    if "table" in settings:
        settings["table"] = Table.from_dict(settings["table"])
        if settings["table"].variable_names != settings["feature_names"]:
            raise ValueError("the table of columns is of other variables")
    layout = tally_layout(len(settings["feature_names"]), settings["n_draws"])
    tallies: dict[str, Any] = {}
    for name, (shape, dtype) in layout.items():
        if name in optional and name not in arrays:
            tallies[name] = None
            continue
        if arrays[name].shape != (n_replicates, *shape) or arrays[name].dtype != dtype:
            raise ValueError(f"{name} is {arrays[name].dtype} {arrays[name].shape}")
        tallies[name] = arrays[name]
    if isinstance(settings["prior"], SpikeForest):
        tallies["abc"] = _abc_record(arrays, n_replicates)
    if has_forests:
        n_draws = settings["n_draws"]
        tallies["forests"] = tuple(_forest(arrays, r, n_draws) for r in range(n_replicates))
    return Draws(**tallies, **settings, classes=arrays.get("classes"))


def _abc_record(arrays: dict[str, NDArray[Any]], n_kept: int) -> AbcRecord:
    discrepancy, subset_size = arrays["abc/discrepancy"], arrays["abc/subset_size"]
    kept = arrays["abc/kept"]
    if discrepancy.shape != subset_size.shape or kept.shape != (n_kept,):
        raise ValueError(f"abc: {discrepancy.shape}, {subset_size.shape} and {kept.shape}")
    return AbcRecord(discrepancy, kept, subset_size, float(arrays["abc/seconds"]))


def _forest(arrays: dict[str, NDArray[Any]], r: int, n_draws: int) -> _core.SavedForests:
    start = f"forests/{r}/"
    parts = {name.removeprefix(start): a for name, a in arrays.items() if name.startswith(start)}
    return saved_forests(parts, n_draws)


def _read_settings(path: PathLike, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    try:
        settings = json.loads(arrays["settings"].tobytes())
        is_ours = settings.pop("format") == _FORMAT
        version = settings.pop("version")
    except (KeyError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise ValueError(_bad_file(path, "it is no Draws file", error)) from error
    if not is_ours:
        raise ValueError(_bad_file(path, "it is no Draws file"))
    if version not in _VERSIONS:
        raise ValueError(
            f"path={str(path)!r} holds Draws of format version {version!r}, but this version of "
            f"bayesvc reads {' and '.join(map(str, _VERSIONS))}; install the version that wrote "
            "it, or sample again"
        )
    return dict(settings)


def _bad_file(path: PathLike, reason: str, error: Exception | None = None) -> str:
    detail = f" ({error})" if error is not None else ""
    return (
        f"path={str(path)!r} cannot be read: {reason}{detail}; pass a file that Draws.save wrote, "
        "or sample again"
    )
