"""From what callers hold to a `Dataset`."""

from __future__ import annotations

from typing import Any

from bayesvc._typing import FloatArray
from bayesvc.data.align import align_to
from bayesvc.data.dataset import Dataset
from bayesvc.data.encode import encode_X
from bayesvc.data.rows import check_blocks, check_permutable, check_sample_weight, scaled_weights
from bayesvc.data.schema import Groups, ResolvedGroups
from bayesvc.responses.base import EncodedResponse, Response
from bayesvc.responses.encode import encode_y


def read_dataset(
    X: Any,
    y: Any,
    response: str | Response = "auto",
    *,
    groups: Groups | ResolvedGroups | None = None,
    sample_weight: Any = None,
    permute_within: Any = None,
    time_order: bool = False,
    keep_values: bool = False,
    n_jobs: int = 1,
) -> Dataset:
    """Check and encode the data; rows of weight zero are left out.

    Parameters
    ----------
    X, y, response, groups, sample_weight, permute_within, time_order
        As in `bayesvc.select`.
    keep_values : bool, default False
        Whether trees will be kept, for which the sampler needs the values themselves.
    n_jobs : int, default 1
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses.read import read_dataset
    >>> read_dataset(np.eye(4), [1, 2, 3, 4]).shape
    (4, 4)
    """
    y, sample_weight, permute_within = align_to(
        X, y=y, sample_weight=sample_weight, permute_within=permute_within
    )
    given = None if sample_weight is None else check_sample_weight(sample_weight)
    keep = None if given is None or given.all() else given > 0
    encoded = encode_X(X, groups=groups, keep=keep)
    n_rows = encoded.shape[0] if keep is None else len(keep)
    encoded_y = encode_y(y, response, n_rows=n_rows, keep=keep)
    weights = None if given is None else _row_weights(given, n_rows, encoded_y)
    blocks = None
    if permute_within is not None:
        blocks = check_blocks(permute_within, n_rows)
        blocks = blocks if keep is None else blocks[keep]
        check_permutable(blocks, encoded_y.values)
    return Dataset(
        encoded, encoded_y, weights=weights, blocks=blocks, shifts=time_order,
        keep_values=keep_values, n_jobs=n_jobs,
    )  # fmt: skip


def _row_weights(weights: FloatArray, n_rows: int, y: EncodedResponse) -> FloatArray | None:
    if len(weights) != n_rows:
        raise ValueError(
            f"`sample_weight` must have one number per row of X, {n_rows}. Got {len(weights)} "
            "instead."
        )
    if y.model.weights_incompatibility is not None:
        raise ValueError(
            f"`sample_weight` must be None: {y.model.weights_incompatibility} Got weights instead."
        )
    return scaled_weights(weights[weights > 0])
