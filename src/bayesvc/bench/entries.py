"""Entries of a study: the package's methods with a number of replicates, and users' functions."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from bayesvc._validation import check_choice, check_integer
from bayesvc.priors import PRIORS, TreePrior
from bayesvc.selection.methods import RECIPES, Method, resolve_method

REPLICATE_COUNTS = (1, 2, 3, 5, 10, 20)
PAPER_METHODS = (
    "dart-vc", "bart-vc", "dart-mpm", "dart-vip-measure", "bart-vip-rank", "bart-vip-local",
    "bart-vip-gse", "bart-vip-gmax", "bart-mi-local", "abc-mpm",
)  # fmt: skip
TRUE_SIGMA = "dart-mpm-true-sigma"
DATA_ARGUMENTS = ("X", "y", "seed")
KEPT_ARGUMENTS = ("kept",)

_HELP = (
    "Use a name that `bayesvc recipes` lists, a combination prior/measure/threshold such as "
    "dart/vc/clustering, either of them with a number of replicates as in dart-vc@5, or "
    "module:function."
)


@dataclass(frozen=True)
class Entry:
    """A method with its number of replicates, or a function ``(X, y, seed) -> mask``.

    `knows_sigma` marks the method whose sigma is fixed at its true value.
    """

    name: str
    method: Method | None = None
    function: str | None = None
    knows_sigma: bool = False

    @property
    def n_replicates(self) -> int:
        """Number of replicates; 0 for ABC and for functions."""
        return 0 if self.method is None else self.method.n_replicates

    @property
    def n_permutations(self) -> int:
        """Number of null replicates, on permuted responses."""
        return 0 if self.method is None else self.method.n_permutations

    @property
    def key(self) -> tuple[str, int]:
        """The name and number of replicates, unique among the entries of a task."""
        return self.name, self.n_replicates

    def prior(self, noise_sd: float) -> TreePrior:
        """Return the prior of the method; `noise_sd` is the true sigma."""
        assert self.method is not None
        assert self.method.prior is not None
        return replace(self.method.prior, sigma=noise_sd) if self.knows_sigma else self.method.prior


def entries_of(
    specs: Iterable[str],
    n_replicates: Iterable[int] = (),
    arguments: tuple[str, ...] = DATA_ARGUMENTS,
) -> tuple[Entry, ...]:
    """Resolve names of methods into entries.

    Parameters
    ----------
    specs : list of str
        Names of `bayesvc.recipes`; combinations such as "dart/vc/clustering"; either of them with
        a number of replicates, "dart-vc@5"; or "module:function".
    n_replicates : list of int
        Numbers of replicates in addition to the default, for methods without null replicates.
    arguments : tuple of str
        Arguments that functions are called with.

    Examples
    --------
    >>> from bayesvc.bench.entries import entries_of
    >>> [entry.key for entry in entries_of(["dart-vc", "abc-mpm"], [1, 2])]
    [('dart-vc', 1), ('dart-vc', 2), ('dart-vc', 10), ('abc-mpm', 0)]
    """
    found: dict[tuple[str, int], Entry] = {}
    counts = tuple(check_integer("n_replicates", count, 1) for count in n_replicates)
    for spec in specs:
        for entry in _entries(spec, counts, arguments):
            found[entry.key] = entry
    if not found:
        raise ValueError(f"`methods` must name at least one method. {_HELP}")
    for count in counts:
        if all(entry.n_replicates != count for entry in found.values()):
            raise ValueError(
                "`n_replicates` must be possible for at least one of the methods. Got "
                f"n_replicates={count} instead. ABC, functions and methods with null replicates "
                "have fixed numbers, and some methods need at least two replicates."
            )
    return tuple(found.values())


def load_function(path: str, arguments: tuple[str, ...] = DATA_ARGUMENTS) -> Callable[..., Any]:
    """Import the function "module:function" and check that it takes these arguments."""
    module_name, _, name = path.partition(":")
    try:
        function = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"Method {path!r} cannot be imported: {error}. Name a function in a module that Python "
            "can import from the current folder."
        ) from None
    if not callable(function):
        raise TypeError(
            f"Method {path!r} must be a function{_with_arguments(arguments)}. "
            f"Got {type(function).__name__} instead."
        )
    _check_signature(path, function, arguments)
    return function  # type: ignore[no-any-return]


def _check_signature(path: str, function: Callable[..., Any], arguments: tuple[str, ...]) -> None:
    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except ValueError:  # a builtin that does not tell
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        raise TypeError(
            f"Method {path!r} must be a function{_with_arguments(arguments)}. "
            f"Got a function of {signature} instead."
        ) from None


def _with_arguments(arguments: tuple[str, ...]) -> str:
    kept = ", where kept maps the name of a prior to its tallies, as in kept['dart'].vc"
    return f" of ({', '.join(arguments)}){kept if arguments == KEPT_ARGUMENTS else ''}"


def _entries(spec: Any, counts: tuple[int, ...], arguments: tuple[str, ...]) -> list[Entry]:
    if not isinstance(spec, str) or not spec:
        raise TypeError(f"A method must be named by a string. Got {spec!r} instead. {_HELP}")
    if ":" in spec:
        load_function(spec, arguments)
        return [Entry(spec, function=spec)]
    name, _, number = spec.partition("@")
    fixed = None if not number else _number(spec, number)
    method = _method(name, fixed)
    prior, permutes = method.prior, method.n_permutations > 0
    if prior is not None and prior.sampler == "chain":  # the authors' estimate
        method = replace(method, prior=replace(prior, sigma_hat="lm-uncorrected"))
    numbers = {method.n_replicates}
    if method.n_replicates > 0 and not permutes and fixed is None:
        numbers |= {count for count in counts if count >= method.measure.min_replicates}
    return [
        Entry(name, replace(method, n_replicates=n), knows_sigma=name == TRUE_SIGMA)
        for n in sorted(numbers)
    ]


def _number(spec: str, text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(
            "The number of replicates after @ must be a positive integer, as in dart-vc@5. "
            f"Got {spec!r} instead."
        )
    return int(text)


def _method(name: str, n_replicates: int | None) -> Method:
    if name == TRUE_SIGMA:
        return replace(resolve_method("dart-mpm", n_replicates=n_replicates), name=name)
    if "/" in name:
        parts = name.split("/")
        if len(parts) != 3:
            raise ValueError(
                "A combination must have three parts, prior/measure/threshold. "
                f"Got {name!r} instead. {_HELP}"
            )
        prior = PRIORS[check_choice("prior", parts[0], PRIORS)]()
        found = resolve_method(
            prior=prior, measure=parts[1], threshold=parts[2], n_replicates=n_replicates
        )
        return replace(found, name=name)
    known = (*RECIPES, TRUE_SIGMA)
    return resolve_method(check_choice("method", name, known), n_replicates=n_replicates)
