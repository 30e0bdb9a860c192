"""Results of the study in one file, to look at and to hand on."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from bayesvc.bench.store import SCHEMA, Store, StoreError

_KINDS = (".parquet", ".csv")


def check_new(path: Path) -> None:
    """Raise ValueError if results cannot be written to a new file of this name.

    Examples
    --------
    >>> from pathlib import Path
    >>> from bayesvc.bench.row_files import check_new
    >>> check_new(Path("results.txt"))
    Traceback (most recent call last):
    ValueError: results.txt ends neither in .parquet nor in .csv; give such a name
    """
    if path.suffix not in _KINDS:
        raise ValueError(f"{path} ends neither in .parquet nor in .csv; give such a name")
    if path.exists():
        raise ValueError(f"{path} exists; give another name, or delete it")


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Write results to a Parquet or CSV file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> from bayesvc.bench.row_files import read_rows, write_rows
    >>> from bayesvc.bench.store import SCHEMA
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_rows(pl.DataFrame(schema=SCHEMA), Path(folder) / "none.csv")
    ...     read_rows(Path(folder) / "none.csv").height
    0
    """
    if path.suffix == ".parquet":
        rows.write_parquet(path, compression="zstd")
    else:
        joined = pl.col("selected").cast(pl.List(pl.String)).list.join(" ")
        rows.with_columns(joined).write_csv(path)


def read_rows(path: Path) -> pl.DataFrame:
    """Return the results in a folder of `bench run`, or in a file of `write_rows`.

    Examples
    --------
    See `write_rows`.
    """
    if not path.exists():
        raise StoreError(f"{path} does not exist; give a folder of `bench run`, or a file")
    if not path.is_file():
        return Store(path).rows()
    remedy = "give a file of `bench export` or `bench rescore`"
    is_csv = path.suffix == ".csv"
    try:
        rows = pl.read_csv(path, infer_schema=False) if is_csv else pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        first = str(error).splitlines()[0]
        raise StoreError(f"{path} cannot be read as Parquet or CSV ({first}); {remedy}") from None
    if set(rows.columns) != set(SCHEMA):
        raise StoreError(f"{path} has other columns than results; {remedy}")
    return _typed(path, rows) if is_csv else rows


def _typed(path: Path, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the text of a CSV file as what it stands for."""
    numbers = (
        pl.col("selected")
        .fill_null("")
        .str.split(" ")
        .list.eval(pl.element().filter(pl.element() != ""))
    )
    try:
        return rows.with_columns(numbers).select(
            pl.col(name).cast(kind) for name, kind in SCHEMA.items()
        )
    except pl.exceptions.PolarsError as error:
        first = str(error).splitlines()[0]
        raise StoreError(f"{path} has values that are no results ({first})") from None
