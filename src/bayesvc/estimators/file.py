"""The file that `VariableSelector.save` writes: its parameters, and the selection."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayesvc._archive import FileFormat, ReadArrays, add_prefix, with_prefix, write_arrays
from bayesvc._typing import PathLike
from bayesvc.measures import check_measure
from bayesvc.priors.base import prior_from_dict, prior_to_dict
from bayesvc.responses import check_response
from bayesvc.selection import file as _selection_file
from bayesvc.thresholds import check_threshold, threshold_from_dict, threshold_to_dict

if TYPE_CHECKING:
    from bayesvc.estimators.selector import VariableSelector

KIND = FileFormat("bayesvc-selector", "VariableSelector", (1,), "fit again")


def write(selector: VariableSelector, path: PathLike) -> None:
    """Write the parameters and the selection."""
    check_is_fitted(selector)
    names = getattr(selector, "feature_names_in_", None)
    settings = {
        "parameters": _parameters(selector),
        "n_features_in": int(selector.n_features_in_),
        "feature_names_in": None if names is None else [str(name) for name in names],
    }
    arrays = add_prefix("selection/", _selection_file.to_arrays(selector.selection_))
    write_arrays(path, KIND.with_settings(settings, 1, arrays))


def read(kind: type[VariableSelector], path: PathLike) -> VariableSelector:
    """Return the selector of class `kind` that `write` wrote."""
    return KIND.read(path, lambda settings, arrays: _selector(kind, path, settings, arrays))


def _parameters(selector: VariableSelector) -> dict[str, Any]:
    """Return the parameters as JSON can hold them."""
    found: dict[str, Any] = selector.get_params(deep=False)
    state = found["random_state"]
    if state is not None and not isinstance(state, int | np.integer):
        state = selector.selection_.draws.random_state  # the integer that was drawn from it
    threshold, prior, groups = found["threshold"], found["prior"], found["groups"]
    found |= {
        "random_state": None if state is None else int(state),
        "progress": None if callable(found["progress"]) else found["progress"],
        "prior": None if prior is None else prior_to_dict(prior),
        "checkpoint": None if found["checkpoint"] is None else os.fspath(found["checkpoint"]),
        "groups": None if groups is None else {name: _plain(own) for name, own in groups.items()},
    }
    if threshold is not None and not isinstance(threshold, str):
        found["threshold"] = threshold_to_dict(check_threshold(threshold))
    if found["measure"] is not None:
        found["measure"] = check_measure(found["measure"]).name
    if not isinstance(found["response"], str):
        found["response"] = check_response(found["response"]).name
    return {name: _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    """Return numbers and arrays of numpy, and tuples, as JSON can hold them."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _selector(
    kind: type[VariableSelector], path: PathLike, settings: dict[str, Any], arrays: ReadArrays
) -> VariableSelector:
    parameters = dict(settings["parameters"])
    if parameters["prior"] is not None:
        parameters["prior"] = prior_from_dict(parameters["prior"])
    if isinstance(parameters["threshold"], dict):
        parameters["threshold"] = threshold_from_dict(parameters["threshold"])
    selector = kind(**parameters)
    own = with_prefix("selection/", arrays)
    selection = _selection_file.from_parts(path, _selection_file.KIND.settings(path, own), own)
    n, names = settings["n_features_in"], settings["feature_names_in"]
    if len(selection.draws.columns.names) != n or (names is not None and len(names) != n):
        raise ValueError(f"the selection is not of {n} columns")
    selector.n_features_in_ = n
    if names is not None:
        selector.feature_names_in_ = np.array(names, dtype=object)
    return selector._with(selection)
