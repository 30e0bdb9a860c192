"""How long a run will take, from a few iterations of each prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bayesvc.cli.output import clock, clock_at, note

if TYPE_CHECKING:
    from bayesvc.cli.chosen_columns import ChosenColumns
    from bayesvc.priors.base import TreePrior
    from bayesvc.selection.methods import Method

_PILOT_ITERATIONS = 100
_SIGNAL_TEST = 0.4  # of the time of the replicates, at most
_HALF_SAMPLES = 0.5  # all of them, with short chains; of the time of the replicates
_ONE_HALF = 0.5  # one of --subsamples, with whole chains; of the time of all rows
_MOST_COLUMNS = 100  # that the estimate reads: an iteration takes hardly longer on more of them
_LONG, _MINUTE = 5.0, 60.0  # seconds, from which on an estimate, or a time, is worth a line


def say_how_long(
    data: ChosenColumns,
    plans: Sequence[Method],
    settings: dict[str, Any],
    n_subsamples: int = 0,
) -> None:
    """Say how long the whole run will take, if it is long."""
    from bayesvc._validation import resolve_n_jobs

    seconds = sum(
        n_iterations * _seconds_per_iteration(data, prior, settings["n_trees"])
        for prior, n_iterations in count_iterations(plans, settings).items()
    )
    seconds *= 1 + cost_of_checks(plans, settings) + _ONE_HALF * n_subsamples
    seconds /= resolve_n_jobs(settings["n_jobs"])
    if seconds > _LONG:
        until = f", until {clock_at(datetime.now(), seconds)}" if seconds >= _MINUTE else ""
        note(
            f"This will take about {clock(seconds)}{until}, if the CPUs are free. Ctrl-C keeps "
            "finished work."
        )


def cost_of_checks(plans: Sequence[Method], settings: dict[str, Any]) -> float:
    """Return what the signal test and half-samples cost, in proportion to the replicates.

    Examples
    --------
    >>> from bayesvc.cli.time_estimate import cost_of_checks
    >>> from bayesvc.selection.methods import resolve_method
    >>> settings = {"signal_test": False, "row_stability": None}
    >>> [cost_of_checks([resolve_method(name)], settings) for name in ("dart-relevance", "dart-vc")]
    [0.5, 0.0]
    """
    halves = settings.get("row_stability", False)  # which `compare` does not have
    if halves is None:
        halves = any(plan.measure.checked for plan in plans)
    return _SIGNAL_TEST * bool(settings["signal_test"]) + _HALF_SAMPLES * bool(halves)


def count_iterations(plans: Sequence[Method], settings: dict[str, Any]) -> dict[TreePrior, int]:
    """Return the number of iterations for each prior, which is sampled once for all its methods.

    Examples
    --------
    >>> from bayesvc.cli.time_estimate import count_iterations
    >>> from bayesvc.selection.methods import resolve_method
    >>> settings = {"burn_in": 0, "n_draws": 100}
    >>> list(count_iterations([resolve_method("dart-vc")], settings).values())
    [1000]
    """
    from bayesvc.sampling.config import check_lengths

    length = sum(check_lengths(settings["burn_in"], settings["n_draws"])[-1])  # the longest
    found: dict[TreePrior, int] = {}
    for plan in plans:
        prior = plan.prior
        assert prior is not None
        n_iterations = prior.n_iterations(plan.n_replicates + plan.n_permutations, length)
        found[prior] = max(found.get(prior, 0), n_iterations)
    return found


def _seconds_per_iteration(data: ChosenColumns, prior: TreePrior, n_trees: int) -> float:
    import bayesvc as bv
    from bayesvc.responses.encode import encode_y

    pilot = replace(prior.for_prediction(), transform=None)
    if pilot.errors == "auto":  # which would take a chain to decide
        pilot = replace(pilot, errors="gaussian")
    y = encode_y(data.y_or_times, data.response)
    if y.model.needs_linear_model(pilot):  # it takes long where there are many columns
        pilot = replace(pilot, sigma_hat=y.model.spread(y.values))
    draws = bv.sample(
        data.X.select(data.names[:_MOST_COLUMNS]), data.y_or_times, pilot, n_replicates=1,
        n_trees=n_trees, n_draws=1, burn_in=_PILOT_ITERATIONS, random_state=0, n_jobs=1,
        response=data.response,
    )  # fmt: skip
    return float(draws.seconds[0]) / (_PILOT_ITERATIONS + 1)
