"""What the page says, section by section: the values that the template fills in."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import as_sentence
from bayesvc._version import __version__
from bayesvc.exceptions import Note
from bayesvc.report import charts, reproduce, table, words
from bayesvc.report.summary import DataSummary, Facts, known_summary
from bayesvc.selection import text as _selection_text
from bayesvc.selection.notes import shared_notes
from bayesvc.selection.result import Selection

_MOST_STATIC_ROWS = 100  # in the file itself, for readers whose browser runs no scripts
_MOST_EXPLAINED = 20
_MOST_NAMES = 20
_SHARED = (
    "Permuted responses", "Trees per forest", "Burn-in", "Draws per replicate",
    "Seed (random_state)",
)  # fmt: skip
_MOVE_MEANINGS = {
    "birth": "proposals that split a leaf",
    "death": "proposals that join two leaves",
    "change": "proposals that give a split a new rule",
    "swap": "proposals that exchange the rules of two splits",
    "perturb": "proposals that move the cutpoint of a split",
}
_WITHOUT_EVIDENCE = "Without evidence of signal, nothing is selected."
_SOURCES = {"bayesvc": None, "counts": "another program, as split counts"}


def selection_page(
    selection: Selection, title: str | None, data_summary: DataSummary | Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return everything the template needs for a selection."""
    data = _summary(selection, data_summary)
    order = table.row_order(selection)
    columns = table.selection_columns(selection)
    sentence, names = words.conclusion(selection, data.target)
    figures = {
        "scatter": charts.scatter(selection, order),
        "spread": charts.spread(selection, order),
        "stability": charts.stability(selection, order),
    }
    page = _common(selection, title, data, columns, order, selection.mask)
    page["data"]["charts"] = {key: chart for key, chart in figures.items() if chart is not None}
    return page | {
        "kind": "selection",
        "sentence": sentence,
        "names": names[:_MOST_NAMES],
        "more_names": max(0, len(names) - _MOST_NAMES),
        "method": selection.method,
        "without_evidence": _WITHOUT_EVIDENCE if selection.allow_empty else None,
        "reason": selection.method.reason and as_sentence(selection.method.reason),
        "withheld": words.withheld(data.target) if selection.withheld else None,
        "figures": figures,
        "spread_caption": words.spread_caption(selection),
        "notes": words.notes(selection, data.target),
        "explained": _explained(selection, order),
        "diagnostics": _diagnostics(selection),
        "settings": _settings(selection),
        "code": reproduce.selection_code(selection),
    }


def comparison_page(
    selections: Mapping[str, Selection],
    title: str | None,
    data_summary: DataSummary | Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return everything the template needs for a comparison."""
    first = next(iter(selections.values()))
    data = _summary(first, data_summary)
    columns = table.comparison_columns(selections)
    votes, ranks = columns[0].values, columns[1].values
    order = np.lexsort((np.arange(len(votes)), ranks, -votes))
    sentence, names = words.agreement(selections, data.target)
    page = _common(first, title, data, columns, order, votes > 0)
    matrix = charts.matrix(selections, order)
    # The chains of ABC have a length of their own; show what the others share.
    chains = next((s for s in selections.values() if s.draws.abc is None), first)
    page["data"]["charts"] = {"matrix": matrix}
    return page | {
        "kind": "comparison",
        "sentence": sentence,
        "names": names[:_MOST_NAMES],
        "more_names": max(0, len(names) - _MOST_NAMES),
        "disagreement": words.disagreement(selections),
        "figures": {"matrix": matrix},
        "methods": [_method_row(name, found) for name, found in selections.items()],
        "notes": _comparison_notes(selections, data.target),
        "settings": [fact for fact in _settings(chains) if fact[0] in _SHARED],
        "code": reproduce.comparison_code(selections),
    }


def _common(
    selection: Selection,
    title: str | None,
    data: DataSummary,
    columns: list[table.Column],
    order: NDArray[np.intp],
    marked: NDArray[np.bool_],
) -> dict[str, Any]:
    shown = order[: min(_MOST_STATIC_ROWS, int(marked.sum()))].tolist()
    return {
        "title": title or f"Variable selection for {data.target}",
        "target": data.target,
        "n_features": len(selection.mask),
        "columns": columns,
        "rows": [
            (selection.labels[j], [table.cell(column, j) for column in columns]) for j in shown
        ],
        "facts": data.facts(),
        "data": table.payload(selection.labels, columns, order, marked),
        "version": __version__,
        "date": datetime.date.today().isoformat(),
    }


def _summary(selection: Selection, given: DataSummary | Mapping[str, Any] | None) -> DataSummary:
    known = known_summary(selection)
    if given is None:
        return known
    if not isinstance(given, DataSummary):
        if isinstance(given, Mapping):
            return replace(known, more=dict(given))
        raise TypeError(
            f"`data_summary` must be a bayesvc.report.DataSummary or a mapping. Got {given!r} "
            "instead. Pass the result of `bayesvc.report.summarize_data(X, y)`."
        )
    blank = {
        name: getattr(known, name)
        for name in ("n_rows", "n_columns", "constant", "response", "target")
        if getattr(given, name) in (None, "y")
    }
    more = dict(given.more)
    if _selection_text.says_how(selection.draws) and given.response is not None:
        more["Modelled as"] = known.response
    return replace(given, **blank, more=more)


def _explained(selection: Selection, order: NDArray[np.intp]) -> list[str]:
    chosen = order[: min(_MOST_EXPLAINED, len(selection.indices))].tolist()
    return [_selection_text.explain(selection, j) for j in chosen]


def _diagnostics(selection: Selection) -> list[tuple[str, str, str]]:
    """Return quantity, value and verdict of each diagnostic that is known."""
    mixing, draws = selection.mixing, selection.draws
    chosen = selection.indices
    rows = []
    if not math.isnan(mixing.sigma_rhat):
        rows += [
            ("R-hat of sigma (sd of the errors)", f"{mixing.sigma_rhat:.3f}",
             "1 if the replicates agree"),
            ("Effective sample size of sigma", words.decimal(mixing.sigma_ess),
             f"of {words.number(draws.sigma.size)}"),
        ]  # fmt: skip
    if not math.isnan(mixing.df_rhat):
        about = f"effective sample size {words.decimal(mixing.df_ess)}"
        label = "R-hat of the degrees of freedom of Student-t errors"
        rows.append((label, f"{mixing.df_rhat:.3f}", about))
    known = chosen[np.isfinite(mixing.count_rhat[chosen])]
    if len(known):
        worst = known[mixing.count_rhat[known].argmax()]
        about = selection.labels[worst]
        rows.append(
            (
                "Largest R-hat of the split count of a selected variable",
                f"{mixing.count_rhat[worst]:.2f}",
                about,
            )
        )
    known = chosen[np.isfinite(mixing.count_ess[chosen])]
    if len(known):
        least = known[mixing.count_ess[known].argmin()]
        about = selection.labels[least]
        value = words.decimal(float(mixing.count_ess[least]))
        rows.append(("Smallest effective sample size of these counts", value, about))
    for move, rates in draws.acceptance.items():
        if not np.isnan(rates).all():
            value = f"{100 * np.nanmean(rates):.0f} %"
            rows.append((f"Accepted {move} moves", value, _MOVE_MEANINGS[move]))
    judged = selection.method.recomputable and not selection.withheld
    if selection.draws.n_replicates > 1 and judged:
        changes = selection.stability.changes
        what = "Variables whose selection changes when one replicate is left out"
        rows.append((what, words.number(changes), f"of {words.number(len(selection.mask))}"))
    return rows


def _settings(selection: Selection) -> Facts:
    method, draws = selection.method, selection.draws
    prior, model = draws.prior, draws.response_model
    if prior is not None and model is not None and not model.has_noise_variance:
        prior = replace(prior, errors="gaussian", transform=None)  # which say nothing of it
    told: dict[str, Any] = {
        "Method": method.name,
        "Prior": None if prior is None else reproduce.prior_code(prior).removeprefix("bv."),
        "Sampled by": None
        if draws.source == "bayesvc"
        else _SOURCES.get(draws.source, draws.source),
        "Measure": method.measure.label,
        "Threshold": reproduce.threshold_code(method.threshold).strip('"').removeprefix("bv."),
        "Replicates": words.number(draws.n_replicates),
        "Null replicates": method.n_permutations or None,
        "Without evidence of signal": "select nothing" if selection.allow_empty else None,
        "Permuted responses": _permuted(selection),
        "Trees per forest": draws.n_trees,
        "Burn-in": None if draws.burn_in is None else words.number(draws.burn_in),
        "Draws per replicate": words.number(draws.n_draws),
        "Seed (random_state)": draws.random_state,
    }
    return [(label, str(value)) for label, value in told.items() if value is not None]


def _permuted(selection: Selection) -> str | None:
    """Return how responses were permuted, if not among all rows."""
    shifted = ["by circular shifts (time_order=True)"] if selection.time_order else []
    within = ["within blocks (permute_within)"] if selection.in_blocks else []
    return ", ".join([*shifted, *within]) or None


def _method_row(name: str, selection: Selection) -> dict[str, Any]:
    names = words.by_importance(selection)
    return {
        "name": name,
        "about": selection.method.description,
        "replicates": selection.draws.n_replicates,
        "selected": len(names),
        "names": names[:12],
        "more": max(0, len(names) - 12),
        "rhat": words.decimal(selection.mixing.sigma_rhat),
    }


def _comparison_notes(selections: Mapping[str, Selection], target: str) -> list[Note]:
    """Return the notes on the methods, each once, and whether there is signal."""
    notes = list(shared_notes(selections))
    if not any(note.severity == "warning" for note in notes):
        notes.append(Note("no-warnings", "good", "There are no warnings about any method."))
    signal = words.signal_note(next(iter(selections.values())), target)
    return notes if signal is None else [*notes, signal]
