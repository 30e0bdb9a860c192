"""Sparse predictors: found, and made dense where memory allows it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._validation import check_memory

_NUMBER_BYTES = 8
_CODE_BYTES = 4  # of a rank code, at most; the sampler holds one per number


def is_sparse(data: Any) -> bool:
    """Tell whether `data` is a sparse matrix or array of scipy."""
    # Where nobody has loaded scipy.sparse there is nothing sparse, and no need to load it.
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and bool(scipy_sparse.issparse(data))


def sparse_columns(frame: Any) -> set[int]:
    """Return which columns of a pandas frame are sparse numbers, a type narwhals does not know."""
    return {
        j
        for j, dtype in enumerate(getattr(frame, "dtypes", ()))
        if type(dtype).__name__ == "SparseDtype" and dtype.subtype.kind in "fiub"
    }


def dense_matrix(X: Any) -> NDArray[Any]:
    """Return a sparse matrix as an array, in the order that suits work by columns."""
    # Not converted to float64 before: entries given several times add up in their own type.
    own_bytes = 0 if X.dtype == np.float64 else X.dtype.itemsize
    _check_memory(f"a {type(X).__name__}", X.shape, own_bytes)
    return np.asarray(X.toarray(order="F"))


def dense_frame(frame: Any) -> NDArray[np.float64]:
    """Return a pandas frame with sparse columns as a matrix; missing values are NaN."""
    _check_memory("a frame with sparse columns", frame.shape)
    return np.asarray(frame.to_numpy(dtype=np.float64, na_value=np.nan))


def _check_memory(kind: str, shape: tuple[int, ...], own_bytes: int = 0) -> None:
    check_memory(
        f"X ({kind}) as a dense matrix with rank codes",
        shape,
        _NUMBER_BYTES + max(_CODE_BYTES, own_bytes),
        "pass fewer columns or rows, for example without columns that are nearly all zero",
    )
