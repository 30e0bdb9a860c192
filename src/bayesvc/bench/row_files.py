"""Results of a study in a single Parquet or CSV file."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from bayesvc._archive import atomic_file
from bayesvc._csv import read_text_csv, write_csv
from bayesvc.bench.shards import SCHEMA, StoreError, as_parquet, foreign_errors, impossible
from bayesvc.bench.store import Store

_KINDS = (".parquet", ".csv")


def check_new(path: Path) -> None:
    """Raise ValueError unless results can be written to a new file of this name.

    Examples
    --------
    >>> from pathlib import Path
    >>> from bayesvc.bench.row_files import check_new
    >>> check_new(Path("results.txt"))
    Traceback (most recent call last):
    ValueError: The name of the file must end in .parquet or .csv. Got results.txt instead.
    """
    if path.suffix not in _KINDS:
        raise ValueError(f"The name of the file must end in .parquet or .csv. Got {path} instead.")
    if path.exists():
        raise ValueError(f"{path} already exists. Give another name, or delete it first.")


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Write results to a Parquet or CSV file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> from bayesvc.bench.row_files import read_rows, write_rows
    >>> from bayesvc.bench.shards import SCHEMA
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_rows(pl.DataFrame(schema=SCHEMA), Path(folder) / "none.csv")
    ...     read_rows(Path(folder) / "none.csv").height
    0
    """
    if path.suffix == ".parquet":
        with atomic_file(path) as file:
            file.write(as_parquet(rows))
    else:
        joined = pl.col("selected").cast(pl.List(pl.String)).list.join(" ")
        write_csv(rows.with_columns(joined), path)


def read_rows(path: Path) -> pl.DataFrame:
    """Read the results in a folder of `bench run` or a file of `write_rows`.

    Examples
    --------
    See `write_rows`.
    """
    if not path.exists():
        raise StoreError(f"{path} does not exist. Give a folder of `bayesvc bench run`, or a file.")
    if not path.is_file():
        return Store(path).rows()
    remedy = "Give a file of `bayesvc bench export` or `bayesvc bench rescore`."
    is_csv = path.suffix == ".csv"
    try:
        with foreign_errors():
            rows = read_text_csv(path) if is_csv else pl.read_parquet(path)
    except ValueError as error:
        raise StoreError(f"{path} cannot be read as Parquet or CSV: {error}. {remedy}") from None
    if set(rows.columns) != set(SCHEMA):
        raise StoreError(f"{path} must have the columns of results. {remedy}")
    try:
        with foreign_errors():
            rows = _typed(rows, is_csv)
            problem = impossible(rows)
    except ValueError as error:
        problem = str(error)
    if problem is not None:
        raise StoreError(f"{path} must hold results only: {problem}. Export it again.")
    return rows


def _typed(rows: pl.DataFrame, is_csv: bool) -> pl.DataFrame:
    """Return the columns in order and with the types of results; those of a CSV file are text."""
    if is_csv:
        numbers = pl.col("selected").fill_null("").str.split(" ")
        rows = rows.with_columns(numbers.list.eval(pl.element().filter(pl.element() != "")))
    return rows.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())
