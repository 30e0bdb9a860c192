"""A `Selection` in words, as JSON and as HTML."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesvc._text import as_sentence, counted, listed, percent, probability, visible
from bayesvc._typing import FloatArray
from bayesvc._version import __version__
from bayesvc.selection.stability import MOST_NUMBERS
from bayesvc.selection.table import shown_paper_mask, table_columns

if TYPE_CHECKING:
    from bayesvc.draws.draws import Draws
    from bayesvc.responses.base import Response
    from bayesvc.selection.result import Selection

_MOST_ROWS = 20
_CANDIDATES = 5  # shown where nothing is selected for want of evidence
_MOST_IN_LINES = 10_000  # variables whose numbers have a line of JSON each


def explain(selection: Selection, j: int) -> str:
    """Explain why variable j is selected or not."""
    draws, name = selection.draws, visible(selection.labels[j])
    verb = "is selected" if selection.mask[j] else "is not selected"
    mpvip = draws.mpvip[:, j].mean()
    facts = (
        f"It has {draws.vc[:, j].mean():.2f} splits per draw, appears in {percent(mpvip)} of "
        f"the draws, and has rank {selection.ranks[j]} of {len(selection.mask)} by "
        f"{selection.method.measure.label}"
    )
    text = f"{name} {verb} by {selection.method.name}. {facts}; {_distance(selection, j)}."
    left_out = math.nan if selection.withheld else selection.left_out_frequency[j]
    if not math.isnan(left_out):
        text += (
            " It is selected whichever replicate is left out."
            if left_out == 1
            else f" It is selected in {percent(left_out)} of cases when one replicate is left out."
        )
    if selection.row_frequency is not None:
        share = percent(selection.row_frequency[j])
        parts = "half" if selection.row_fraction == 0.5 else "a subsample"
        text += f" It is selected in {share} of the runs that use only {parts} of the rows."
    label = selection.labels[j]
    twins = [twin.unselected for twin in selection.twins if twin.selected == label]
    twins += [twin.selected for twin in selection.twins if twin.unselected == label]
    if twins:
        text += f" It is nearly the same as {listed(twins, last='and')}."
    return text


def _distance(selection: Selection, j: int) -> str:
    if selection.withheld:
        return "without evidence of signal, nothing is selected"
    result, threshold = selection.threshold_result, selection.method.threshold
    return threshold.explain(result, selection.importance, j)


def heading(selection: Selection) -> list[str]:
    """Return the lines above the table."""
    method, draws = selection.method, selection.draws
    replicates = counted(draws.n_replicates, "replicate")
    if method.n_permutations:
        replicates += f" and {counted(method.n_permutations, 'null replicate')}"
    lines = [
        f"{method.name}: {len(selection.indices)} of {len(selection.mask)} variables selected"
        f"{_about_y(selection)}",
        f"{method.description}; {replicates}; random_state={draws.random_state}",
    ]
    if says_how(draws):
        lines.append(f"response: {response_text(draws)}")
    if selection.stopping is not None:
        lines.append(selection.stopping.reason)
    if selection.signal is not None and selection.signal.found:  # else a note below tells
        lines.append(f"{selection.signal.conclusion(selection.target)}.")
    if method.reason is not None:
        lines.append(as_sentence(method.reason))
    return [visible(line) for line in lines]


def about(selection: Selection) -> list[str]:
    """Return the method and how y was modelled, for those who are told the result elsewhere."""
    method, response = selection.method, response_text(selection.draws)
    replicates = counted(selection.draws.n_replicates, "replicate")
    lines = [f"{method.name}: {method.description}; {replicates}"]
    lines += [] if response is None else [f"response {selection.target}: {response}"]
    return [visible(line) for line in lines]


def _about_y(selection: Selection) -> str:
    """Return how much of y is censored, after a semicolon; nothing if it cannot be."""
    calibration = selection.draws.calibration
    if calibration is None or calibration.about_y is None:
        return ""
    return f"; {selection.target}: {calibration.about_y}"


def response_text(draws: Draws) -> str | None:
    """Return the kind of response and, where the prior has a say in it, how it was modelled."""
    model, prior, calibration = draws.response_model, draws.prior, draws.calibration
    kind = draws.response if model is None else model.describe(draws.classes)
    if kind is None or prior is None or calibration is None or not says_how(draws):
        return kind
    chosen = [name for name in _settings_of(model) if getattr(prior, name) == "auto"]
    both, one = len(chosen) == 2, " (chosen automatically)"
    parts = [kind, *([calibration.about_y] if calibration.about_y else [])]
    how = "Student-t errors" if calibration.learns_df else "normal errors"
    how += one if chosen == ["errors"] else ""
    if calibration.score_map or "transform" in chosen:
        how += " and normal scores of y" if calibration.score_map else " and no transformation"
        how += one if chosen == ["transform"] else ""
    return ", ".join([*parts, how]) + (" (both chosen automatically)" if both else "")


def says_how(draws: Draws) -> bool:
    """Tell whether there is more to say of the response than its kind.

    That is so if it is censored, and if the prior sets its errors or its transform.
    """
    model, prior, calibration = draws.response_model, draws.prior, draws.calibration
    if model is None or prior is None or not model.has_noise_variance:
        return False
    if calibration is not None and calibration.about_y is not None:
        return True
    return (prior.errors, prior.transform) != ("gaussian", None)


def _settings_of(model: Response | None) -> tuple[str, ...]:
    """Return the settings of a prior that apply to a response with errors."""
    return ("errors", "transform") if model is None or model.is_numeric else ("errors",)


def as_text(selection: Selection) -> str:
    """Return the repr."""
    lines = heading(selection)
    header, *shown = table_rows(selection)
    cells = [[str(cell) for cell in row] for row in (header, *shown)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(header))]
    for row in cells:
        first = row[0].ljust(widths[0])
        rest = "  ".join(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        lines.append(f"  {first}  {rest}".rstrip())
    if len(selection.indices) > _MOST_ROWS:
        lines.append(f"  ... and {len(selection.indices) - _MOST_ROWS} more selected")
    lines += [*legend(selection), *(f"Note: {note.text}" for note in selection.notes)]
    return "\n".join(lines)


def legend(selection: Selection) -> list[str]:
    """Return what the columns of the table are, for the package's own methods."""
    measure = selection.method.measure
    if not measure.checked:
        return []
    line = (
        f"{measure.label}: estimated by a formula learned on simulated data; not a posterior "
        "probability."
    )
    if selection.row_frequency is not None and selection.row_fraction == 0.5:
        line += (
            " In half-samples: proportion of random halves of the rows (16 by default) from which "
            "the variable is selected."
        )
    return [line]


def as_html(selection: Selection) -> str:
    """Return what a notebook shows."""
    header, *shown = table_rows(selection)
    first, *others = heading(selection)
    notes = "".join(f"<p><b>Note:</b> {html.escape(note.text)}</p>" for note in selection.notes)
    lines = "<br>".join(html.escape(line) for line in others)
    notes = "".join(f"<p>{html.escape(line)}</p>" for line in legend(selection)) + notes
    return (
        f"<div><p><b>{html.escape(first)}</b><br>{lines}</p>"
        f"{html_table(header, shown)}{notes}</div>"
    )


def html_table(header: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Return a table with numbers aligned to the right, after two columns of text."""
    head = _html_row("th", header)
    body = "".join(_html_row("td", row) for row in rows)
    style = "border-collapse:collapse;font-variant-numeric:tabular-nums"
    return f'<table style="{style}"><thead>{head}</thead><tbody>{body}</tbody></table>'


def _html_row(tag: str, cells: Sequence[object]) -> str:
    aligned = ("left", "left", *("right",) * (len(cells) - 2))
    return "".join(
        [
            "<tr>",
            *(
                f'<{tag} style="text-align:{side};padding:0.15em 0.75em">'
                f"{html.escape(str(cell))}</{tag}>"
                for side, cell in zip(aligned, cells, strict=True)
            ),
            "</tr>",
        ]
    )


def table_rows(selection: Selection) -> list[list[str]]:
    """Return the header and the selected variables, most important first, and the next one.

    Where nothing is selected for want of evidence, the leading candidates take their place.
    """
    order = np.lexsort((np.arange(len(selection.mask)), selection.ranks, ~selection.mask))
    shown = order[: min(_MOST_ROWS, len(selection.indices))].tolist()
    others = _CANDIDATES if selection.withheld else 1
    shown += order[len(selection.indices) :][:others].tolist()
    measure, of_rows, of_paper = (
        selection.method.measure, selection.row_frequency, shown_paper_mask(selection)
    )  # fmt: skip
    label = next(iter(selection.measure_columns)) if selection.values.ndim == 2 else measure.label
    withheld = selection.withheld
    header = ["variable", "selected", label, "in draws", *([] if withheld else ["margin"])]
    header += [] if of_paper is None else ["VC-measure selects"]
    in_rows = "in half-samples" if selection.row_fraction == 0.5 else "in subsamples"
    stable = _leave_one_out(selection) if of_rows is None else of_rows
    is_stability_known = of_rows is not None or not withheld
    if is_stability_known:
        header.append("one replicate left out" if of_rows is None else in_rows)
    rows = [
        [
            visible(selection.labels[j]),
            "yes" if selection.mask[j] else "no",
            probability(own) if measure.is_probability else f"{own:.3g}",
            percent(selection.draws.mpvip[:, j].mean()),
            *([] if withheld else [_signed(selection.margin[j])]),
            *([] if of_paper is None else ["yes" if of_paper[j] else "no"]),
            *(["" if math.isnan(stable[j]) else percent(stable[j])] if is_stability_known else []),
        ]
        for j, own in zip(shown, selection.importance[shown], strict=True)
    ]
    return [header, *rows]


def _signed(margin: float) -> str:
    return "" if math.isnan(margin) else f"{margin:+.2g}"


def _leave_one_out(selection: Selection) -> FloatArray:
    """Return the agreement of the replicates; NaN where it would take long."""
    if selection.withheld or selection.draws.vc.size > MOST_NUMBERS:
        return np.full(len(selection.mask), np.nan)
    return selection.left_out_frequency


def as_json(selection: Selection) -> str:
    """Return everything that a file of the result should hold, as JSON.

    Beyond a number of variables each of them is one line.
    """
    mixing = selection.mixing
    columns = table_columns(selection) | {
        **_stability(selection),
        "count_rhat": mixing.count_rhat,
        "count_ess": mixing.count_ess,
    }
    head = json.dumps(_about(selection), indent=1, allow_nan=False).removesuffix("\n}")
    rows = _json_rows(columns, in_lines=len(selection.mask) <= _MOST_IN_LINES)
    return f'{head},\n "variables": [\n  ' + ",\n  ".join(rows) + "\n ]\n}"


def _json_rows(columns: dict[str, Any], in_lines: bool) -> Iterator[str]:
    """Return each row of a table as a JSON object.

    They are made of columns, because `json` indents with code in Python, value by value.
    """
    names = [json.dumps(name) for name in columns.pop("variable")]
    cells = [json.dumps(_plain_list(column), allow_nan=False)[1:-1].split(", ")
             for column in columns.values()]  # fmt: skip
    start, mark, end = ("{\n   ", ",\n   ", "\n  }") if in_lines else ("{", ", ", "}")
    keys = [json.dumps(key).replace("%", "%%") for key in ("variable", *columns)]
    template = start + mark.join(f"{key}: %s" for key in keys) + end
    return (template % row for row in zip(names, *cells, strict=True))


def _about(selection: Selection) -> dict[str, Any]:
    """Return what JSON says before the variables."""
    method, draws = selection.method, selection.draws
    mixing = selection.mixing
    return {
        "bayesvc": __version__,
        "method": method.name,
        "prior": None if draws.prior is None else draws.prior.label,
        "measure": method.measure.name,
        "threshold": method.threshold.name,
        "measure_settings": method.measure.settings(),
        "threshold_settings": method.threshold.settings(),
        "response": response_text(draws),
        "reason": method.reason,
        "n_replicates": draws.n_replicates,
        "n_permutations": method.n_permutations,
        "n_trees": draws.n_trees,
        "burn_in": draws.burn_in,
        "n_draws": draws.n_draws,
        "random_state": draws.random_state,
        "data_hash": draws.data_hash,
        "selected": [str(name) for name in selection.names],
        "allow_empty": selection.allow_empty,
        "signal": _signal(selection),
        "stopping": None if selection.stopping is None else selection.stopping.reason,
        "notes": [note.as_dict() for note in selection.notes],
        "sigma_rhat": _plain(mixing.sigma_rhat),
        "sigma_ess": _plain(mixing.sigma_ess),
        "df_rhat": _plain(mixing.df_rhat),
        "df_ess": _plain(mixing.df_ess),
    }


def _stability(selection: Selection) -> dict[str, FloatArray]:
    """Return how often variables are selected with other replicates; NaN if it is not known."""
    if not selection.method.recomputable:
        unknown = np.full(len(selection.mask), np.nan)
        return {"selected_leave_one_out": unknown, "selected_bootstrap": unknown}
    stable = selection.stability
    return {
        "selected_leave_one_out": stable.leave_one_out,
        "selected_bootstrap": stable.bootstrap,
    }


def _signal(selection: Selection) -> dict[str, Any] | None:
    if selection.signal is None:
        return None
    test = selection.signal
    return {
        "found": test.found,
        "verdict": test.verdict,
        "p_value": test.p_value,
        "explained": test.explained,
        "explained_when_permuted": test.null.tolist(),
        "correlation": test.correlation,
        "held_out_correlation": None
        if test.held_out is None
        else test.held_out.correlations.tolist(),
    }


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold; None for NaN and infinity."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    return float(value) if math.isfinite(value) else None


def _plain_list(column: Any) -> list[Any]:
    """Return an array of numbers or booleans as JSON can hold it; None for NaN and infinity."""
    array = np.asarray(column)
    values: list[Any] = array.tolist()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        values = [value if math.isfinite(value) else None for value in values]
    return values
