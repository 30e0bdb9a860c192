"""The file that `Selection.save` writes: what was selected and why, with the draws.

Names in the file stay as they are: its "cut" is `Selection.threshold_result`, whose "selected" is
`ThresholdResult.mask`.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, TypeVar, cast, get_args

import numpy as np

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
from bayesvc._parts import name_of
from bayesvc._typing import FloatArray, PathLike
from bayesvc._validation import check_choice
from bayesvc.data.frames import KINDS
from bayesvc.draws import file as _draws_file
from bayesvc.draws.draws import Draws
from bayesvc.exceptions import Note, Severity
from bayesvc.measures import MEASURES, Measure, check_measure, measure_from_dict
from bayesvc.measures.base import describe_measure
from bayesvc.selection.held_out import HeldOutTest
from bayesvc.selection.methods import Method
from bayesvc.selection.result import Selection
from bayesvc.selection.signal import SignalTest
from bayesvc.selection.stopping import StoppingResult
from bayesvc.selection.substitutes import Twin
from bayesvc.thresholds import (
    ClusteringResult,
    Threshold,
    ThresholdResult,
    check_threshold,
    threshold_from_dict,
    threshold_to_dict,
)

P = TypeVar("P")

KIND = FileFormat("bayesvc-selection", "Selection", (1,), "select again")


def write(selection: Selection, path: PathLike) -> None:
    """Write everything but the data."""
    write_arrays(path, to_arrays(selection))


def read(path: PathLike, *, measure: Any = None, threshold: Any = None) -> Selection:
    """Return the selection that `write` wrote; `measure` and `threshold` are parts it names."""
    given = (
        None if measure is None else check_measure(measure),
        None if threshold is None else check_threshold(threshold),
    )
    return KIND.read(path, lambda settings, arrays: from_parts(path, settings, arrays, *given))


def to_arrays(selection: Selection) -> Arrays:
    """Return all that a file of a selection holds."""
    arrays: Arrays = {"mask": selection.mask, "values": selection.values}
    arrays |= add_prefix("cut/", _result_arrays(selection.threshold_result))
    arrays |= add_prefix("draws/", _draws_file.to_arrays(selection.draws))
    if selection.null is not None:
        arrays["null"] = selection.null
    if selection.row_frequency is not None:
        arrays["row_share"] = selection.row_frequency
    if selection.permuted is not None:
        arrays |= add_prefix("permuted/", _draws_file.to_arrays(selection.permuted))
    if selection.signal is not None:
        if len(selection.signal.null):
            arrays["signal/null"] = selection.signal.null
        if selection.signal.held_out is not None:
            arrays["signal/held_out"] = selection.signal.held_out.correlations
            arrays["signal/held_out_p_values"] = selection.signal.held_out.p_values
        if selection.signal.null_correlation is not None:
            arrays["signal/null_correlation"] = selection.signal.null_correlation
    if not MEASURES.is_own(selection.method.measure.name):
        arrays["per_replicate"] = selection.per_replicate
    return KIND.with_settings(_settings(selection), 1, arrays)


def _settings(selection: Selection) -> dict[str, Any]:
    method, signal, stopping = selection.method, selection.signal, selection.stopping
    return {
        "method": {
            "name": method.name,
            "measure": method.measure.name,
            "measure_part": describe_measure(method.measure, len(selection.measure_columns)),
            "threshold": threshold_to_dict(method.threshold),
            "n_replicates": method.n_replicates,
            "n_permutations": method.n_permutations,
            "reason": method.reason,
        },
        "twins": [asdict(twin) for twin in selection.twins],
        "frame": selection.frame,
        "allow_empty": selection.allow_empty,
        "row_fraction": selection.row_fraction,
        "explained": None if signal is None else signal.explained,
        "correlation": None if signal is None else signal.correlation,
        "residual_correlation": None if signal is None else signal.residual_correlation,
        "enough": None if stopping is None else asdict(stopping),
        "data_notes": [note.as_dict() for note in selection.data_notes],
        "target": selection.target,
        "time_order": selection.time_order,
        "in_blocks": selection.in_blocks,
    }


def from_parts(
    path: PathLike,
    settings: dict[str, Any],
    arrays: ReadArrays,
    measure: Measure | None = None,
    threshold: Threshold | None = None,
) -> Selection:
    """Return the selection of a file's settings and arrays."""
    draws = _draws(path, "draws/", arrays)
    method = _method(settings["method"], draws, measure, threshold)
    null, permuted = _null(path, arrays, method, draws)
    p = draws.n_features
    return Selection(
        method=method,
        mask=check_array("mask", arrays, (p,), np.bool_),
        threshold_result=_threshold_result(with_prefix("cut/", arrays), p),
        values=_values(arrays, p, method.measure.n_columns),
        null=null,
        draws=draws,
        permuted=permuted,
        twins=tuple(_twin(twin) for twin in settings["twins"]),
        frame=_frame(settings["frame"]),
        signal=_signal(settings, arrays),
        allow_empty=bool(settings.get("allow_empty", False)),  # earlier files do not say
        stopping=_stopping(settings["enough"]),
        row_frequency=_optional("row_share", arrays, (p,)),
        row_fraction=float(settings.get("row_fraction", 0.5)),  # earlier files do not say
        stored_per_replicate=_optional("per_replicate", arrays, (draws.n_replicates, p)),
        data_notes=tuple(_note(note) for note in settings.get("data_notes", ())),
        target=str(settings.get("target", "y")),  # earlier files do not say
        time_order=bool(settings.get("time_order", False)),
        in_blocks=bool(settings.get("in_blocks", False)),
    )


def _optional(name: str, arrays: ReadArrays, shape: tuple[int, ...]) -> FloatArray | None:
    return check_array(name, arrays, shape, np.float64) if name in arrays else None


def _values(arrays: ReadArrays, p: int, n_columns: int | None) -> FloatArray:
    """Return what the measure returned; a file may hold any number of columns if that is open."""
    if n_columns is None:
        shape = header_of("values", arrays).shape
        n_columns = 1 if len(shape) == 1 else shape[1]
    values = check_array("values", arrays, (p, n_columns) if n_columns > 1 else (p,), np.float64)
    if not np.isfinite(values).all():
        raise ValueError("values are not finite")
    return values


def _null(
    path: PathLike, arrays: ReadArrays, method: Method, draws: Draws
) -> tuple[FloatArray | None, Draws | None]:
    """Return the measure of the null replicates, and these where they were kept."""
    if not method.threshold.needs_null:
        return None, None
    null = check_array("null", arrays, (method.n_permutations, draws.n_features), np.float64)
    if "permuted/settings" not in arrays:
        return null, None
    permuted = _draws(path, "permuted/", arrays)
    if permuted.feature_names != draws.feature_names:
        raise ValueError("the null replicates are of other variables")
    return null, permuted


def _signal(settings: dict[str, Any], arrays: ReadArrays) -> SignalTest | None:
    explained, correlation = settings["explained"], settings.get("correlation")
    if explained is None:
        return None
    neighbours = settings.get("residual_correlation")
    found = SignalTest(
        float(explained), np.zeros(0),
        residual_correlation=None if neighbours is None else float(neighbours),
        time_order=bool(settings.get("time_order", False)),
    )  # fmt: skip
    if "signal/held_out" in arrays:
        found = replace(found, held_out=_held_out(arrays))
    if "signal/null" in arrays or found.held_out is None:
        found = replace(found, null=_permuted("signal/null", arrays))
    if correlation is None:
        return found
    null = _permuted("signal/null_correlation", arrays)
    return replace(found, correlation=float(correlation), null_correlation=null)


def _held_out(arrays: ReadArrays) -> HeldOutTest:
    correlations = _permuted("signal/held_out", arrays)
    p_values = check_array("signal/held_out_p_values", arrays, correlations.shape, np.float64)
    if not ((p_values > 0) & (p_values <= 1)).all():
        raise ValueError("the signal test has p-values outside (0, 1]")
    return HeldOutTest(correlations, p_values)


def _permuted(name: str, arrays: ReadArrays) -> FloatArray:
    values = check_array(name, arrays, (None,), np.float64)
    if not (len(values) and np.isfinite(values).all()):
        raise ValueError("the signal test has no permutations")
    return values


def _frame(kind: Any) -> str | None:
    return None if kind is None else check_choice("frame", kind, KINDS)


def _twin(parts: dict[str, Any]) -> Twin:
    return Twin(str(parts["unselected"]), str(parts["selected"]), float(parts["correlation"]))


def _note(parts: dict[str, Any]) -> Note:
    severity = check_choice("severity", parts["severity"], get_args(Severity))
    return Note(str(parts["code"]), cast(Severity, severity), str(parts["text"]))


def _stopping(parts: dict[str, Any] | None) -> StoppingResult | None:
    if parts is None:
        return None
    reason = str(parts["reason"])
    stable = bool(parts.get("stable", reason.endswith("changed nothing")))
    return StoppingResult(int(parts["n_replicates"]), reason, stable)


def _draws(path: PathLike, start: str, arrays: ReadArrays) -> Draws:
    own = with_prefix(start, arrays)
    return _draws_file.from_parts(_draws_file.KIND.settings(path, own), own)


def _method(
    parts: dict[str, Any], draws: Draws, measure: Measure | None, threshold: Threshold | None
) -> Method:
    own_measure = _same_name("measure", measure, parts["measure"]) or measure_from_dict(
        {**parts.get("measure_part", {}), "name": parts["measure"]}
    )
    name = threshold_from_dict(parts["threshold"]).name
    own_threshold = _same_name("threshold", threshold, name) or threshold_from_dict(
        parts["threshold"]
    )
    reason = own_threshold.incompatibility(own_measure)
    if reason is not None:
        raise ValueError(reason)
    return Method(
        name=str(parts["name"]),
        prior=draws.prior,
        measure=own_measure,
        threshold=own_threshold,
        n_replicates=int(parts["n_replicates"]),
        n_permutations=int(parts["n_permutations"]),
        reason=None if parts["reason"] is None else str(parts["reason"]),
    )


def _same_name(family: str, part: P | None, name: str) -> P | None:
    if part is not None and name_of(part) != name:
        raise ValueError(
            f"`{family}` must be the one that the file names, {name!r}. Got {name_of(part)!r} "
            "instead."
        )
    return part


def _result_arrays(result: ThresholdResult) -> Arrays:
    """Return the arrays of a threshold's result under their names in the file."""
    arrays = {name: part for name, part in vars(result).items() if isinstance(part, np.ndarray)}
    return {"selected" if name == "mask" else name: part for name, part in arrays.items()}


def _threshold_result(arrays: ReadArrays, p: int) -> ThresholdResult:
    result = ThresholdResult(
        mask=check_array("selected", arrays, (p,), np.bool_),
        threshold=check_array("threshold", arrays, (p,), np.float64),
        margin=check_array("margin", arrays, (p,), np.float64),
    )
    if "tree" not in arrays:
        return result
    n_points = header_of("points", arrays).shape[0]
    if n_points > p:
        raise ValueError(f"{n_points} points of {p} variables")
    points = check_array("points", arrays, (n_points, None), np.float64)
    leaf = check_array("leaf", arrays, (p,), np.int64)
    tree = check_array("tree", arrays, (len(points) - 1, 4), np.float64)
    if leaf.min() < 0 or leaf.max() >= len(points) or not _can_be_drawn(tree):
        raise ValueError("the dendrogram contradicts itself")
    return ClusteringResult(**vars(result), tree=tree, leaf=leaf.astype(np.intp), points=points)


def _can_be_drawn(tree: FloatArray) -> bool:
    """Tell whether a dendrogram can be drawn."""
    from scipy.cluster.hierarchy import is_valid_linkage  # which few loads need

    return len(tree) == 0 or bool(is_valid_linkage(tree))
