"""X is read a few columns at a time, and no copy of it as a whole is made."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayesvc as bv
from bayesvc.data import column_source
from bayesvc.data.encode import encode_X
from bayesvc.responses.read import read_dataset
from tests.helpers.settings import TINY

SEEDED_TINY = TINY | {"random_state": 0}
N, P = 4000, 60
KINDS: dict[str, Callable[[np.ndarray], Any]] = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "float32": lambda X: X.astype(np.float32),
    "pandas": pd.DataFrame,
    "polars": lambda X: pl.DataFrame(X),
    "polars, lazy": lambda X: pl.DataFrame(X).lazy(),
    "pyarrow": lambda X: pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])}),
}


@pytest.fixture
def X() -> np.ndarray:
    # exact as float32, so that every kind of table holds the same numbers
    return np.random.default_rng(0).uniform(size=(N, P)).astype(np.float32).astype(float)


@pytest.fixture
def narrow_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a block have the fewest columns that it can have, two of sixty."""
    monkeypatch.setattr(column_source, "_BLOCK_BYTES", 1)


@pytest.mark.usefixtures("narrow_blocks")
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_give_the_columns_of_the_whole(X: np.ndarray, kind: str) -> None:
    whole = read_dataset(X, X[:, 0]).encoded
    encoded = encode_X(KINDS[kind](X))
    widths = [block.shape[1] for block in encoded.blocks()]
    assert widths == [2] * 30
    data = read_dataset(encoded, X[:, 0])
    assert data.encoded.columns.fingerprint == whole.columns.fingerprint
    assert data.linear_model.rank == P
    np.testing.assert_array_equal(encoded.values, X)
    rows, columns = np.arange(0, N, 7), [0, 3, 4, 59]
    np.testing.assert_array_equal(encoded.take(rows, columns).values, X[np.ix_(rows, columns)])


@pytest.mark.usefixtures("narrow_blocks")
@pytest.mark.parametrize("kind", KINDS)
def test_no_copy_of_the_matrix(X: np.ndarray, kind: str) -> None:
    """What Python and numpy take while X is checked and encoded, next to X as float64.

    A block of a thirtieth, once as the reader has it, once as float64, and once more while numpy
    looks at it, with the y, names and schema: a tenth of X. A single copy of X would be ten tenths.
    The codes, half of X at most, are of the compiled part, which tracemalloc does not see.
    """
    table, y = KINDS[kind](X), X[:, 0].copy()
    _ = read_dataset(KINDS[kind](X[:100]), y[:100]).encoded  # loads what is loaded late
    tracemalloc.start()
    try:
        data = read_dataset(table, y)
        _ = data.encoded
        _ = data.linear_model
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.2 * X.nbytes


@pytest.mark.usefixtures("narrow_blocks")
def test_a_parquet_file_is_read_in_parts(
    X: np.ndarray, tmp_path: Path, collected_widths: list[int]
) -> None:
    """No more than a block of columns is asked of the file at a time, in several row groups."""
    path = tmp_path / "table.parquet"
    frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(P)])
    frame.write_parquet(path, row_group_size=500)
    y = X[:, 3]
    found = bv.sample(pl.scan_parquet(path), y, n_replicates=1, **SEEDED_TINY)
    assert max(collected_widths) == 2
    np.testing.assert_array_equal(found.vc, bv.sample(frame, y, n_replicates=1, **SEEDED_TINY).vc)


@pytest.mark.usefixtures("narrow_blocks")
def test_messy_columns_of_a_lazy_frame(tmp_path: Path) -> None:
    """Missing values, text and booleans, some rows of weight zero: as if it were in memory."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "a": [None, *rng.uniform(size=79)],
            "site": [None, *("xyz"[i % 3] for i in range(79))],
            "flag": [True, None] * 40,
            "count": rng.integers(0, 9, size=80),
            "only": [None] * 80,
        }
    )
    y = rng.normal(size=80)
    frame.write_parquet(tmp_path / "t.parquet")
    lazy = pl.scan_parquet(tmp_path / "t.parquet")
    for weights in (None, np.arange(80) % 3):
        settings = {"n_replicates": 1, "sample_weight": weights, **SEEDED_TINY}
        here, there = (bv.sample(X, y, **settings) for X in (frame, lazy))
        assert here.data_hash == there.data_hash
        assert here.schema == there.schema
        np.testing.assert_array_equal(here.vc, there.vc)


def test_a_lazy_frame_is_checked(X: np.ndarray) -> None:
    y = X[:, 0]
    frame = pl.DataFrame(X).with_columns(bad=pl.lit(np.inf), id=pl.lit(2**60 + 1))
    with pytest.raises(ValueError, match=r"`X` must not hold infinite values.*'bad'"):
        bv.sample(frame.drop("id").lazy(), y)
    with pytest.raises(ValueError, match=r"Column 'id' of `X` must hold .* exactly"):
        bv.sample(frame.drop("bad").lazy(), y)
    with pytest.raises(ValueError, match="at least 2 rows"):
        bv.sample(frame.head(1).lazy(), y[:1])


def test_many_permuted_responses_are_not_kept(X: np.ndarray) -> None:
    """A hundred responses of 8 N bytes would be 1.7 times X; a few at a time are a tenth of it."""
    y = X[:, 0] + np.random.default_rng(1).normal(size=N)  # else a note would say: derived from y
    few = {"burn_in": 1, "n_draws": 1, "n_jobs": 1, "random_state": 0}
    run: dict[str, Any] = {"method": "bart-vip-local", "n_replicates": 1, "signal_test": False}
    bv.select(X[:50, :5], y[:50], n_permutations=19, **run, **few)  # loads what is loaded late
    tracemalloc.start()
    try:
        bv.select(X[:, :5], y, n_permutations=100, **run, **few)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40 * y.nbytes
