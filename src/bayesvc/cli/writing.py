"""Files that a command writes: table, JSON, draws, figures and the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bayesvc._csv import write_csv
from bayesvc._text import as_sentence
from bayesvc.cli.output import note

_QUICK_TO_RESAMPLE = 200_000  # numbers in the tallies of all replicates

if TYPE_CHECKING:
    from bayesvc.cli.chosen_columns import ChosenColumns
    from bayesvc.plots import Plot
    from bayesvc.selection.comparison import Comparison
    from bayesvc.selection.result import Selection


def write_selection(
    found: Selection, folder: Path, data: ChosenColumns, source: str, *, silent: bool
) -> None:
    """Write selection.csv, selection.json, draws.npz, figures and report.html."""
    page = folder / "report.html"
    evidence = found.table.sort(["selected", "rank", "variable"], descending=[True, False, False])
    write_csv(evidence, folder / "selection.csv")
    found.to_json(folder / "selection.json")
    found.draws.save(folder / "draws.npz")
    with_extra("figures", lambda: _selection_figures(found, folder / "figures"), silent=silent)
    with_extra("report", lambda: _report(found, page, data, source), silent=silent)


def write_comparison(
    found: Comparison, folder: Path, data: ChosenColumns, source: str, *, silent: bool
) -> None:
    """Write comparison.csv, comparison.json, a figure and report.html."""
    page, figure = folder / "report.html", folder / "figures" / "agreement.svg"
    votes = found.table.sort("methods", descending=True, maintain_order=True)
    write_csv(votes, folder / "comparison.csv")
    chosen = {name: selection.names for name, selection in found.items()}
    about = {
        "target": data.y.name,
        "selected": chosen,
        "notes": [note.as_dict() for note in found.notes],
    }
    text = json.dumps(about, indent=1)
    (folder / "comparison.json").write_text(text + "\n", encoding="utf-8")
    with_extra("figures", lambda: _save(found.plot(), figure), silent=silent)
    with_extra("report", lambda: _report(found, page, data, source), silent=silent)


def _report(found: Selection | Comparison, path: Path, data: ChosenColumns, source: str) -> None:
    from bayesvc.report import DataSummary, describe_response, write_report

    target = str(data.y.name)
    about = DataSummary(
        len(data.y), len(data.names), data.facts.missing, tuple(data.facts.constant), target,
        describe_response(data.y_or_times, target), source,
    )  # fmt: skip
    write_report(found, path, title=f"Which columns predict {target}?", data_summary=about)


def _selection_figures(found: Selection, folder: Path) -> None:
    """Draw the figures that this method and its replicates allow."""
    from bayesvc import plots

    kinds = ["scatter", "importance"]
    if found.null is not None:
        kinds.append("nulls")
    if found.threshold_result.has_dendrogram:
        kinds.append("dendrogram")
    if found.draws.abc is None:
        kinds.append("traces")
        several = found.draws.n_replicates > 1 and not found.withheld
        if several and found.draws.vc.size <= _QUICK_TO_RESAMPLE:
            kinds.append("stability")
    for kind in kinds:
        _save(getattr(plots, kind)(found), folder / f"{kind}.svg")


def _save(plot: Plot, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    plot.save(path)


def with_extra(what: str, write: Callable[[], object], *, silent: bool = False) -> None:
    """Write a file that needs an optional library, or say which one is missing."""
    try:
        write()
    except ImportError as error:
        if not silent:
            note(f"No {what} was written. {as_sentence(str(error))}")
