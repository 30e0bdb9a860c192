"""The code that reproduces a result."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from bayesvc import priors
from bayesvc._text import counted
from bayesvc.data.dataset import permuted_hash
from bayesvc.draws.draws import Draws
from bayesvc.measures import MEASURES, Measure
from bayesvc.priors.base import TreePrior, prior_to_dict, unusual_settings
from bayesvc.selection.methods import RECIPES, Method
from bayesvc.selection.result import Selection
from bayesvc.thresholds import THRESHOLDS, Threshold

_MOST_WEIGHTS = 50


def selection_code(selection: Selection) -> str:
    """Return Python code that reproduces a selection, given the data.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.report.reproduce import selection_code
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=7)
    >>> print(selection_code(found))  # doctest: +ELLIPSIS
    import bayesvc as bv
    <BLANKLINE>
    # X, y: 100 rows and 3 columns, fingerprint ...
    found = bv.select(
        X,
        y,
        "dart-relevance",
        n_replicates=2,
        n_trees=20,
        burn_in=200,
        n_draws=200,
        random_state=7,
        response="continuous",
    )
    """
    draws, method = selection.draws, selection.method
    if draws.prior is None:
        return _from_draws(selection)
    arguments = _method_arguments(method, draws) + _run_arguments(draws)
    arguments += _order_arguments([selection]) + _signal_arguments(selection)
    if method.measure.checked and not selection.withheld and selection.row_frequency is None:
        arguments.append("row_stability=False")
    own = _own_parts(method)
    return _code(draws, _call("found", "select", ["X", "y", *arguments]), own)


def comparison_code(selections: Mapping[str, Selection]) -> str:
    """Return Python code that reproduces a comparison, given the data.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.reproduce import comparison_code
    >>> draws = bv.Draws.from_counts([[[9, 0, 8]]])
    >>> print(comparison_code({"vc": bv.select_from(draws, measure="vc", threshold="clustering")}))
    import bayesvc as bv
    <BLANKLINE>
    # draws: split counts of 3 variables, 1 replicate with 1 draw each
    vc = bv.select_from(draws, measure="vc", threshold="clustering")
    """
    first = next(iter(selections.values()))
    if first.draws.prior is None:
        head, *_ = _from_draws(first).rpartition("\n")
        calls = [
            f"{name.replace('-', '_')} = {_select_from(found)}"
            for name, found in selections.items()
        ]
        return "\n".join([head, *calls])
    chains = [found.draws for found in selections.values() if found.draws.abc is None]
    draws = chains[0] if chains else first.draws
    names = "[" + ", ".join(f'"{name}"' for name in selections) + "]"
    arguments = [names, *_run_arguments(draws), *_order_arguments(selections.values())]
    arguments += _signal_arguments(first)
    return _code(draws, _call("compared", "compare", ["X", "y", *arguments]))


def prior_code(prior: TreePrior) -> str:
    """Return the call that makes a prior, with the settings that are not the usual ones.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.reproduce import prior_code
    >>> prior_code(bv.DART(a=1.0)), prior_code(bv.BART(moves=(0.3, 0.3, 0.4, 0)))
    ('bv.DART(a=1.0)', 'bv.BART(moves=(0.3, 0.3, 0.4, 0.0, 0.0))')
    """
    kind = prior_to_dict(prior)["kind"]
    settings = []
    for name, value in unusual_settings(prior).items():
        if name == "moves":
            value = value.as_tuple()
        if name == "split_weights" and len(value) > _MOST_WEIGHTS:
            settings.append("split_weights=weights")  # too long to show; the reader has them
            continue
        settings.append(f"{name}={value!r}")
    owner = "bv." if hasattr(priors, kind) else ""
    return f"{owner}{kind}({', '.join(settings)})"


def threshold_code(threshold: Threshold) -> str:
    """Return a threshold as an argument: its name if it has the usual settings.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.report.reproduce import threshold_code
    >>> threshold_code(bv.Permutation("gse")), threshold_code(bv.MedianProbability(0.6))
    ('"gse"', 'bv.MedianProbability(at=0.6)')
    """
    if threshold == THRESHOLDS.get(threshold.name):
        return f'"{threshold.name}"'
    if not THRESHOLDS.is_own(threshold.name):
        return _identifier(threshold.name)
    usual = {field.name: field.default for field in dataclasses.fields(cast(Any, threshold))}
    settings = [
        f"{name}={value!r}" for name, value in threshold.settings().items() if value != usual[name]
    ]
    return f"bv.{type(threshold).__name__}({', '.join(settings)})"


def measure_code(measure: Measure) -> str:
    """Return a measure as an argument: its name, or an identifier if it is the user's own.

    Examples
    --------
    >>> from bayesvc.measures import check_measure
    >>> from bayesvc.report.reproduce import measure_code
    >>> measure_code(check_measure("vip-rank"))
    '"vip-rank"'
    """
    known = measure == MEASURES.get(measure.name)
    return f'"{measure.name}"' if known else _identifier(measure.name)


def _identifier(name: str) -> str:
    """Return what a reader may have called a part of their own."""
    text = re.sub(r"\W", "_", name)
    return text if text.isidentifier() else f"part_{text}"


def _own_parts(method: Method) -> list[str]:
    """Return comments about the parts that are not the package's own."""
    kind = "" if method.prior is None else prior_code(method.prior).partition("(")[0]
    parts = {
        kind: "prior",  # those of the package begin with "bv."
        measure_code(method.measure): f"measure {method.measure.name!r}",
        threshold_code(method.threshold): f"threshold {method.threshold.name!r}",
    }
    return [f"# {code}: your own {what}" for code, what in parts.items() if code.isidentifier()]


def _method_arguments(method: Method, draws: Draws) -> list[str]:
    """Return the method, and those of its parts that are not the method's own."""
    assert draws.prior is not None
    recipe = RECIPES.get(method.name)
    usual = None if recipe is None else recipe.make_prior()
    arguments = [] if recipe is None else [f'"{method.name}"']
    if draws.prior != usual:
        arguments.append(f"prior={prior_code(draws.prior)}")
    if recipe is None:
        arguments.append(f"measure={measure_code(method.measure)}")
    if recipe is None or method.threshold != THRESHOLDS[recipe.threshold]:
        arguments.append(f"threshold={threshold_code(method.threshold)}")
    if not draws.prior.sets_replicates:
        arguments.append(f"n_replicates={draws.n_replicates}")
    if method.n_permutations:
        arguments.append(f"n_permutations={method.n_permutations}")
    return arguments


def _run_arguments(draws: Draws) -> list[str]:
    settings: dict[str, Any] = {"n_trees": draws.n_trees}
    if draws.abc is None:
        settings |= {"burn_in": draws.burn_in, "n_draws": draws.n_draws}
    arguments = [f"{name}={value}" for name, value in settings.items()]
    if draws.random_state is not None:
        arguments.append(f"random_state={draws.random_state}")
    if draws.response is not None:
        arguments.append(f'response="{draws.response}"')
    table = draws.columns
    if table.groups:
        groups = {name: [table.names[j] for j in columns] for name, columns in table.groups}
        arguments.append(f"groups={groups!r}")
    if draws._encoded is not None and draws._encoded.weights is not None:
        arguments.append("sample_weight=row_weights")
    return arguments


def _order_arguments(selections: Iterable[Selection]) -> list[str]:
    """Return the arguments that limited the permutations.

    Of results in earlier files, the hash of the null replicates tells.
    """
    for selection in selections:
        arguments = ["permute_within=blocks"] if selection.in_blocks else []
        arguments += ["time_order=True"] if selection.time_order else []
        if arguments:
            return arguments
        permuted, own = selection.permuted, selection.draws.data_hash
        if permuted is None or own is None or permuted.data_hash == own:
            continue
        shifted = permuted.data_hash == permuted_hash(own, shifts=True)
        return ["time_order=True"] if shifted else ["permute_within=blocks"]
    return []


def _signal_arguments(selection: Selection) -> list[str]:
    if selection.signal is None:
        return ["signal_test=False"]
    usual = selection.method.measure.checked
    return [] if selection.allow_empty == usual else [f"allow_empty={selection.allow_empty}"]


def _call(result: str, function: str, arguments: list[str]) -> str:
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return f"{result} = bv.{function}(\n{lines})"


def _code(draws: Draws, call: str, comments: list[str] | None = None) -> str:
    data = f"# X, y: {draws.n_rows} rows and {len(draws.columns.names)} columns"
    if draws.data_hash is not None:
        data += f", fingerprint {draws.data_hash}"
    if draws.calibration is not None and draws.calibration.about_y is not None:
        data += f"\n# y: a bv.Surv of {draws.calibration.about_y}"
    lines = ["import bayesvc as bv", "", data]
    weights = None if draws.prior is None else draws.prior.split_weights
    if weights is not None and len(weights) > _MOST_WEIGHTS:
        lines.append(f"# weights: {len(weights)} numbers, not shown here")
    if draws.random_state is None:
        lines.append("# The seed is unknown: these replicates are a part of a run.")
    return "\n".join([*lines, *(comments or []), call])


def _from_draws(selection: Selection) -> str:
    draws = selection.draws
    origin = "" if draws.source == "counts" else f"{draws.source}, "
    replicates = counted(draws.n_replicates, "replicate")
    about = (
        f"# draws: split counts of {origin}{draws.n_features} variables, {replicates} with "
        f"{counted(draws.n_draws, 'draw')} each"
    )
    call = f"found = {_select_from(selection)}"
    return "\n".join(["import bayesvc as bv", "", about, *_own_parts(selection.method), call])


def _select_from(selection: Selection) -> str:
    method = selection.method
    arguments = [
        "draws",
        f"measure={measure_code(method.measure)}",
        f"threshold={threshold_code(method.threshold)}",
    ]
    if selection.permuted is not None:
        arguments.append("permuted=permuted")
    return f"bv.select_from({', '.join(arguments)})"
