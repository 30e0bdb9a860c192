"""Data as the sampler reads them, and what all fits to them share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc import _core
from bayesvc._validation import check_memory
from bayesvc.encode import EncodedY, data_hash, encode_X, encode_y
from bayesvc.priors import Calibration, TreePrior, calibrate, needs_linear_model
from bayesvc.running import ROLE_PERMUTATION, Started, random_order

FloatArray = NDArray[np.float64]

_TREE_BYTES = 400  # of a tree of a few nodes, beside the numbers of its rows


@dataclass(frozen=True, eq=False)
class Problem:
    """Encoded data, kept so that more fits can follow."""

    columns: _core.Columns
    names: tuple[str, ...]
    y: EncodedY
    data_hash: str


class Data:
    """Encoded data, and what fits to every arrangement of the response share."""

    def __init__(
        self, X: Any, y: Any, response: str, *, keep_values: bool = False, n_jobs: int = 1
    ) -> None:
        encoded = encode_X(X)
        self.values = encoded.values
        self.names = encoded.names
        self.y = encode_y(y, response, n_rows=len(encoded.values))
        self._keep_values = keep_values
        self._n_jobs = n_jobs

    @property
    def binary(self) -> bool:
        """Whether the response has two classes."""
        return self.y.response == "binary"

    @cached_property
    def _columns(self) -> Started[_core.Columns]:
        return Started(lambda: _core.Columns(self.values, keep_values=self._keep_values))

    @cached_property
    def problem(self) -> Problem:
        """The data as the sampler reads them."""
        columns = self._columns.result()
        return Problem(columns, self.names, self.y, data_hash(columns, self.y.values))

    @cached_property
    def linear_model(self) -> _core.LinearModel:
        """The full linear model, whose residuals tell sigma_hat of any response."""
        if self._n_jobs > 1:
            _ = self._columns  # at the same time
        return Started(lambda: _core.LinearModel(self.values)).result()

    def forget_linear_model(self) -> None:
        """Give back its memory."""
        self.__dict__.pop("linear_model", None)

    def calibration(self, prior: TreePrior, y: FloatArray, n_trees: int) -> Calibration:
        """Calibrate the prior to y, which may be permuted."""
        needed = needs_linear_model(prior, binary=self.binary)
        model = self.linear_model if needed else None
        return calibrate(prior, y, n_trees, binary=self.binary, linear_model=model)

    def permuted(self, entropy: int, number: int, role: int = ROLE_PERMUTATION) -> FloatArray:
        """Return the response in the order of permutation `number`."""
        return self.y.values[random_order(entropy, role, number, len(self.y.values))]


def check_forest_memory(n_trees: int, n_rows: int) -> None:
    """Raise MemoryError if a forest of so many trees is too large."""
    per_tree = _TREE_BYTES + 2 * n_rows
    check_memory(f"n_trees={n_trees}", (n_trees,), per_tree, "use fewer", items="trees")


def check_prior_fits_data(prior: TreePrior, n: int, p: int, *, binary: bool) -> None:
    """Raise ValueError if settings of the prior cannot go with data of this size and kind."""
    weights = prior.split_weights
    if weights is not None and len(weights) != p:
        raise ValueError(
            f"split_weights has {len(weights)} numbers but X has {p} columns; pass one per column"
        )
    if 2 * prior.min_samples_leaf > n:
        raise ValueError(
            f"min_samples_leaf={prior.min_samples_leaf} leaves no room for a split of {n} rows; "
            f"pass at most {n // 2}"
        )
    if binary:
        for name in ("sigma", "sigma_hat"):
            value = getattr(prior, name)
            if isinstance(value, float):
                raise ValueError(
                    f"{name}={value!r} has no meaning for a binary response, whose latent sigma "
                    f"is 1; leave {name}=None, or pass response='continuous'"
                )
