"""What a measure is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bayesvc._typing import FloatArray
from bayesvc.measures._tally import _tally


@dataclass(frozen=True)
class Measure:
    """A measure as methods name it.

    Attributes
    ----------
    name, label : str
        In recipes, and in text.
    shape : {"scores", "ranks", "matrix"}
        One number per variable of which high ones are good, or low ones, or a row per variable.
    n_columns : int
    tally : str
        The array of the draws that the measure summarises.
    compute : callable
        From draws to the values.
    is_probability : bool
    least_fits : int
        How many fits it takes to compute the measure.
    priors : tuple of str
        Whose fits it can judge.
    alone : callable, optional
        What each fit says alone, where that is no tally of the draws.
    """

    name: str
    label: str
    shape: Literal["scores", "ranks", "matrix"]
    n_columns: int
    tally: str
    compute: Callable[[object], FloatArray]
    is_probability: bool = False
    least_fits: int = 1
    priors: tuple[str, ...] = ("bart", "dart", "abc")
    alone: Callable[[object], FloatArray] | None = None

    def per_fit(self, draws: object) -> FloatArray:
        """Return what is summarised, or what each fit says alone: (n_replicates, n_features)."""
        return _tally(draws, self.tally) if self.alone is None else self.alone(draws)
