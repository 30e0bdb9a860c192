"""The moves that change a tree, and their probabilities."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bayesvc._text import quoted
from bayesvc._validation import check_number, must_be, shown


@dataclass(frozen=True)
class Moves:
    """Probabilities of the ways to change a tree; they sum to 1.

    Parameters
    ----------
    birth, death : float, default 0.25
        Split a leaf; collapse a split whose children are both leaves. Must be positive.
    change : float, default 0.4
        Give a split a new rule.
    swap : float, default 0.1
        Exchange the rules of a split and of one of its children.
    perturb : float, default 0
        Move the cutpoint of a split to another one nearby, or one category to the other side.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.Moves(birth=0.5, death=0.5, change=0, swap=0).birth
    0.5
    """

    birth: float = 0.25
    death: float = 0.25
    change: float = 0.4
    swap: float = 0.1
    perturb: float = 0.0

    def __post_init__(self) -> None:
        remedy = "pass probabilities that sum to 1, such as (0.25, 0.25, 0.4, 0.1)"
        for name in ("birth", "death"):
            value = check_number(f"moves.{name}", getattr(self, name), least=1e-6, remedy=remedy)
            object.__setattr__(self, name, value)
        for name in ("change", "swap", "perturb"):
            value = check_number(f"moves.{name}", getattr(self, name), least=0, remedy=remedy)
            object.__setattr__(self, name, value)
        total = sum(self.as_tuple())
        if abs(total - 1) > 1e-9:
            got = f"{self.as_tuple()!r} with sum {total:g}"
            raise ValueError(must_be("moves", "probabilities that sum to 1", got, remedy))

    def as_tuple(self) -> tuple[float, float, float, float, float]:
        """Return the probabilities of birth, death, change, swap and perturb."""
        return (self.birth, self.death, self.change, self.swap, self.perturb)

    @classmethod
    def of(cls, moves: MovesLike) -> Moves:
        """Return `moves`, which may also be four or five numbers or a mapping, as a `Moves`."""
        if isinstance(moves, Moves):
            return moves
        names = [field.name for field in dataclasses.fields(cls)]
        if isinstance(moves, Mapping):
            unknown = set(moves) - set(names)
            if unknown:
                got = f"the unknown {quoted(sorted(map(str, unknown)))}"
                raise ValueError(must_be("moves", f"a mapping from {quoted(names)}", got))
            return cls(**{name: moves.get(name, 0.0) for name in names})
        if np.shape(moves) in ((len(names) - 1,), (len(names),)):  # perturb may be left out
            return cls(*moves)
        remedy = "pass (birth, death, change, swap) such as (0.25, 0.25, 0.4, 0.1)"
        wanted = "a bayesvc.Moves, four or five numbers, or a mapping"
        raise TypeError(must_be("moves", wanted, shown(moves), remedy))


MovesLike = Moves | Sequence[float] | Mapping[str, float]

DEFAULT_MOVES = Moves()
