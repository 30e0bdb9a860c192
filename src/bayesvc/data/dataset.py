"""Data as the sampler reads them, and what all replicates on them share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayesvc._background import BackgroundCall
from bayesvc._core import Columns, LinearModel
from bayesvc._typing import ColumnName, FloatArray, IntArray
from bayesvc._validation import check_memory
from bayesvc.data.column_layout import ColumnLayout, code_bytes
from bayesvc.data.encode import EncodedX
from bayesvc.data.rows import order_within, scaled_weights
from bayesvc.data.schema import ColumnSchema

if TYPE_CHECKING:
    from bayesvc.responses.base import EncodedResponse

MOST_COPIED_CELLS = 20_000_000  # of X; copies of most rows of a larger table are not made
_FEWER = "pass fewer columns or rows"


@dataclass(frozen=True, eq=False)
class EncodedData:
    """Data as the sampler reads them, kept so that more replicates can follow."""

    columns: Columns
    X: EncodedX
    layout: ColumnLayout
    names: tuple[ColumnName, ...]
    y: EncodedResponse
    data_hash: str
    schema: ColumnSchema | None = None
    weights: FloatArray | None = None

    @property
    def values(self) -> FloatArray:
        """X as a matrix, which few tasks need."""
        return self.X.values

    @property
    def weighted_response(self) -> WeightedResponse:
        """The response and the row weights as they are."""
        return WeightedResponse(self.y.values, self.weights)


@dataclass(frozen=True, eq=False)
class WeightedResponse:
    """The response and the row weights, as they are or permuted together."""

    y: FloatArray
    weights: FloatArray | None = None

    def take(self, rows: IntArray) -> WeightedResponse:
        """Return some rows, in the order given."""
        return WeightedResponse(self.y[rows], None if self.weights is None else self.weights[rows])


class Dataset:
    """Encoded data, and what replicates on every permutation of the response share.

    Parameters
    ----------
    X : EncodedX
        The columns.
    y : EncodedResponse
        The response.
    weights : ndarray (n_rows,), optional
        Row weights of mean 1.
    blocks : ndarray of int (n_rows,), optional
        The block within which each row's response may be permuted.
    shifts : bool, default False
        Whether permutations are circular shifts, for rows in time order.
    keep_values : bool, default False
        Whether trees will be kept.
    n_jobs : int, default 1
        Number of threads.
    """

    def __init__(
        self,
        X: EncodedX,
        y: EncodedResponse,
        *,
        weights: FloatArray | None = None,
        blocks: IntArray | None = None,
        shifts: bool = False,
        keep_values: bool = False,
        n_jobs: int = 1,
    ) -> None:
        self.X = X
        self.schema = X.schema
        self.names = X.schema.variable_names
        self.y = y
        self.weights = weights
        self.blocks = blocks
        self.shifts = shifts
        self.layout.check_memory(*X.shape)
        self._keep_values = keep_values
        self._n_jobs = n_jobs

    def part(self, rows: IntArray, *, keep_values: bool = False, n_jobs: int = 1) -> Dataset:
        """Return a copy of some rows, all in one block."""
        return Dataset(
            self.X.take(rows, range(len(self.names))),
            self.y.take(rows),
            weights=None if self.weights is None else scaled_weights(self.weights[rows]),
            keep_values=keep_values,
            n_jobs=n_jobs,
        )

    @property
    def n_rows(self) -> int:
        """Rows that are fitted to."""
        return self.X.shape[0]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and variables."""
        return self.n_rows, len(self.names)

    @cached_property
    def layout(self) -> ColumnLayout:
        """What the columns of the matrix are."""
        return self.schema.layout

    @cached_property
    def _columns(self) -> BackgroundCall[Columns]:
        n, p = shape = self.X.shape
        each = code_bytes(n) + (8 if self._keep_values else 0)
        check_memory("X as rank codes", shape, each, _FEWER)
        return BackgroundCall(
            lambda: Columns.from_blocks(
                self.X.blocks(), n, p, self._keep_values, self.layout.n_categories,
                self.layout.groups,
            )
        )  # fmt: skip

    @cached_property
    def encoded(self) -> EncodedData:
        """The data as the sampler reads them."""
        columns = self._columns.result()
        schema = None if self.schema.is_plain else self.schema
        fingerprint = data_hash(columns, self.y.content, schema=schema, weights=self.weights)
        return EncodedData(
            columns, self.X, self.layout, self.names, self.y, fingerprint, schema, self.weights
        )

    @property
    def permuted_hash(self) -> str:
        """A fingerprint of the data of null replicates, which tells the blocks too."""
        return permuted_hash(self.encoded.data_hash, self.blocks, shifts=self.shifts)

    @cached_property
    def has_linear_model(self) -> bool:
        """Whether there is a full linear model: one with fewer columns than rows."""
        return self.layout.n_design_columns(self.X.source) < self.n_rows

    @cached_property
    def linear_model(self) -> LinearModel:
        """The full linear model, whose residuals tell sigma_hat of any response."""
        n, p = self.X.shape
        rank = min(n - 1, p)
        remedy = f"pass sigma_hat as a number, or {_FEWER.removeprefix('pass ')}"
        check_memory("the linear model for sigma_hat", ((n + rank // 2) * rank,), 8, remedy)
        if self._n_jobs > 1:
            _ = self._columns  # at the same time
        return BackgroundCall(lambda: self._linear_model(self.weights)).result()

    def _linear_model(self, weights: FloatArray | None) -> LinearModel:
        return LinearModel.from_blocks(self.design_blocks(weights), self.n_rows)

    def design_blocks(self, weights: FloatArray | None = None) -> Iterator[FloatArray]:
        """Yield the columns of the design, times the roots of the weights, a few at a time."""
        root = None if weights is None else np.sqrt(weights)
        first = 0
        for block in self.X.blocks():
            design = self.layout.design(block, first)
            yield design if root is None else _times(design, root)
            first += block.shape[1]
        if root is not None:
            yield root[:, None]  # the intercept

    def forget_linear_model(self) -> None:
        """Give back its memory, unless it is a saturated one, which has none."""
        if "linear_model" in self.__dict__ and not self.linear_model.saturated:
            del self.linear_model

    def linear_model_for(self, weights: FloatArray | None) -> LinearModel | None:
        """Return the full linear model with these row weights, the data's own or permuted.

        Without weights the model depends on X alone, and one serves every response. There is none
        where it would have at least as many columns as rows.
        """
        if not self.has_linear_model:
            return None
        own = weights is None or weights is self.weights
        return self.linear_model if own else self._linear_model(weights)

    @property
    def weighted_response(self) -> WeightedResponse:
        """The response and the row weights as they are."""
        return WeightedResponse(self.y.values, self.weights)

    def permuted(self, words: NDArray[np.uint64]) -> WeightedResponse:
        """Return response and weights in the random order that these words give."""
        return self.weighted_response.take(order_within(words, self.blocks, self.shifts))


def _times(design: FloatArray, root: FloatArray) -> FloatArray:
    """Return the rows times the roots of their weights.

    The unit of a column is of no consequence: one that could overflow is scaled down.
    """
    out = np.empty(design.shape, order="F")
    for j, column in enumerate(design.T):
        unit = 1.0 if np.abs(column).max() < 1e290 else 2.0**-64
        out[:, j] = unit * column * root
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
    >>> from bayesvc._core import Columns
    >>> from bayesvc.data.dataset import data_hash
    >>> len(data_hash(Columns(np.eye(3)), np.arange(3.0)))
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


def permuted_hash(own: str, blocks: IntArray | None = None, *, shifts: bool = False) -> str:
    """Return a fingerprint of permuted data, given that of the data as they are.

    Examples
    --------
    >>> from bayesvc.data.dataset import permuted_hash
    >>> permuted_hash("a"), len(permuted_hash("a", shifts=True))
    ('a', 32)
    """
    if blocks is None and not shifts:
        return own
    digest = hashlib.blake2b(own.encode(), digest_size=16)
    if blocks is not None:
        digest.update(np.ascontiguousarray(blocks, dtype="<i8").data)
    if shifts:
        digest.update(b"shifts")
    return digest.hexdigest()
