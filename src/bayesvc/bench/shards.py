"""Files of result rows, whose names carry a checksum, and the numbers that rows may hold."""

from __future__ import annotations

import hashlib
import io
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from bayesvc._archive import atomic_file

SCHEMA: dict[str, Any] = {
    "data": pl.String, "problem": pl.String, "n": pl.Int64, "snr": pl.Float64, "seed": pl.Int64,
    "p": pl.Int32, "p0": pl.Int32, "method": pl.String, "n_replicates": pl.Int32,
    "n_permutations": pl.Int32, "selected": pl.List(pl.Int32), "tp": pl.Int32, "fp": pl.Int32,
    "fn": pl.Int32, "n_selected": pl.Int32, "tpr": pl.Float64, "fpr": pl.Float64,
    "f1": pl.Float64, "seconds": pl.Float64, "error": pl.String,
}  # fmt: skip

_CHECKSUM = re.compile(r"\.sha256-([0-9a-f]{32})\.parquet$")
_ROUNDING = 1e-9


class StoreError(ValueError):
    """The folder of results cannot be used."""


def as_parquet(rows: pl.DataFrame) -> bytes:
    """Return the content of a Parquet file; polars would hide the errors of a full disk."""
    buffer = io.BytesIO()
    rows.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def write_shard(start: Path, rows: pl.DataFrame) -> Path:
    """Write rows to a file whose name is `start` and a checksum, and return its path."""
    content = as_parquet(rows)
    target = start.with_name(f"{start.name}.sha256-{_checksum(content)}.parquet")
    with atomic_file(target) as file:
        file.write(content)
    return target


def read_shard(path: Path) -> pl.DataFrame:
    """Read the rows of a file, with or without a checksum in its name.

    Raises
    ------
    FileNotFoundError
        If there is nothing of that name.
    StoreError
        If it is anything else than a complete file of results.
    """
    stated = _CHECKSUM.search(path.name)
    content = _content(path)
    if stated is not None and stated[1] != _checksum(content):
        raise _damaged(path, "its checksum does not match its content")
    try:
        with foreign_errors():
            rows = pl.read_parquet(io.BytesIO(content))
    except ValueError as error:
        raise _damaged(path, str(error)) from None
    if dict(rows.schema) != SCHEMA:
        raise _damaged(path, "it does not have the columns of results")
    if any(rows[name].has_nulls() for name in SCHEMA if name != "error"):
        raise _damaged(path, "values are missing")
    problem = impossible(rows)
    if problem is not None:
        raise _damaged(path, problem)
    return rows


def impossible(rows: pl.DataFrame) -> str | None:
    """Say what is wrong with numbers that no run can give; missing values are not looked at.

    Examples
    --------
    >>> import polars as pl
    >>> from bayesvc.bench.shards import SCHEMA, impossible
    >>> rows = pl.DataFrame([{"tpr": 1.5}], schema=SCHEMA)
    >>> impossible(rows)
    'a proportion is not between 0 and 1'
    """
    tp, fp, fn, p, p0 = (pl.col(name).cast(pl.Int64) for name in ("tp", "fp", "fn", "p", "p0"))
    counts = pl.col("n", "seed", "p", "p0", "n_replicates", "n_permutations", "tp", "fp", "fn")
    rates = {
        "tpr": tp / pl.max_horizontal(tp + fn, 1),
        "fpr": fp / pl.max_horizontal(p - p0, 1),
        "f1": 2 * tp / pl.max_horizontal(2 * tp + fp + fn, 1),
    }
    known = pl.all_horizontal(pl.col("tp", "fp", "fn", "p", "p0").is_not_null())
    checks = {
        "a proportion is not between 0 and 1": pl.any_horizontal(
            ~pl.col("tpr", "fpr", "f1").is_between(0, 1)
        ),
        "a number is negative": pl.any_horizontal(counts < 0),
        "a time is not a number of seconds": ~pl.col("seconds").is_between(0, 1e300),
        "a signal-to-noise ratio is not a number": pl.col("snr").is_nan() | (pl.col("snr") < 0),
        "a selected column does not exist": (pl.col("selected").list.min() < 0)
        | (pl.col("selected").list.max() >= pl.col("p")),
        "the numbers of selected columns do not add up": (
            pl.col("n_selected") != pl.col("selected").list.len()
        )
        | (tp + fp != pl.col("n_selected"))
        | (tp + fn != p0),
        "the rates do not follow from the counts": known
        & pl.any_horizontal((pl.col(name) - own).abs() > _ROUNDING for name, own in rates.items()),
    }
    found = rows.select(expression.any().alias(text) for text, expression in checks.items())
    return next((text for text, is_wrong in found.row(0, named=True).items() if is_wrong), None)


@contextmanager
def foreign_errors() -> Iterator[None]:
    """Turn what polars raises about damaged content, panics too, into a ValueError of one line."""
    try:
        yield
    except MemoryError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        first = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise ValueError(first.rstrip(".")) from None


def _content(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe would wait for ever
            raise _damaged(path, "it is not a file")
        return path.read_bytes()
    except FileNotFoundError:
        if path.is_symlink():
            raise _damaged(path, "it is a link to a file that does not exist") from None
        raise


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _damaged(path: Path, reason: str) -> StoreError:
    return StoreError(f"{path} is damaged: {reason}. Move it away and run the grid again.")
