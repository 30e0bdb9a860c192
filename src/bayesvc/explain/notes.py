"""What a reader of the effects should know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from bayesvc._text import percent, visible
from bayesvc._typing import FloatArray
from bayesvc.draws.diagnostics import RHAT_LIMIT, of_trace
from bayesvc.draws.prediction import tree_sums
from bayesvc.exceptions import Note
from bayesvc.explain.curves import evenly

if TYPE_CHECKING:
    from bayesvc.explain.result import Effects

_CORRELATED = 0.5
_FAR_FROM_INDEPENDENT = 1.5  # ratio of the variances of the forest
_MOST_ROWS = 2000
_REMEDY = (
    "For effects without this bias, select with one part of the rows and pass the other part to "
    "`effects`."
)


def notes_of(effects: Effects) -> tuple[Note, ...]:
    """Return the notes on some effects.

    Examples
    --------
    See `bayesvc.Effects`, whose attribute `notes` holds them.
    """
    found = [_rows(effects), _dependence(effects), _scale(effects), _chains(effects)]
    return tuple(note for note in found if note is not None)


def _rows(effects: Effects) -> Note:
    if effects.same_rows:
        whole = effects.overlap == 1
        which = "These rows" if whole else f"{percent(effects.overlap)} of these rows"
        return Note(
            "same-rows",
            "info",
            f"{which} also selected the variables, so the effects are optimistic, above all those "
            f"of variables with weak support. {_REMEDY}",
        )
    if effects.same_rows is None:
        return Note(
            "unknown-rows",
            "info",
            "Whether these rows also selected the variables is not known. If they did, the effects "
            f"are optimistic, above all those of variables with weak support. {_REMEDY}",
        )
    return Note(
        "other-rows",
        "good",
        "The selection did not use these rows, so that it does not bias the effects.",
    )


def _dependence(effects: Effects) -> Note | None:
    """Say where variables are not independent, as the shares assume."""
    correlation, first, second = _strongest(effects)
    ratio = _variance_ratio(effects)
    if correlation < _CORRELATED and 1 / _FAR_FROM_INDEPENDENT < ratio < _FAR_FROM_INDEPENDENT:
        return None
    why = f"the variance of the forest over the rows is {ratio:.2g} times as large"
    if correlation >= _CORRELATED:
        why = (
            f"the rank correlation of {visible(first)!r} and {visible(second)!r} is "
            f"{correlation:.2f} in absolute value, and {why}"
        )
    return Note(
        "dependent-variables",
        "info",
        f"The shares of variance are those for independent variables. Here {why} as it would be "
        "then. The shares of dependent variables cannot be told apart by the data alone: read them "
        "together, and see the loss without each variable.",
    )


def _strongest(effects: Effects) -> tuple[float, str, str]:
    """Return the largest absolute rank correlation of two columns of numbers, and their names."""
    schema, values = effects.X.schema, effects.X.values
    of_group = {j for _, own in schema.variables if len(own) > 1 for j in own}
    columns = [
        j for j in range(len(schema.names)) if j not in schema.categories and j not in of_group
    ]
    best = (0.0, "", "")
    for k, a in enumerate(columns):
        for b in columns[:k]:
            known = ~np.isnan(values[:, a]) & ~np.isnan(values[:, b])
            found = abs(_rank_correlation(values[known, a], values[known, b]))
            if found > best[0]:
                best = (found, str(schema.names[b]), str(schema.names[a]))
    return best


def _rank_correlation(a: FloatArray, b: FloatArray) -> float:
    if len(a) < 3:
        return 0.0
    a, b = rankdata(a), rankdata(b)
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / norm if norm > 0 else 0.0


def _variance_ratio(effects: Effects) -> float:
    """Return the variance of the sum of trees over the rows, relative to independent variables."""
    values = effects.X.values
    some = np.asfortranarray(values[evenly(len(values), _MOST_ROWS)])
    own = tree_sums(effects.draws, some, 1).var(axis=1).mean()
    independent = effects.shares.variance.mean()
    return float(own / independent) if independent > 0 else 1.0


def _scale(effects: Effects) -> Note | None:
    """Say where the trees do not add up on the scale of the prediction."""
    calibration = effects.draws.calibration
    if effects.draws.classes is not None:
        return Note(
            "probit-scale",
            "info",
            "Shares of variance are on the probit scale, on which the trees add up. Changes and "
            "curves are differences of probability.",
        )
    if calibration is not None and calibration.score_map is not None:
        return Note(
            "normal-scores",
            "info",
            "The response is skewed and was fitted as normal scores, so shares of variance are on "
            "that scale. Changes and curves are in the units of the response.",
        )
    return None


def _chains(effects: Effects) -> Note | None:
    shares, n_chains = effects.shares.first_order, effects.draws.n_replicates
    traces = shares.reshape(n_chains, -1, shares.shape[1])
    rhat = np.nan_to_num([of_trace(traces[:, :, j])[0] for j in range(shares.shape[1])])
    worst = int(rhat.argmax())
    if rhat[worst] <= RHAT_LIMIT:
        return None
    name = visible(effects.labels[worst])
    return Note(
        "chains-disagree",
        "info",
        f"R-hat of the share of {name!r} is {rhat[worst]:.2f}, above {RHAT_LIMIT}: the chains have "
        "not converged to the same posterior, and intervals may be too narrow. Increase `burn_in` "
        "and `n_draws`.",
    )
