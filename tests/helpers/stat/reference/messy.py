"""Data with missing values, categories, groups of columns and weights of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.helpers.stat.reference.trees import Cut, Data, Rows


@dataclass(frozen=True)
class Coding:
    """One way to code a column: by rank, or by category."""

    codes: NDArray[np.int64]
    n_categories: int = 0

    def left(self, rows: Rows, cut: int) -> list[bool]:
        """Whether each row goes left."""
        codes = self.codes[list(rows)].tolist()
        if self.n_categories:
            return [bool(cut >> code & 1) for code in codes]
        return [code <= cut for code in codes]

    def cuts(self, rows: Rows, min_rows: int) -> list[int]:
        """The cuts that leave enough rows on both sides."""
        choices = (
            range(2**self.n_categories)
            if self.n_categories
            else sorted(set(self.codes[list(rows)].tolist()))
        )
        return [
            cut for cut in choices if min_rows <= sum(self.left(rows, cut)) <= len(rows) - min_rows
        ]


class MessyData(Data):
    """Rules as docs/theory defines them: column, place of missing values, cut, each uniform.

    Categories are the numbers 0 to `n_categories` - 1; a cut is `(coding, cut)`, or a number alone
    where the variable is one complete ordered column.
    """

    def __init__(
        self,
        X: NDArray[np.float64],
        min_samples_leaf: int = 1,
        n_categories: Sequence[int] = (),
        groups: Sequence[Sequence[int]] = (),
        row_weights: Sequence[float] = (),
    ) -> None:
        self.X = np.asarray(X, dtype=float)
        self.n, n_columns = self.X.shape
        self.min_samples_leaf = min_samples_leaf
        self.layout = {
            "n_categories": list(n_categories) or [0] * n_columns,
            "groups": [list(group) for group in groups] or [[j] for j in range(n_columns)],
        }
        self.row_weights = np.array(row_weights) if len(row_weights) else np.ones(self.n)
        self.codings: list[Coding] = []
        by_column = [self._add_codings(j) for j in range(n_columns)]
        self.columns = [[by_column[j] for j in group] for group in self.layout["groups"]]
        self.p = len(self.columns)
        self.all_rows = tuple(range(self.n))
        self._rules: dict[tuple[Rows, int], dict[Cut, float]] = {}

    def _add_codings(self, column: int) -> list[int]:
        values, first = self.X[:, column], len(self.codings)
        n_categories = self.layout["n_categories"][column]
        missing = np.isnan(values)
        if n_categories:
            self.codings.append(Coding(values.astype(int), n_categories))
        elif missing.any():
            for place in (-np.inf, np.inf):
                filled = np.where(missing, place, values)
                self.codings.append(Coding(np.unique(filled, return_inverse=True)[1]))
            self.codings.append(Coding(np.where(missing, 0, 1)))
        else:
            self.codings.append(Coding(np.unique(values, return_inverse=True)[1]))
        return list(range(first, len(self.codings)))

    def _is_plain(self, variable: int) -> bool:
        columns = self.columns[variable]
        return len(columns) == len(columns[0]) == 1 and not self.codings[columns[0][0]].n_categories

    def rules(self, rows: Rows, variable: int) -> dict[Cut, float]:
        """Every admissible cut and its prior probability."""
        key = (rows, variable)
        if key not in self._rules:
            usable = []
            for column in self.columns[variable]:
                cuts = {k: self.codings[k].cuts(rows, self.min_samples_leaf) for k in column}
                usable.append({k: found for k, found in cuts.items() if found})
            usable = [column for column in usable if column]
            plain = self._is_plain(variable)
            self._rules[key] = {
                cut if plain else (k, cut): 1.0 / (len(usable) * len(column) * len(cuts))
                for column in usable
                for k, cuts in column.items()
                for cut in cuts
            }
        return self._rules[key]

    def cuts(self, rows: Rows, variable: int) -> tuple[Cut, ...]:
        return tuple(self.rules(rows, variable))

    def log_cut(self, rows: Rows, variable: int, cut: Cut) -> float:
        return float(np.log(self.rules(rows, variable)[cut]))

    def eligible(self, rows: Rows) -> tuple[int, ...]:
        return tuple(j for j in range(self.p) if self.rules(rows, j))

    def _split(self, rows: Rows, variable: int, cut: Cut) -> tuple[Rows, Rows]:
        coding, at = self._parts(variable, cut)
        goes_left = dict(zip(rows, coding.left(rows, at), strict=True))
        left = tuple(i for i in rows if goes_left[i])
        return left, tuple(i for i in rows if not goes_left[i])

    def coding_of(self, variable: int, cut: Cut) -> tuple[int, NDArray[np.int64], int]:
        number = cut[0] if isinstance(cut, tuple) else self.columns[variable][0][0]
        return number, self.codings[number].codes, self.codings[number].n_categories

    def canonical_cut(self, left_rows: Rows, variable: int, cut: Cut) -> Cut:
        coding, _ = self._parts(variable, cut)
        if coding.n_categories:
            return cut
        seen = int(max(coding.codes[list(left_rows)]))
        return (cut[0], seen) if isinstance(cut, tuple) else seen

    def _parts(self, variable: int, cut: Cut) -> tuple[Coding, int]:
        number = self.coding_of(variable, cut)[0]
        return self.codings[number], cut[1] if isinstance(cut, tuple) else cut
