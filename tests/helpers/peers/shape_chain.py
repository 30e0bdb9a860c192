"""The birth/death chain on tree shapes with the likelihood switched off, solved exactly.

With continuous columns the rules do not matter, so the chain is a small Markov chain on shapes.
Its stationary mean number of splits is 1.5087 for the right acceptance ratio. With stochtree's
ratio it is what stochtree must show if the ratio has been read correctly.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, lil_matrix

Shape = frozenset[int]  # heap indices of the internal nodes; the root is 1

GAMMA, BETA = 0.95, 2.0


def split_probability(node: int) -> float:
    return GAMMA * float(node.bit_length()) ** -BETA


def leaves(shape: Shape) -> list[int]:
    if not shape:
        return [1]
    return [child for i in shape for child in (2 * i, 2 * i + 1) if child not in shape]


def prunable(shape: Shape) -> list[int]:
    return [i for i in shape if 2 * i not in shape and 2 * i + 1 not in shape]


def shapes_up_to(n_splits: int) -> list[Shape]:
    found: list[Shape] = [frozenset()]
    layer = {found[0]}
    for _ in range(n_splits):
        layer = {shape | {leaf} for shape in layer for leaf in leaves(shape)}
        found += layer
    return found


def acceptance(small: Shape, node: int, *, like_stochtree: bool) -> tuple[float, float]:
    """Acceptance probabilities of the birth of ``node`` and of the death that undoes it."""
    p_node, p_child = split_probability(node), split_probability(2 * node)
    prior = p_node / (1.0 - p_node) * (1.0 - p_child) ** 2
    n_leaves, n_prunable = len(leaves(small)), len(prunable(small | {node}))
    q_birth, q_death = (0.5 if small else 1.0), 0.5
    counted = len(prunable(small)) + 1 if like_stochtree else n_prunable
    birth = prior * (q_death / counted) / (q_birth / n_leaves)
    reverse = 0.5 if like_stochtree else q_birth
    death = (reverse / n_leaves) / (q_death / n_prunable) / prior
    return min(1.0, birth), min(1.0, death)


def transition_matrix(shapes: list[Shape], *, like_stochtree: bool) -> csr_matrix:
    index = {shape: i for i, shape in enumerate(shapes)}
    matrix = lil_matrix((len(shapes), len(shapes)))
    for small, i in index.items():
        for node in leaves(small):
            large = small | {node}
            if large in index:
                birth, death = acceptance(small, node, like_stochtree=like_stochtree)
                q_birth = (0.5 if small else 1.0) / len(leaves(small))
                matrix[i, index[large]] = q_birth * birth
                matrix[index[large], i] = 0.5 / len(prunable(large)) * death
    matrix.setdiag(1.0 - np.asarray(matrix.sum(axis=1)).ravel())
    return matrix.tocsr()


def mean_splits(*, like_stochtree: bool, largest: int = 8) -> float:
    """Stationary mean number of splits of a tree; larger trees are too rare to matter."""
    shapes = shapes_up_to(largest)
    step = transition_matrix(shapes, like_stochtree=like_stochtree).T.tocsr()
    weight = np.full(len(shapes), 1.0 / len(shapes))
    for _ in range(20_000):
        moved = step @ weight
        if np.abs(moved - weight).sum() < 1e-13:
            break
        weight = moved
    return float(weight @ [len(shape) for shape in shapes])
