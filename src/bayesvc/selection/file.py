"""The file that `Selection.save` writes: what was selected and why, with the fits."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import is_valid_linkage

from bayesvc._archive import (
    Arrays,
    FileFormat,
    add_prefix,
    check_array,
    with_prefix,
    write_arrays,
)
from bayesvc._typing import FloatArray, PathLike
from bayesvc._validation import check_choice
from bayesvc.data.frames import KINDS
from bayesvc.draws import file as _draws_file
from bayesvc.draws.draws import Draws
from bayesvc.measures import MEASURES
from bayesvc.selection.methods import Method
from bayesvc.selection.result import Selection, Twin
from bayesvc.selection.signal import SignalTest
from bayesvc.selection.stopping import StoppingResult
from bayesvc.thresholds import (
    Clustering,
    ClusteringResult,
    ThresholdResult,
    threshold_from_dict,
    threshold_to_dict,
)

KIND = FileFormat("bayesvc-selection", "Selection", (1,), "select again")


def write(selection: Selection, path: PathLike) -> None:
    """Write everything but the data."""
    write_arrays(path, to_arrays(selection))


def read(path: PathLike) -> Selection:
    """Return the selection that `write` wrote."""
    return KIND.read(path, lambda settings, arrays: from_parts(path, settings, arrays))


def to_arrays(selection: Selection) -> Arrays:
    """Return all that a file of a selection holds."""
    arrays: Arrays = {"mask": selection.mask, "values": selection.values}
    arrays |= add_prefix("cut/", vars(selection.cut))
    arrays |= add_prefix("draws/", _draws_file.to_arrays(selection.draws))
    if selection.null is not None:
        arrays["null"] = selection.null
    if selection.row_share is not None:
        arrays["row_share"] = selection.row_share
    if selection.permuted is not None:
        arrays |= add_prefix("permuted/", _draws_file.to_arrays(selection.permuted))
    if selection.signal is not None:
        arrays["signal/null"] = selection.signal.null
    return KIND.with_settings(_settings(selection), 1, arrays)


def _settings(selection: Selection) -> dict[str, Any]:
    method, signal, enough = selection.method, selection.signal, selection.enough
    return {
        "method": {
            "name": method.name,
            "measure": method.measure.name,
            "threshold": threshold_to_dict(method.threshold),
            "n_replicates": method.n_replicates,
            "n_permutations": method.n_permutations,
            "reason": method.reason,
        },
        "twins": [asdict(twin) for twin in selection.twins],
        "frame": selection.frame,
        "allow_empty": selection.allow_empty,
        "explained": None if signal is None else signal.explained,
        "enough": None if enough is None else asdict(enough),
    }


def from_parts(path: PathLike, settings: dict[str, Any], arrays: Arrays) -> Selection:
    """Return the selection of a file's settings and arrays."""
    draws = _draws(path, "draws/", arrays)
    method = _method(settings["method"], draws)
    null, permuted = _null(path, arrays, method, draws)
    p, n_columns = draws.n_features, method.measure.n_columns
    values = check_array("values", arrays, (p, n_columns) if n_columns > 1 else (p,), np.float64)
    if not np.isfinite(values).all():
        raise ValueError("values are not finite")
    return Selection(
        method=method,
        mask=check_array("mask", arrays, (p,), np.bool_),
        cut=_cut(with_prefix("cut/", arrays), p, clusters=isinstance(method.threshold, Clustering)),
        values=values,
        null=null,
        draws=draws,
        permuted=permuted,
        twins=tuple(_twin(twin) for twin in settings["twins"]),
        frame=_frame(settings["frame"]),
        signal=_signal(settings["explained"], arrays),
        allow_empty=bool(settings.get("allow_empty", False)),  # earlier files do not say
        enough=_enough(settings["enough"]),
        row_share=check_array("row_share", arrays, (p,), np.float64)
        if "row_share" in arrays
        else None,
    )


def _null(
    path: PathLike, arrays: Arrays, method: Method, draws: Draws
) -> tuple[FloatArray | None, Draws | None]:
    """Return the measure of fits to permuted responses, and these fits where they were kept."""
    if not method.threshold.needs_null:
        return None, None
    null = check_array("null", arrays, (method.n_permutations, draws.n_features), np.float64)
    if "permuted/settings" not in arrays:
        return null, None
    permuted = _draws(path, "permuted/", arrays)
    if permuted.feature_names != draws.feature_names:
        raise ValueError("the fits to permuted responses are of other variables")
    return null, permuted


def _signal(explained: Any, arrays: Arrays) -> SignalTest | None:
    if explained is None:
        return None
    null = check_array("signal/null", arrays, (None,), np.float64)
    if not (len(null) and np.isfinite(null).all()):
        raise ValueError("the test for signal has no permutations")
    return SignalTest(float(explained), null)


def _frame(kind: Any) -> str | None:
    return None if kind is None else check_choice("frame", kind, KINDS)


def _twin(parts: dict[str, Any]) -> Twin:
    return Twin(str(parts["unselected"]), str(parts["selected"]), float(parts["correlation"]))


def _enough(parts: dict[str, Any] | None) -> StoppingResult | None:
    if parts is None:
        return None
    reason = str(parts["reason"])
    stable = bool(parts.get("stable", reason.endswith("changed nothing")))
    return StoppingResult(int(parts["n_replicates"]), reason, stable)


def _draws(path: PathLike, start: str, arrays: Arrays) -> Draws:
    own = with_prefix(start, arrays)
    return _draws_file.from_parts(_draws_file.KIND.settings(path, own), own)


def _method(parts: dict[str, Any], draws: Draws) -> Method:
    cut, measure = threshold_from_dict(parts["threshold"]), MEASURES[parts["measure"]]
    refusal = cut.refuses(measure)
    if refusal is not None:
        raise ValueError(refusal)
    return Method(
        name=str(parts["name"]),
        prior=draws.prior,
        measure=measure,
        threshold=cut,
        n_replicates=int(parts["n_replicates"]),
        n_permutations=int(parts["n_permutations"]),
        reason=None if parts["reason"] is None else str(parts["reason"]),
    )


def _cut(arrays: Arrays, p: int, *, clusters: bool) -> ThresholdResult:
    cut = ThresholdResult(
        selected=check_array("selected", arrays, (p,), np.bool_),
        threshold=check_array("threshold", arrays, (p,), np.float64),
        margin=check_array("margin", arrays, (p,), np.float64),
    )
    if not clusters:
        return cut
    points = check_array("points", arrays, (None, None), np.float64)
    leaf = check_array("leaf", arrays, (p,), np.int64)
    tree = check_array("tree", arrays, (len(points) - 1, 4), np.float64)
    if leaf.min() < 0 or leaf.max() >= len(points) or not _can_be_drawn(tree):
        raise ValueError("the dendrogram contradicts itself")
    return ClusteringResult(**vars(cut), tree=tree, leaf=leaf.astype(np.intp), points=points)


def _can_be_drawn(tree: FloatArray) -> bool:
    """Tell whether a dendrogram can be drawn."""
    return len(tree) == 0 or bool(is_valid_linkage(tree))
