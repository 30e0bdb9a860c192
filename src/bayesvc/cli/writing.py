"""The files that a command leaves: table, JSON, fits, figures and the report page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesvc.cli.output import note

if TYPE_CHECKING:
    from bayesvc.methods import Comparison
    from bayesvc.selection import Selection


def write_selection(found: Selection, folder: Path, about: dict[str, Any], target: str) -> None:
    """Write selection.csv, selection.json, draws.npz, figures and report.html."""
    evidence = found.table.rename({"variable": "feature"})
    evidence = evidence.sort(["selected", "rank", "feature"], descending=[True, False, False])
    evidence.write_csv(folder / "selection.csv")
    found.to_json(folder / "selection.json")
    found.draws.save(folder / "draws.npz")


def write_comparison(found: Comparison, folder: Path, about: dict[str, Any], target: str) -> None:
    """Write comparison.csv, comparison.json, a figure and report.html."""
    votes = found.table.rename({"variable": "feature"})
    votes.sort("methods", descending=True, maintain_order=True).write_csv(folder / "comparison.csv")
    chosen = {name: selection.names for name, selection in found.items()}
    text = json.dumps({"data": about, "selected": chosen}, indent=1)
    (folder / "comparison.json").write_text(text + "\n", encoding="utf-8")


def with_extra(what: str, write: Callable[[], object]) -> None:
    """Write what needs a further library, or say which one is missing."""
    try:
        write()
    except ImportError as error:
        note(f"No {what}: {error}")
