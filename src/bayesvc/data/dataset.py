"""Data as the sampler reads them, and what all fits to them share."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayesvc._core import Columns, LinearModel
from bayesvc._typing import ColumnName, FloatArray
from bayesvc._validation import check_memory
from bayesvc.data.align import align_to
from bayesvc.data.column_layout import ColumnLayout
from bayesvc.data.encode import encode_X
from bayesvc.data.rows import (
    check_blocks,
    check_permutable,
    check_sample_weight,
    order_within,
    scaled_weights,
)
from bayesvc.data.schema import ColumnSchema, Groups, ResolvedGroups
from bayesvc.priors.base import Calibration, TreePrior, calibrate, needs_linear_model
from bayesvc.responses.encode import EncodedY, encode_y
from bayesvc.sampling.executor import ROLE_PERMUTATION, BackgroundCall, random_words

_TREE_BYTES = 400  # of a tree of a few nodes, beside the numbers of its rows
_FEWER = "pass fewer columns or rows"


@dataclass(frozen=True, eq=False)
class EncodedData:
    """Encoded data, kept so that more fits can follow."""

    columns: Columns
    names: tuple[ColumnName, ...]
    y: EncodedY
    data_hash: str
    schema: ColumnSchema | None = None
    weights: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class WeightedResponse:
    """The response and the weights of rows, as they are or permuted together."""

    y: FloatArray
    weights: FloatArray | None = None


class Dataset:
    """Encoded data, and what fits to every arrangement of the response share.

    Parameters
    ----------
    X, y, response, groups, sample_weight, permute_within
        As in `bayesvc.select`. Rows of weight zero are left out here.
    keep_values : bool, default False
        Whether trees will be kept.
    n_jobs : int, default 1
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        response: str,
        *,
        groups: Groups | ResolvedGroups | None = None,
        sample_weight: Any = None,
        permute_within: Any = None,
        keep_values: bool = False,
        n_jobs: int = 1,
    ) -> None:
        y, sample_weight, permute_within = align_to(
            X, y=y, sample_weight=sample_weight, permute_within=permute_within
        )
        given = None if sample_weight is None else check_sample_weight(sample_weight)
        keep = None if given is None or given.all() else given > 0
        encoded = encode_X(X, groups=groups, keep=keep)
        n_rows = len(encoded.values) if keep is None else len(keep)
        self.values = encoded.values
        self.schema = encoded.schema
        self.names = encoded.schema.variable_names
        self.y = encode_y(y, response, n_rows=n_rows, keep=keep)
        self.weights = None if given is None else self._scaled(given, n_rows)
        self.blocks = None
        if permute_within is not None:
            blocks = check_blocks(permute_within, n_rows)
            self.blocks = blocks if keep is None else blocks[keep]
            check_permutable(self.blocks, self.y.values)
        self.layout.check_memory(*self.values.shape)
        self._keep_values = keep_values
        self._n_jobs = n_jobs

    def _scaled(self, weights: FloatArray, n_rows: int) -> FloatArray | None:
        if len(weights) != n_rows:
            raise ValueError(
                f"sample_weight has {len(weights)} numbers but X has {n_rows} rows; "
                "pass one per row of X"
            )
        if self.binary:
            raise ValueError(
                "sample_weight was given, but the model of a binary response has no noise for "
                "weights to scale; leave it out, repeat rows instead, or pass "
                "response='continuous'"
            )
        return scaled_weights(weights[weights > 0])

    @property
    def binary(self) -> bool:
        """Whether the response has two classes."""
        return self.y.response == "binary"

    @property
    def n_rows(self) -> int:
        """Rows that are fitted to."""
        return len(self.values)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and variables."""
        return len(self.values), len(self.names)

    @cached_property
    def layout(self) -> ColumnLayout:
        """What the columns of the matrix are."""
        return self.schema.layout

    @cached_property
    def _columns(self) -> BackgroundCall[Columns]:
        n, _ = shape = self.values.shape
        code_bytes = 1 if n <= 2**8 else 2 if n <= 2**16 else 4
        each = code_bytes + (8 if self._keep_values else 0)
        check_memory("X as rank codes", shape, each, _FEWER)
        return BackgroundCall(
            lambda: self.layout.columns(self.values, keep_values=self._keep_values)
        )

    @cached_property
    def problem(self) -> EncodedData:
        """The data as the sampler reads them."""
        columns = self._columns.result()
        schema = None if self.schema.is_plain else self.schema
        fingerprint = data_hash(columns, self.y.values, schema=schema, weights=self.weights)
        return EncodedData(columns, self.names, self.y, fingerprint, schema, self.weights)

    @property
    def permuted_hash(self) -> str:
        """A fingerprint of the data of permuted fits, which tells the blocks too."""
        if self.blocks is None:
            return self.problem.data_hash
        digest = hashlib.blake2b(self.problem.data_hash.encode(), digest_size=16)
        digest.update(np.ascontiguousarray(self.blocks, dtype="<i8").data)
        return digest.hexdigest()

    @cached_property
    def linear_model(self) -> LinearModel:
        """The full linear model, whose residuals tell sigma_hat of any response."""
        n, p = self.values.shape
        rank = min(n - 1, p)
        remedy = f"pass sigma_hat as a number, or {_FEWER.removeprefix('pass ')}"
        copied = 0 if self.weights is None else n * (p + 1)
        numbers = (n + rank // 2) * rank + copied
        check_memory("the linear model for sigma_hat", (numbers,), 8, remedy)
        if self._n_jobs > 1:
            _ = self._columns  # at the same time
        return BackgroundCall(lambda: self._linear_model(self.weights)).result()

    def _linear_model(self, weights: FloatArray | None) -> LinearModel:
        design = self.layout.design(self.values)
        if weights is None:
            return LinearModel(design)
        return LinearModel(_times_root(design, weights))

    def forget_linear_model(self) -> None:
        """Give back its memory."""
        self.__dict__.pop("linear_model", None)

    @property
    def arranged(self) -> WeightedResponse:
        """Response and weights as they are."""
        return WeightedResponse(self.y.values, self.weights)

    def permuted(self, entropy: int, number: int, role: int = ROLE_PERMUTATION) -> WeightedResponse:
        """Return response and weights in the order of permutation `number`."""
        words = random_words(entropy, role, number, len(self.y.values))
        order = order_within(words, self.blocks)
        return WeightedResponse(
            self.y.values[order], None if self.weights is None else self.weights[order]
        )

    def calibration(self, prior: TreePrior, to: WeightedResponse, n_trees: int) -> Calibration:
        """Calibrate the prior to a response, which may be permuted."""
        model = None
        if needs_linear_model(prior, binary=self.binary):
            # without weights the model depends on X alone, and one serves all
            own = to.weights is None or to.weights is self.weights
            model = self.linear_model if own else self._linear_model(to.weights)
        return calibrate(
            prior, to.y, n_trees, binary=self.binary, linear_model=model, weights=to.weights
        )


def _times_root(design: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the rows and, for the intercept, a one, times the roots of their weights.

    The unit of a column is of no consequence: one that could overflow is scaled down.
    """
    root = np.sqrt(weights)
    out = np.empty((len(design), design.shape[1] + 1), order="F")
    for j, column in enumerate(design.T):
        unit = 1.0 if np.abs(column).max() < 1e290 else 2.0**-64
        out[:, j] = unit * column * root
    out[:, -1] = root
    return out


def data_hash(
    columns: Columns,
    y: FloatArray,
    *,
    schema: ColumnSchema | None = None,
    weights: FloatArray | None = None,
) -> str:
    """Return a fingerprint of encoded data.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc import _core
    >>> from bayesvc.data.dataset import data_hash
    >>> len(data_hash(_core.Columns(np.eye(3)), np.arange(3.0)))
    32
    """
    digest = hashlib.blake2b(repr(columns.fingerprint).encode(), digest_size=16)
    digest.update(np.ascontiguousarray(y + 0.0, dtype="<f8").data)  # -0.0 counts as 0.0
    if schema is not None:
        # names of columns and groups are of no consequence
        about = {**schema.to_dict(), "names": None, "groups": schema.layout.groups}
        if any(about.values()):
            digest.update(json.dumps(about, sort_keys=True).encode())
    if weights is not None:
        digest.update(np.ascontiguousarray(weights, dtype="<f8").data)
    return digest.hexdigest()


def check_forest_memory(n_trees: int, n_rows: int) -> None:
    """Raise MemoryError if a forest of so many trees is too large."""
    per_tree = _TREE_BYTES + 2 * n_rows
    check_memory(f"n_trees={n_trees}", (n_trees,), per_tree, "use fewer", items="trees")


def check_permuted_memory(what: str, number: int, data: Dataset, remedy: str) -> None:
    """Raise MemoryError if so many permuted responses, and their weights, are too large."""
    each = 8 if data.weights is None else 16
    check_memory(what, (number, data.n_rows), each, remedy)


def check_prior_fits_data(prior: TreePrior, data: Dataset) -> None:
    """Raise ValueError if settings of the prior cannot go with data of this size and kind."""
    weights, (n, p) = prior.split_weights, data.shape
    if weights is not None and len(weights) != p:
        what = "variable" if data.schema.groups else "column"
        raise ValueError(
            f"split_weights has {len(weights)} numbers but X has {p} {what}s; pass one per {what}"
        )
    if 2 * prior.min_samples_leaf > n:
        raise ValueError(
            f"min_samples_leaf={prior.min_samples_leaf} leaves no room for a split of {n} rows; "
            f"pass at most {n // 2}"
        )
    if data.binary:
        for name in ("sigma", "sigma_hat"):
            value = getattr(prior, name)
            if isinstance(value, float):
                raise ValueError(
                    f"{name}={value!r} has no meaning for a binary response, whose latent sigma "
                    f"is 1; leave {name}=None, or pass response='continuous'"
                )
