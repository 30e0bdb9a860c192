"""`select` and `compare`: from data to the variables that matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from bayesvc._typing import FloatArray, PathLike
from bayesvc._validation import check_choice, check_flag, check_number
from bayesvc.data.dataset import Dataset
from bayesvc.data.frames import frame_kind, series_name
from bayesvc.data.schema import Groups
from bayesvc.draws.draws import Draws
from bayesvc.exceptions import issue_warnings
from bayesvc.measures import Measure
from bayesvc.priors.base import TreePrior
from bayesvc.responses.base import Response
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import check_sampling_config
from bayesvc.sampling.progress import ProgressCallback
from bayesvc.selection.comparison import Comparison
from bayesvc.selection.data_notes import with_data_notes
from bayesvc.selection.half_samples import can_repeat, half_sample_frequency
from bayesvc.selection.methods import RECIPES, Goal, Method, resolve_method
from bayesvc.selection.notes import notes_on_result, shared_notes
from bayesvc.selection.result import Selection
from bayesvc.selection.run import (
    make_selection,
    run_signal_test,
    sample_methods,
    sample_until_selection_is_stable,
    with_lengths,
)
from bayesvc.thresholds import Threshold


def select(
    X: Any,
    y: Any,
    method: str | None = None,
    *,
    goal: Goal | None = None,
    prior: TreePrior | None = None,
    measure: str | Measure | Callable[[Draws], Any] | None = None,
    threshold: str | Threshold | Callable[[FloatArray], Any] | None = None,
    n_replicates: int | Literal["auto"] | None = None,
    n_permutations: int | None = None,
    n_trees: int = 20,
    burn_in: int | Literal["auto"] | None = None,
    n_draws: int | Literal["auto"] | None = None,
    random_state: Any = None,
    n_jobs: int | None = -1,
    progress: bool | ProgressCallback | None = None,
    response: str | Response = "auto",
    checkpoint: PathLike | None = None,
    groups: Groups | None = None,
    sample_weight: Any = None,
    permute_within: Any = None,
    time_order: bool = False,
    signal_test: bool = True,
    allow_empty: bool | None = None,
    row_stability: bool | None = None,
    max_seconds: float | None = None,
) -> Selection:
    """Select the columns of X that are predictive of y.

    Parameters
    ----------
    X : array, data frame, lazy frame of polars or sparse matrix (n_rows, n_features)
        The columns: numbers, booleans or categories (text and categorical types of pandas, polars
        and pyarrow). Missing values are allowed. A categorical column is one variable.
    y : array, series, list or Surv (n_rows,)
        Response: numbers, or two classes (probit model): text, booleans, or 0 and 1. For any other
        two numbers pass ``response="binary"``. Survival times, some of them censored, are a `Surv`,
        or a structured array like those of scikit-survival. A pandas series, or a `Surv` of some,
        is matched to a pandas X by index.
    method : str, optional
        Name of a method; `bayesvc.recipes` lists them. By default "dart-relevance".
    goal : {"balanced", "paper", "quick", "screening", "confirmatory"}, optional
        Picks the method; the result says which and why.
    prior : TreePrior, optional
        Settings of the prior, such as ``BART(k=3)``. It must be of the kind that `method` uses.
        Without `method` it replaces the prior of the default method or of the goal.
    measure : str, Measure or callable, optional
        Replaces the measure of the method: "vip", "mi", "vc", "mpvip", "relevance", "vip-rank",
        "vc-rank", "vc-measure" or "vip-measure"; an object (see `bayesvc.measures.Measure`); or a
        function of draws that returns an array of shape (n_features,) or (n_features, n_columns).
    threshold : str, Threshold or callable, optional
        Replaces the threshold of the method: "local", "gse", "gmax", "median-probability",
        "most-probable", "fdr" or "clustering"; an object such as ``FDR(0.05)`` or
        ``Permutation("gse", alpha=0.1)`` (see `bayesvc.thresholds.Threshold`); or a function from
        the importance to a boolean mask.
    n_replicates : int or "auto", optional
        Number of replicates (independent chains); by default as many as in the paper. "auto" adds
        replicates until four in a row have left the selection unchanged, up to 40.
    n_permutations : int, optional
        Number of replicates on permuted responses; by default as many as in the paper.
    n_trees : int, default 20
    burn_in, n_draws : int or "auto", optional
        Iterations discarded and draws kept per replicate, 5000 each by default. `SpikeForest` has
        its own `burn_in` (200) and no use for `n_draws`. "auto" tries 1000, 2000 and 5000 on the
        first four replicates, and stops at the first length at which the split counts of the two
        halves of their draws agree; all replicates then have that length.
    random_state, n_jobs, progress, response, checkpoint
        As in `bayesvc.sample`.
    groups, sample_weight : optional
        As in `bayesvc.sample`: columns that form one variable, selected or not as a whole; and the
        precision of each row's response.
    permute_within : array (n_rows,), optional
        A label for each row, such as its site or day. Responses, together with their weights, are
        then permuted only among rows with the same label, so that differences between the blocks
        do not count as evidence.
    time_order : bool, default False
        Whether the rows are in time order. Instead of permutations of y, circular shifts are
        used then, within the blocks of `permute_within` if there are any, so that what neighbours
        in time have in common does not count as evidence. It concerns the signal test and null
        replicates; the model still treats rows as independent.
    signal_test : bool, default True
        Also test whether y depends on X at all, by rank correlations and by chains that predict
        rows which they were not fitted to; see ``selection.signal``. It takes 10 to 30 % of the
        time of the chains themselves.
    allow_empty : bool, optional
        Select nothing unless that test finds evidence of signal. By default True with the measure
        "relevance", as in the default method, and False with others, which select as in the paper.
        If it is False, methods with clustering or the threshold "most-probable" always select at
        least one variable.
    row_stability : bool, optional
        Also repeat the selection on 16 half-samples of the rows, with short chains: see
        ``selection.row_frequency``. It takes about half of the time of the chains themselves. By
        default True with the measure "relevance", except for tables of fewer than 20 rows or more
        than 20 million cells. `bayesvc.row_stability` does more.
    max_seconds : float, optional
        With ``n_replicates="auto"``: start no further replicates after this time.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 6))
    >>> y = 10 * X[:, 1] + 5 * X[:, 4] ** 2
    >>> found = bv.select(X, y, n_replicates=3, burn_in=300, n_draws=300, random_state=0)
    >>> found.selected
    array([1, 4])

    A column of categories is one variable, and values may be missing:

    >>> import pandas as pd
    >>> table = pd.DataFrame(X[:, :4], columns=["age", "dose", "height", "weight"])
    >>> table["site"] = list("abcd") * 25
    >>> y = 10 * table["age"] + table["site"].map({"a": 0, "b": 20, "c": 5, "d": 12})
    >>> table.loc[::20, "age"] = np.nan
    >>> found = bv.select(table, y, n_replicates=3, burn_in=300, n_draws=300, random_state=0)
    >>> found.names
    ['age', 'site']
    """
    auto = _check_auto(n_replicates, max_seconds)
    plan = resolve_method(
        method, goal=goal, prior=prior, measure=measure, threshold=threshold,
        n_replicates=None if auto else n_replicates, n_permutations=n_permutations,
    )  # fmt: skip
    checks = _resolve_checks(plan, signal_test, allow_empty, row_stability)
    assert plan.prior is not None
    plan.prior.reject_arguments(
        n_draws=n_draws, sample_weight=sample_weight, n_replicates="auto" if auto else None
    )
    config = check_sampling_config(
        n_trees, burn_in, n_draws, random_state, n_jobs, progress, checkpoint
    )
    plan = replace(plan, prior=plan.prior.with_burn_in(burn_in))
    if not signal_test:
        _check_permutes([plan], permute_within, time_order)
    data = read_dataset(
        X,
        y,
        response,
        groups=groups,
        sample_weight=sample_weight,
        permute_within=permute_within,
        time_order=check_flag("time_order", time_order),
        n_jobs=config.n_jobs,
    )
    stopping = None
    if auto:
        sampled, stopping = sample_until_selection_is_stable(data, plan, config, max_seconds)
        plan = replace(plan, n_replicates=stopping.n_replicates)
    else:
        sampled = sample_methods(data, [plan], config)
    assert plan.prior is not None
    if config.shorter:
        stopping = with_lengths(stopping, sampled[plan.prior].draws, config)
    signal = run_signal_test(data, [plan], sampled, config) if signal_test else None
    found = make_selection(
        plan, sampled, data, frame_kind(X), signal, allow_empty=checks[0], target=series_name(y)
    )
    if checks[1] and not found.withheld:
        frequency = half_sample_frequency(data, plan, found.draws, config)
        found = replace(found, row_frequency=frequency)
    (found,) = with_data_notes([replace(found, stopping=stopping)], data, response)
    issue_warnings(notes_on_result(found))
    return found


def compare(
    X: Any,
    y: Any,
    methods: str | Sequence[str] = "all",
    *,
    n_trees: int = 20,
    burn_in: int | Literal["auto"] | None = None,
    n_draws: int | Literal["auto"] | None = None,
    random_state: Any = None,
    n_jobs: int | None = -1,
    progress: bool | ProgressCallback | None = None,
    response: str | Response = "auto",
    checkpoint: PathLike | None = None,
    groups: Groups | None = None,
    sample_weight: Any = None,
    permute_within: Any = None,
    time_order: bool = False,
    signal_test: bool = True,
    allow_empty: bool | None = None,
) -> Comparison:
    """Apply several methods to the same replicates: each prior is sampled once.

    Parameters
    ----------
    X, y
        As in `select`.
    methods : "all" or list of str
        Names of `bayesvc.recipes`.
    n_trees, burn_in, n_draws, random_state, n_jobs, progress, response, checkpoint
        As in `select`, except that `burn_in` does not apply to `SpikeForest`. Each method gives
        the same result as `select` with the same `random_state`.
    groups, sample_weight, permute_within, time_order : optional
        As in `select`. With `sample_weight` leave out the methods of `SpikeForest` ("abc-...").
    signal_test, allow_empty : optional
        As in `select`; the test is the same for all methods.

    Returns
    -------
    Comparison
        A mapping from the names to `Selection`.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 5))
    >>> y = 10 * X[:, 1]
    >>> both = bv.compare(X, y, ["dart-vc", "dart-mpm"], burn_in=300, n_draws=300, random_state=0)
    >>> both["dart-mpm"].names
    ['x1']
    """
    plans = [resolve_method(name) for name in _check_names(methods)]
    config = check_sampling_config(
        n_trees, burn_in, n_draws, random_state, n_jobs, progress, checkpoint
    )
    if sample_weight is not None:
        _refuse_weighted_abc(plans)
    checks = [_resolve_checks(plan, signal_test, allow_empty, False) for plan in plans]
    if not signal_test:
        _check_permutes(plans, permute_within, time_order)
    data = read_dataset(
        X,
        y,
        response,
        groups=groups,
        sample_weight=sample_weight,
        permute_within=permute_within,
        time_order=check_flag("time_order", time_order),
        n_jobs=config.n_jobs,
    )
    _refuse_incompatible(plans, data)
    sampled = sample_methods(data, plans, config)
    signal = run_signal_test(data, plans, sampled, config) if signal_test else None
    frame, target = frame_kind(X), series_name(y)
    every = [
        make_selection(plan, sampled, data, frame, signal, allow_empty=empty, target=target)
        for plan, (empty, _) in zip(plans, checks, strict=True)
    ]
    found = {one.method.name: one for one in with_data_notes(every, data, response)}
    issue_warnings(shared_notes(found))
    return Comparison(found, frame)


def _check_names(methods: Any) -> list[str]:
    """Return the names of the methods to compare."""
    must = "`methods` must be 'all' or a list of names of bayesvc.recipes."
    if isinstance(methods, str):
        check_choice("methods", methods, (*RECIPES, "all"))
        return list(RECIPES) if methods == "all" else [methods]
    try:
        names = list(methods)
    except TypeError:
        raise TypeError(f"{must} Got {methods!r} instead.") from None
    if not names:
        raise ValueError(f"{must} Got an empty list instead.")
    return [check_choice(f"methods[{i}]", name, RECIPES) for i, name in enumerate(names)]


def _refuse_weighted_abc(plans: Sequence[Method]) -> None:
    without = [
        plan.name
        for plan in plans
        if plan.prior is not None and "sample_weight" not in plan.prior.unsupported
    ]
    if len(without) < len(plans):
        raise ValueError(
            "`sample_weight` is not compatible with the methods of SpikeForest, whose discrepancy "
            f"gives all rows the same weight. Leave these methods out: methods={without!r}."
        )


def _refuse_incompatible(plans: Sequence[Method], data: Dataset) -> None:
    """Raise ValueError if the response is not compatible with some of several methods."""
    fitting, why = [], ""
    for plan in plans:
        try:
            if plan.prior is not None:
                data.y.model.check_prior(plan.prior)
            fitting.append(plan.name)
        except ValueError as error:
            why = str(error)
    if 0 < len(fitting) < len(plans):
        raise ValueError(f"{why} Of `methods` these are compatible: {fitting!r}.")


def _check_permutes(plans: Sequence[Method], permute_within: Any, time_order: Any) -> None:
    if any(plan.n_permutations for plan in plans) or (permute_within is None and not time_order):
        return
    names = ", ".join(repr(plan.name) for plan in plans)
    argument = "time_order" if permute_within is None else "permute_within"
    raise ValueError(
        f"`{argument}` must not be given with signal_test=False and method {names}, because "
        "nothing is permuted then. Leave it out, or use a method that permutes responses, such as "
        "'bart-vip-gse'."
    )


def _check_auto(n_replicates: Any, max_seconds: Any) -> bool:
    """Tell whether replicates are added until the selection is stable."""
    auto = isinstance(n_replicates, str)
    if auto and n_replicates != "auto":
        raise ValueError(
            f"`n_replicates` must be a positive integer or 'auto'. Got {n_replicates!r} instead."
        )
    if max_seconds is not None:
        if not auto:
            raise ValueError(
                "`max_seconds` must not be given unless n_replicates='auto', which it limits. Got "
                f"{max_seconds!r} with n_replicates={n_replicates!r} instead."
            )
        check_number("max_seconds", max_seconds, above=0)
    return auto


def _resolve_checks(
    plan: Method, signal_test: Any, allow_empty: Any, row_stability: Any
) -> tuple[bool, bool]:
    """Return whether the selection may be empty, and whether to repeat it on half-samples."""
    check_flag("signal_test", signal_test)
    repeatable = can_repeat(plan)
    if row_stability is None:
        row_stability = plan.measure.checked and repeatable
    elif check_flag("row_stability", row_stability) and not repeatable:
        raise ValueError(
            f"`row_stability` must be False with method {plan.name!r}, which cannot be repeated "
            "with short chains. Got True instead. Use the function bayesvc.row_stability."
        )
    if allow_empty is None:
        return plan.measure.checked and signal_test, row_stability
    if check_flag("allow_empty", allow_empty) and not signal_test:
        raise ValueError(
            "`signal_test` must be True with allow_empty=True, which selects nothing unless the "
            "signal test finds evidence of signal. Got False instead."
        )
    return allow_empty, row_stability
