"""What is scored: the package's methods with a number of fits, and functions of the user's own."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from bayesvc._validation import check_choice, check_integer
from bayesvc.priors.base import BART, DART, TreePrior
from bayesvc.selection.methods import PRIORS, RECIPES, Method, resolve_method

LREP = (1, 2, 3, 5, 10, 20)
PAPER_METHODS = (
    "dart-vc", "bart-vc", "dart-mpm", "dart-vip-measure", "bart-vip-rank", "bart-vip-local",
    "bart-vip-gse", "bart-vip-gmax", "bart-mi-local", "abc-mpm",
)  # fmt: skip
TRUE_SIGMA = "dart-mpm-true-sigma"
OF_DATA = ("X", "y", "seed")
OF_KEPT = ("kept",)

_HELP = (
    "use a name that `bayesvc recipes` lists, a combination prior/measure/threshold such as "
    "dart/vc/clustering, either with @ and a number of fits, or module:function"
)


@dataclass(frozen=True)
class Entry:
    """A method with its number of fits, or a function ``(X, y, seed) -> mask``.

    `knows_sigma` marks the method whose sigma is fixed at the truth.
    """

    name: str
    method: Method | None = None
    function: str | None = None
    knows_sigma: bool = False

    @property
    def n_replicates(self) -> int:
        """Fits to the data; 0 for ABC and for functions."""
        return 0 if self.method is None else self.method.n_replicates

    @property
    def n_permutations(self) -> int:
        """Fits to permuted responses."""
        return 0 if self.method is None else self.method.n_permutations

    @property
    def key(self) -> tuple[str, int]:
        """What tells it from the other entries of a task."""
        return self.name, self.n_replicates

    def prior(self, noise_sd: float) -> TreePrior:
        """Return the prior of the method, given the true sigma."""
        assert self.method is not None
        assert self.method.prior is not None
        return replace(self.method.prior, sigma=noise_sd) if self.knows_sigma else self.method.prior


def entries_of(
    specs: Iterable[str], lrep: Iterable[int] = (), takes: tuple[str, ...] = OF_DATA
) -> tuple[Entry, ...]:
    """Return the entries that these names ask for.

    Parameters
    ----------
    specs : list of str
        Names of `bayesvc.recipes`; combinations such as "dart/vc/clustering"; both also with a
        number of fits, "dart-vc@5"; "module:function".
    lrep : list of int
        Numbers of fits in addition to the method's own, for methods that permute nothing.
    takes : tuple of str
        What functions are called with.

    Examples
    --------
    >>> from bayesvc.bench.entries import entries_of
    >>> [entry.key for entry in entries_of(["dart-vc", "abc-mpm"], lrep=[1, 2])]
    [('dart-vc', 1), ('dart-vc', 2), ('dart-vc', 10), ('abc-mpm', 0)]
    """
    found: dict[tuple[str, int], Entry] = {}
    lrep = tuple(lrep)
    for spec in specs:
        for entry in _entries(spec, lrep, takes):
            found[entry.key] = entry
    if not found:
        raise ValueError(f"methods is empty; {_HELP}")
    for number in lrep:
        if all(entry.n_replicates != number for entry in found.values()):
            raise ValueError(
                f"lrep={number!r}: none of these methods can take so many fits; ABC, functions and "
                "methods that permute have numbers of their own, and some methods need two fits"
            )
    return tuple(found.values())


def load_function(path: str, takes: tuple[str, ...] = OF_DATA) -> Callable[..., Any]:
    """Return the function at "module:function", or say what is wrong."""
    module_name, _, name = path.partition(":")
    try:
        function = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"method {path!r} cannot be loaded ({error}); name a function of a module that Python "
            "can import from here"
        ) from None
    if not callable(function):
        raise TypeError(f"method {path!r} is no function; {_name_one(takes)}")
    _check_signature(path, function, takes)
    return function  # type: ignore[no-any-return]


def _check_signature(path: str, function: Callable[..., Any], takes: tuple[str, ...]) -> None:
    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except ValueError:  # a builtin that does not tell
        return
    try:
        signature.bind(*takes)
    except TypeError:
        raise TypeError(f"method {path!r} takes {signature}; {_name_one(takes)}") from None


def _name_one(takes: tuple[str, ...]) -> str:
    kept = ", the kept fits by the name of their prior, as in kept['dart'].vc"
    return f"name one that takes ({', '.join(takes)}){kept if takes == OF_KEPT else ''}"


def _entries(spec: Any, lrep: tuple[int, ...], takes: tuple[str, ...]) -> list[Entry]:
    if not isinstance(spec, str) or not spec:
        raise TypeError(f"method {spec!r} is no name; {_HELP}")
    if ":" in spec:
        load_function(spec, takes)
        return [Entry(spec, function=spec)]
    name, _, number = spec.partition("@")
    fixed = None if not number else _number(spec, number)
    method = _method(name, fixed)
    prior, permutes = method.prior, method.n_permutations > 0
    if isinstance(prior, BART | DART):  # as the authors had it
        method = replace(method, prior=replace(prior, sigma_hat="lm-uncorrected"))
    numbers = {method.n_replicates}
    if method.n_replicates > 0 and not permutes and fixed is None:
        more = {check_integer("lrep", number, 1) for number in lrep}
        numbers |= {number for number in more if number >= method.measure.least_fits}
    return [
        Entry(name, replace(method, n_replicates=n), knows_sigma=name == TRUE_SIGMA)
        for n in sorted(numbers)
    ]


def _number(spec: str, text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"method {spec!r}: {text!r} is no number of fits; {_HELP}")
    return int(text)


def _method(name: str, n_replicates: int | None) -> Method:
    if name == TRUE_SIGMA:
        return replace(resolve_method("dart-mpm", n_replicates=n_replicates), name=name)
    if "/" in name:
        parts = name.split("/")
        if len(parts) != 3:
            raise ValueError(f"method {name!r} has {len(parts)} parts instead of 3; {_HELP}")
        prior = PRIORS[check_choice("prior", parts[0], PRIORS)]()
        found = resolve_method(
            prior=prior, measure=parts[1], threshold=parts[2], n_replicates=n_replicates
        )
        return replace(found, name=name)
    known = (*RECIPES, TRUE_SIGMA)
    return resolve_method(check_choice("method", name, known), n_replicates=n_replicates)
