"""Memory that a run will need, checked before it starts."""

from __future__ import annotations

from bayesvc._validation import check_memory

_TREE_BYTES = 400  # of a tree of a few nodes, beside the numbers of its rows


def check_forest_memory(n_trees: int, n_rows: int) -> None:
    """Raise MemoryError if a forest of so many trees is too large."""
    per_tree = _TREE_BYTES + 2 * n_rows
    check_memory(f"n_trees={n_trees}", (n_trees,), per_tree, "use fewer", items="trees")
