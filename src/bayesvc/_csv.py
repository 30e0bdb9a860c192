"""Tables as CSV files that no spreadsheet takes for formulas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

# White space and characters that are not seen may precede the sign. Some spreadsheets also take the
# wide forms of the signs. An apostrophe gets another one, so that one can always be dropped.
_UNSEEN = r"[\s\x00-\x20\x7f\u00ad\u200b-\u200f\u2060\ufeff]*"
_SIGN = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"
_TAKEN_FOR_FORMULA = rf"^('|[\t\r\n]|{_UNSEEN}{_SIGN})"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a polars frame to a CSV file, with an apostrophe before texts like formulas.

    These are names of columns and texts in cells that begin with ``=``, ``+``, ``-``, ``@``, a tab
    or a line break, or with an apostrophe. Numbers stay as they are, also those that are text.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> from bayesvc._csv import read_text_csv, write_csv
    >>> table = pl.DataFrame({"name": ["=1+1", "'a'", "b"], "value": [-1, 0, 1]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_csv(table, Path(folder) / "t.csv")
    ...     (Path(folder) / "t.csv").read_text().split()
    ...     read_text_csv(Path(folder) / "t.csv")["name"].to_list()
    ['name,value', "'=1+1,-1", "''a',0", 'b,1']
    ['=1+1', "'a'", 'b']
    """
    import polars as pl

    from bayesvc._archive import atomic_file  # which loads numpy

    texts = pl.col(pl.String, pl.Categorical, pl.Enum).cast(pl.String)
    safe = frame.with_columns(_marked(texts))
    names = pl.DataFrame({"name": frame.columns}, schema={"name": pl.String})
    safe.columns = names.select(_marked(pl.col("name")))["name"].to_list()
    with atomic_file(path) as file:
        file.write(safe.write_csv().encode())


def read_text_csv(path: Path) -> pl.DataFrame:
    """Read a CSV file of `write_csv`, with all its cells as text, exactly as they were.

    Examples
    --------
    See `write_csv`.
    """
    import polars as pl

    frame = pl.read_csv(path, infer_schema=False, glob=False)
    frame.columns = [name.removeprefix("'") for name in frame.columns]
    return frame.with_columns(pl.all().str.strip_prefix("'"))


def _marked(texts: Any) -> Any:
    import polars as pl

    is_formula = texts.str.contains(_TAKEN_FOR_FORMULA) & ~texts.str.contains(_NUMBER)
    return pl.when(is_formula).then(texts.str.replace("^", "'")).otherwise(texts)
