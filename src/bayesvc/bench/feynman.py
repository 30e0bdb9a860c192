"""The 100 equations of the paper's study, with fresh data or the authors' own data."""

from __future__ import annotations

import csv
import difflib
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from bayesvc._typing import FloatArray
from bayesvc._validation import check_integer, check_number
from bayesvc.bench import authors_data
from bayesvc.bench.formula import Formula
from bayesvc.bench.known_answer import BenchProblem, check_size, check_snr, generator, with_noise

IRRELEVANT_PER_VARIABLE = 50
_ROWS_FOR_SD = 100_000


@dataclass(frozen=True)
class Equation:
    """A formula and the ranges of its variables.

    Parameters
    ----------
    name, formula : str
    ranges : mapping from str to (low, high)
        Each variable is uniform between low and high.
    equiv_class : str
        Equations of the same class are equal up to scaling and the names of variables.

    Examples
    --------
    >>> from bayesvc.bench.feynman import Equation
    >>> Equation("mine", "a * sin(b)", {"a": (1, 2), "b": (0, 3)}).variables
    ('a', 'b')
    """

    name: str
    formula: str
    ranges: Mapping[str, tuple[float, float]]
    equiv_class: str = ""

    def __post_init__(self) -> None:
        checked: dict[str, tuple[float, float]] = {}
        ranges: Any = self.ranges
        if not isinstance(ranges, Mapping) or not ranges:
            raise TypeError(
                "`ranges` must map variables to bounds, as in {'a': (1, 2)}. "
                f"Got {ranges!r} instead."
            )
        for name, bounds in ranges.items():
            if np.shape(bounds) != (2,):
                raise ValueError(
                    f"`ranges[{name!r}]` must be two numbers (low, high). Got {bounds!r} instead."
                )
            low = check_number(f"ranges[{name!r}][0]", bounds[0], remedy="pass a finite number")
            remedy = f"pass a finite number above the lower one, {low:g}"
            high = check_number(f"ranges[{name!r}][1]", bounds[1], above=low, remedy=remedy)
            checked[name] = (low, high)
        object.__setattr__(self, "ranges", checked)
        object.__setattr__(self, "_function", Formula(self.formula, tuple(checked)))

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables, in the order of the relevant columns."""
        return tuple(self.ranges)

    def signal(self, relevant: FloatArray) -> FloatArray:
        """Evaluate the formula at the rows of `relevant`.

        Raises
        ------
        ValueError
            If a value is not finite.
        """
        function: Formula = self._function  # type: ignore[attr-defined]
        found = function(**dict(zip(self.variables, relevant.T, strict=True)))
        found = np.broadcast_to(found, len(relevant)).astype(np.float64)
        if not np.isfinite(found).all():
            row = int(np.flatnonzero(~np.isfinite(found))[0])
            where = ", ".join(
                f"{n}={v:g}" for n, v in zip(self.variables, relevant[row], strict=True)
            )
            raise ValueError(
                f"`formula` must be finite within the ranges. Got {self.formula!r} instead, which "
                f"is {found[row]} at {where}. Narrow the ranges."
            )
        return found

    def draw(self, rng: np.random.Generator, n: int, copies: int = 1) -> FloatArray:
        """Draw `copies` columns for each variable, those of a variable next to each other."""
        blocks = [rng.uniform(*bounds, size=(n, copies)) for bounds in self.ranges.values()]
        return np.concatenate(blocks, axis=1)

    def __hash__(self) -> int:
        return hash((self.name, self.formula, tuple(self.ranges.items())))


@lru_cache(maxsize=1)
def equations() -> dict[str, Equation]:
    """Return the study's equations by name.

    Examples
    --------
    >>> from bayesvc.bench import feynman
    >>> len(feynman.equations())
    100
    >>> feynman.equations()["feynman_I_12_1"].formula
    'mu*Nn'
    """
    text = (files("bayesvc.bench") / "data" / "feynman.csv").read_text()
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        ranges = {}
        for variable in row["variables"].split():
            name, low, high = variable.split(":")
            ranges[name] = (float(low), float(high))
        found[row["name"]] = Equation(row["name"], row["formula"], ranges, row["equiv_class"])
    return found


def equation(name: Any) -> Equation:
    """Look up an equation by name, such as "II.11.17" or "feynman_II_11_17".

    Examples
    --------
    >>> from bayesvc.bench import feynman
    >>> feynman.equation("I.12.1").variables
    ('mu', 'Nn')
    """
    known = equations()
    full = name
    if isinstance(name, str) and not name.startswith("feynman_"):
        full = "feynman_" + name.replace(".", "_")
    if not isinstance(full, str) or full not in known:
        close = difflib.get_close_matches(str(full), known, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            "`name` must be an equation of the study, as listed by "
            f"bayesvc.bench.feynman.equations(). Got {name!r} instead.{hint}"
        )
    return known[full]


def load(
    name: str | Equation,
    n: int,
    snr: float = math.inf,
    seed: int = 0,
    *,
    n_irrelevant: int = IRRELEVANT_PER_VARIABLE,
) -> BenchProblem:
    """Draw a fresh problem from an equation.

    Parameters
    ----------
    name : str or Equation
        One of `equations`, or an equation of your own.
    n : int
        Number of rows.
    snr : float
        Variance of the signal over that of the noise; inf for no noise.
    seed : int
    n_irrelevant : int, default=50
        Number of irrelevant columns drawn from the distribution of each relevant one.

    Returns
    -------
    BenchProblem
        A named tuple that begins with X, y and the relevant columns.

    Examples
    --------
    >>> from bayesvc.bench import feynman
    >>> problem = feynman.load("II.11.17", n=200, snr=1, seed=3)
    >>> problem.X.shape
    (200, 306)
    """
    law = name if isinstance(name, Equation) else equation(name)
    n, snr = check_size(n), check_snr(snr)
    n_irrelevant = check_integer("n_irrelevant", n_irrelevant, 0)
    rng = generator(law.name, seed)
    relevant = law.draw(rng, n)
    irrelevant = law.draw(rng, n, n_irrelevant)
    irrelevant = irrelevant[:, rng.permutation(irrelevant.shape[1])]
    y, noise_sd = with_noise(law.signal(relevant), _signal_sd(law), snr, rng)
    return _problem(law, np.hstack([relevant, irrelevant]), y, noise_sd)


def load_authors(name: str, n: int, snr: float = math.inf, seed: int = 860) -> BenchProblem:
    """Regenerate the training set that the paper's authors used.

    Parameters
    ----------
    name : str
        One of `equations`.
    n : int
        Number of rows, up to 75,000. A smaller set is the beginning of a larger one.
    snr : float
        Variance of the signal over that of the noise; inf for no noise.
    seed : int
        Seed; the authors used 11284, 11964, 15795, 21575, 22118, 23654, 29802, 5390, 6265 and 860.

    Returns
    -------
    BenchProblem
        A named tuple that begins with X, y and the relevant columns.

    Examples
    --------
    >>> from bayesvc.bench import feynman
    >>> problem = feynman.load_authors("I.12.1", n=500, snr=1, seed=860)
    >>> problem.X.shape
    (500, 102)
    """
    law = equation(name)
    n, snr = check_size(n, authors_data.TRAINING_ROWS), check_snr(snr)
    seed = check_integer("seed", seed, 0, "Pass one of the authors' seeds, such as 860.")
    if seed >= 2**32:
        raise ValueError(f"`seed` must be at most {2**32 - 1}. Got {seed} instead.")
    rows, noise = authors_data.rows_and_noise(n, seed, noisy=math.isfinite(snr))
    pool, X = authors_data.columns(tuple(law.ranges.values()), _place(law.name), rows)
    signal = law.signal(pool)
    noise_sd = 0.0 if math.isinf(snr) else float(np.std(signal)) / math.sqrt(snr)
    return _problem(law, X, signal[rows] + noise * noise_sd, noise_sd)


def _place(name: str) -> tuple[tuple[int, ...], int]:
    """Return the numbers of variables of all equations, and the index of this one."""
    return tuple(len(law.ranges) for law in equations().values()), list(equations()).index(name)


@lru_cache(maxsize=256)
def _signal_sd(law: Equation) -> float:
    rng = generator(law.formula, 0)
    return float(np.std(law.signal(law.draw(rng, _ROWS_FOR_SD))))


def _problem(law: Equation, X: FloatArray, y: FloatArray, noise_sd: float) -> BenchProblem:
    p0 = len(law.variables)
    names = law.variables + tuple(f"irrelevant_{j}" for j in range(1, X.shape[1] - p0 + 1))
    return BenchProblem(X, y, np.arange(p0), names, noise_sd, law.name)
