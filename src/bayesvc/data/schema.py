"""The schema of X: names, categories, missing values and groups of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import quoted
from bayesvc._typing import ColumnName
from bayesvc._validation import check_choice, check_integer, must_be, shown
from bayesvc.data.column_layout import ColumnLayout

MISSING = "missing"

Groups = Mapping[str, Sequence[str | int]]
"""Columns of X, by name or position, that are one variable: by the name of the variable."""

ResolvedGroups = tuple[tuple[str, tuple[int, ...]], ...]
"""Name and column positions of each group."""


@dataclass(frozen=True)
class ColumnSchema:
    """What the numbers of an encoded X stand for, as predictions need to know it.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    categories : mapping from column to labels
        Categories of the categorical columns. The numbers of a column are the positions of its
        labels; missing values, if there are any, are one more category.
    levels : mapping from column to labels
        Categories of the columns with ordered categories, the lowest first.
    missing : frozenset of int
        Columns with missing values.
    groups : tuple of (name, columns)
        Column groups, each of which is one variable.

    Examples
    --------
    >>> from bayesvc.data.schema import ColumnSchema
    >>> schema = ColumnSchema(("a", "b", "c"), groups=(("pair", (0, 2)),))
    >>> schema.variable_names
    ('pair', 'b')
    """

    names: tuple[ColumnName, ...]
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    levels: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    missing: frozenset[int] = frozenset()
    groups: ResolvedGroups = ()

    @property
    def is_plain(self) -> bool:
        """Whether every variable is one column of numbers without missing values."""
        return not (self.categories or self.levels or self.missing or self.groups)

    @cached_property
    def variables(self) -> tuple[tuple[ColumnName, tuple[int, ...]], ...]:
        """Name and columns of each variable; a group is where its first column was."""
        first = {columns[0]: (name, columns) for name, columns in self.groups}
        pooled = {j for _, columns in self.groups for j in columns}
        return tuple(
            first.get(j, (name, (j,)))
            for j, name in enumerate(self.names)
            if j in first or j not in pooled
        )

    @property
    def variable_names(self) -> tuple[ColumnName, ...]:
        """Names of the variables: of the columns, and of the groups."""
        return tuple(name for name, _ in self.variables) if self.groups else self.names

    @property
    def layout(self) -> ColumnLayout:
        """The layout of the columns that the sampler reads."""
        counts: tuple[int, ...] = ()
        if self.categories:
            counts = tuple(len(self.labels(j)) for j in range(len(self.names)))
        pools = tuple(columns for _, columns in self.variables) if self.groups else ()
        if all(len(columns) == 1 for columns in pools):
            pools = ()
        missing = tuple(sorted(j for j in self.missing if j not in self.categories))
        return ColumnLayout(counts, pools, missing)

    def labels(self, j: int) -> tuple[str, ...]:
        """Return the label of each number in a categorical column, none for other columns."""
        known = self.categories.get(j, ())
        if not known or j not in self.missing:
            return known
        return (*known, MISSING if MISSING not in known else f"({MISSING})")

    @cached_property
    def places(self) -> dict[str, int]:
        """The position of each column by its name as text."""
        return {str(name): j for j, name in enumerate(self.names)}

    @cached_property
    def _has_integer_names(self) -> bool:
        return any(isinstance(name, int) for name in self.names)

    def position(self, argument: str, column: Any) -> int:
        """Return the position of a column that is given by name or position.

        An integer is a name if any column has an integer as its name.

        Examples
        --------
        >>> from bayesvc.data.schema import ColumnSchema
        >>> ColumnSchema(("a", "b")).position("features", 1)
        1
        >>> ColumnSchema((7, 1)).position("features", 1)
        1
        >>> ColumnSchema((7, 1)).position("features", 7)
        0
        """
        if isinstance(column, str):
            return self.places[check_choice(argument, column, self.places)]
        if self._has_integer_names:
            if isinstance(column, bool) or str(column) not in self.places:
                wanted = f"one of the column names {quoted(self.names)}"
                raise ValueError(must_be(argument, wanted, shown(column)))
            return self.places[str(column)]
        j = check_integer(argument, column, 0, alternative="the name of a column")
        if j >= len(self.names):
            wanted = f"at most {len(self.names) - 1}, the position of the last column"
            raise ValueError(must_be(argument, wanted, str(j)))
        return j

    def with_groups(self, groups: Groups | ResolvedGroups | None) -> ColumnSchema:
        """Return the schema with these columns grouped; `groups` may be those of another schema."""
        if not groups:
            return self
        if not isinstance(groups, tuple):
            return replace(self, groups=resolve_groups(groups, self))
        last = max(j for _, columns in groups for j in columns)
        if last >= len(self.names):
            raise ValueError(
                f"`X` must have the columns of the fitted data, more than {last}. Got "
                f"{len(self.names)} columns instead. Pass the same columns in the same order."
            )
        return replace(self, groups=groups)

    def part(self, variables: Iterable[int]) -> tuple[ColumnSchema, list[int]]:
        """Return the schema of some variables, in the order given, and their columns here."""
        chosen = [self.variables[k] for k in variables]
        columns = sorted({j for _, own in chosen for j in own})
        place = {j: k for k, j in enumerate(columns)}
        pooled = {name for name, _ in self.groups}
        return ColumnSchema(
            tuple(self.names[j] for j in columns),
            {place[j]: labels for j, labels in self.categories.items() if j in place},
            {place[j]: labels for j, labels in self.levels.items() if j in place},
            frozenset(place[j] for j in self.missing if j in place),
            tuple((n, tuple(place[j] for j in own)) for n, own in chosen if n in pooled),
        ), columns

    @property
    def variable_of(self) -> NDArray[np.intp]:
        """The variable of each column."""
        found = np.empty(len(self.names), dtype=np.intp)
        for k, (_, columns) in enumerate(self.variables):
            found[list(columns)] = k
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as a dict that JSON can hold."""
        return {
            "names": list(self.names),
            "categories": {str(j): list(labels) for j, labels in self.categories.items()},
            "levels": {str(j): list(labels) for j, labels in self.levels.items()},
            "missing": sorted(self.missing),
            "groups": [[name, list(columns)] for name, columns in self.groups],
        }

    @staticmethod
    def from_dict(parts: Mapping[str, Any]) -> ColumnSchema:
        """Return the schema that `to_dict` described."""
        schema = ColumnSchema(
            tuple(name if isinstance(name, int) else str(name) for name in parts["names"]),
            {int(j): tuple(map(str, labels)) for j, labels in parts["categories"].items()},
            {int(j): tuple(map(str, labels)) for j, labels in parts["levels"].items()},
            frozenset(map(int, parts["missing"])),
            tuple((str(name), tuple(map(int, columns))) for name, columns in parts["groups"]),
        )
        pooled = [j for _, columns in schema.groups for j in columns]
        known = {*schema.categories, *schema.levels, *schema.missing, *pooled}
        if not known <= set(range(len(schema.names))) or len(set(pooled)) < len(pooled):
            raise ValueError("the schema of columns contradicts itself")
        return schema


def same_names(names: Sequence[ColumnName], others: Sequence[ColumnName]) -> bool:
    """Return whether names are the same as text, or both those of columns without names.

    Examples
    --------
    >>> from bayesvc.data.schema import same_names
    >>> same_names((3, "b"), ("3", "b")), same_names((0, 1), ("x0", "x1"))
    (True, True)
    """
    if len(names) != len(others):
        return False
    return list(map(str, names)) == list(map(str, others)) or (
        are_default(names) and are_default(others)
    )


def are_default(names: Sequence[ColumnName]) -> bool:
    """Return whether names only number the columns: x0, x1, ... or 0, 1, ..."""
    return tuple(names) in (tuple(range(len(names))), tuple(f"x{j}" for j in range(len(names))))


def resolve_groups(groups: Groups, schema: ColumnSchema) -> ResolvedGroups:
    """Return name and columns of each group, or raise an error that says what is wrong."""
    remedy = "pass a mapping such as {'size': ['length', 'width']}"
    if not isinstance(groups, Mapping):
        raise TypeError(must_be("groups", "a mapping", f"a {type(groups).__name__}", remedy))
    owner: dict[int, str] = {}
    found = []
    for name, given in groups.items():
        if not isinstance(name, str):
            raise TypeError(must_be("groups", "a mapping from text", f"the key {name!r}", remedy))
        columns = [schema.position(f"groups[{name!r}]", one) for one in _several(name, given)]
        for j in columns:
            if j in owner:
                raise ValueError(
                    f"`groups` must hold each column once. Got column {schema.names[j]!r} twice, "
                    f"in {owner[j]!r} and {name!r}, instead. Leave it in one group."
                )
            owner[j] = name
        found.append((name, tuple(sorted(columns))))
    place = schema.places
    taken = [name for name, columns in found if name in place and place[name] not in columns]
    if taken:
        raise ValueError(
            "The name of a group must not be that of a column outside the group. Got "
            f"{quoted(taken)}. Choose another name for the group."
        )
    return tuple(found)


def _several(name: str, given: Any) -> list[Any]:
    columns = [given] if isinstance(given, str) or np.ndim(given) == 0 else list(given)
    if not columns:
        raise ValueError(
            must_be(f"groups[{name!r}]", "at least one column", "none", "leave the group out")
        )
    return columns
