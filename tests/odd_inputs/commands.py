"""Odd tables and options of the command line."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl

from tests.odd_inputs.case import Case, Command

GZIP_HEAD = gzip.compress(b"")[:10]
MANY_CELLS = gzip.compress(b"y,a\n1,2\n" * 99)[:25]
DETAIL = r"(?<=\().*(?=\))"  # what polars, csv or zlib says


def _data() -> str:
    """60 rows: y depends on b and d; and a column that names the rows."""
    X = np.random.default_rng(5).uniform(size=(60, 5))
    table = pl.DataFrame(X, schema=["a", "b", "c", "d", "e"])
    who = pl.Series([f"patient {i}" for i in range(60)])
    return table.with_columns(y=pl.Series(10 * X[:, 1] + 8 * X[:, 3]), who=who).write_csv()


DATA = ("data.csv", _data())


def table(
    goes_in: str, content: str | bytes, says: str, *options: str, name: str = "t.csv",
    varies: str | None = None,
) -> Command:  # fmt: skip
    """A file that `bayesvc select` refuses."""
    args = ("select", name, "-y", "y", *options)
    return Command(goes_in, args, says, ((name, content),), varies)


def option(command: str, says: str, varies: str | None = None) -> Command:
    """A command on the good file `data.csv` that is refused for its options."""
    return Command(f"`bayesvc {command}`", tuple(command.split()), says, (DATA,), varies)


TARGETS: list[Case] = [
    table("three classes", "y,a\nu,1\nv,2\nw,3\n", "nor two-valued"),
    table("a constant target", "y,a\n1,1\n1,2\n1,3\n", "in every row"),
    table("a gap in the target", "y,a\n1,1\nNA,2\n3,3\n", "1 missing value;"),
    table("an infinite target", "y,a\n1,1\ninf,2\n3,3\n", "1 infinite value;"),
    table("dates as target", "y,a\n2024-01-01,1\n2024-01-02,2\n2024-01-03,3\n",
          "such as '2024-01-01'"),
    table("three numbers as classes", "y,a\n1,1\n2,2\n3,3\n", "has 3 values",
          "--response", "binary"),
    table("weights of rows with two classes", "y,a,w\n0,1,1\n1,2,2\n1,3,1\n",
          "--weights 'w' needs a target of numbers", "--weights", "w"),
    table("two words as numbers", "y,a\nill,1\nwell,2\nill,3\n", "holds text",
          "--response", "continuous"),
    table("numbers and text as target", "y,a\n1,1\n2,2\n3 years,3\n", "'3 years' in row 3"),
]  # fmt: skip
COLUMNS: list[Case] = [
    table("an infinite value", "y,a,b\n1,1,inf\n2,2,2\n3,4,3\n", "1 infinite value;"),
    table("an empty column", "y,a,b\n1,1,\n2,5,\n3,3,\n", "'b' holds nothing"),
    table("text among numbers", "y,a\n1,2\n2,x3\n3,4\n4,5\n", "'x3' in row 2 of 'a'"),
    table("text among numbers, after a gap", "y,a\n1,\n2,x\n3,4\n4,5\n5,5\n", "'x' in row 2"),
    table("text that differs in every row", "y,a,name\n1,2,ann\n2,3,bob\n", "--id-column name"),
    table(
        "the same in a column with a comma in its name",
        'y,a,"b, c"\n1,2,u\n2,3,v\n',
        """--exclude '"b, c"'""",
    ),
    table("dates", "y,day\n1,2024-01-01\n2,2024-01-02\n", "dates or times"),
    table("two columns of one name", "y,a,a\n1,2,3\n2,3,4\n", "of one name: 'a'"),
    table(
        "a column without a name, and one with the name it would get",
        "y,,column 2\n1,2,3\n2,3,4\n",
        "'column 2'",
    ),
    table("line ends of old machines", "y;a;b\r9; a;3\r8; a;2", "of one name: 'a'"),
    table("one column", "y\n1\n2\n", "single column"),
    table("no rows", "y,a\n", "0 rows"),
]
FILES: list[Case] = [
    table("an empty file", "", "is empty"),
    table("blank lines only", "\n \n", "is empty"),
    table("rows of unequal length", "y,a\n1,2\n2,3,4\n", "rows of one length", varies=DETAIL),
    table("a cell without end", "y,a\n1," + "2" * 200_000, "cannot be read", varies=DETAIL),
    table("bytes that are no text", "y,a\n1,\x002\n", "no text"),
    table("latin-1 without saying so", "y,größe\n1,2\n2,3\n".encode("latin-1"), "not in utf-8"),
    table("UTF-16 without saying so", "y,a\n1,2\n2,3\n".encode("utf-16"), "such as utf-16"),
    table("an unknown kind of file", "x", "unknown kind of file '.docx'", name="t.docx"),
    table("text called Parquet", "x", "cannot be read", name="t.parquet", varies=DETAIL),
    table("text called gzipped", "x,y", "not gzipped", name="t.csv.gz", varies=DETAIL),
    table("a gzipped file cut short", MANY_CELLS, "not gzipped", name="t.csv.gz", varies=DETAIL),
    table("a gzipped file of wrong bytes", GZIP_HEAD + b"\xff" * 50, "not gzipped",
          name="t.csv.gz", varies=DETAIL),
    table("the wrong separator", "y,a\n1,2\n2,3\n", "single", "--separator", ";"),
]  # fmt: skip
OPTIONS: list[Case] = [
    option("select nothing.csv -y y", "no such file"),
    option("select dta.csv -y y", "did you mean"),
    option("select . -y y", "is a folder"),
    option("select data.csv", "Missing option '--target'"),
    option("select data.csv -y yy", "did you mean 'y'"),
    option("select data.csv -y y --separator ab", "not one character"),
    option("select data.csv -y y --separator ::", "one character"),
    option('select data.csv -y y --separator "', "one character"),
    option("select data.csv -y y --encoding utf-99", "unknown"),
    option("select data.csv -y y --method dart-cv", "'dart-vc'"),
    option("select data.csv -y y --goal fast", "balanced"),
    option("select data.csv -y y --features bb", "did you mean 'b'"),
    option("select data.csv -y y --features a --exclude a", "is left"),
    option("select data.csv -y y --exclude y", "--exclude 'y' is the target"),
    option("select data.csv -y y --id-column woh", "--id-column 'woh' is no column"),
    option("select data.csv -y y --weights y", "--weights 'y' is the target"),
    option("select data.csv -y y --response classes", "'--response'"),
    option("select data.csv -y y --group g=", "NAME=COLUMN"),
    option("select data.csv -y y --exclude who --group g=aa", "did you mean 'a'"),
    option("select data.csv -y y --group g=a --group g=b", "twice"),
    option("select data.csv -y y --weights w", "--weights 'w'"),
    option("select data.csv -y y --blocks site", "--blocks 'site'"),
    option("select data.csv -y y --fits many", "'--fits'"),
    option("select data.csv -y y --exclude who --fits 0", "'--fits'"),
    option("select data.csv -y y --exclude who --draws 0", "'--draws'"),
    option("select data.csv -y y --exclude who --jobs 0", "--jobs must be"),
    option("select data.csv -y y --exclude who --resample-rows 1", "'--resample-rows'"),
    option("select data.csv -y y --exclude who --resample-rows 51", "give 52"),
    option("select data.csv -y y --exclude who --resume", "no run"),
    option("select data.csv -y y --exclude who --out data.csv", "is a file"),
    option("compare data.csv -y y --methods dart-mpn", "dart-mpm"),
    option("predict data.csv data.csv -y y --exclude who --out data.csv", "exists"),
    option("predict data.csv data.csv -y y --exclude who --out p.csv --interval 2", "--interval"),
    option("predict data.csv data.csv -y y --out p.csv --selection nowhere", "no selection",
           varies=DETAIL),
    option("completion tcsh", "'tcsh' is not one of"),
]  # fmt: skip
BENCH: list[Case] = [
    option("bench run --grid smok --out new", "'smok' is not one of"),
    option("bench run --grid smoke --methods dart-cv --out new", "mean 'dart-vc'"),
    option("bench run --grid smoke --methods dart-vc@x --out new", "no number of fits"),
    option("bench run --grid smoke --methods dart-vc@0 --out new", "'0' is no number of fits"),
    option("bench run --grid smoke --methods dart/vc --out new", "2 parts instead"),
    option("bench run --grid smoke --methods nowhere:f --out new", "cannot be loaded"),
    option("bench run --grid smoke --methods math:pi --out new", "is no function"),
    option("bench run --grid smoke --methods math:pow --out new", "that takes (X, y, seed)"),
    option("bench run --grid smoke --methods , --out new", "methods is empty"),
    option("bench run --grid smoke --snr 0 --out new", "--snr 0 is not in the grid"),
    option("bench run --grid smoke --snr -1 --out new", "--snr -1 is not in the grid"),
    option("bench run --grid smoke --n 7 --out new", "--n 7 is not in the grid"),
    option("bench run --grid smoke --problem II.11.17 --out new", "--problem II.11.17 is not"),
    option("bench run --grid smoke --problem X.1 --out new", "'smoke'; it has I.12.1"),
    option("bench run --grid smoke --shard 3 --out new", "form i/N"),
    option("bench run --grid smoke --shard 0/0 --out new", "form i/N"),
    option("bench run --grid smoke --shard 3/2 --out new", "give 1/2 to 2/2"),
    option("bench run --grid smoke --jobs 0 --out new", "Pass -1 for all CPUs"),
    option("bench run --grid smoke --lrep a --out new", "no list of numbers"),
    option("bench run --grid smoke --out data.csv", "no folder of results"),
    option("bench run --grid smoke --lrep 2 --out new", "name the methods it is for (--methods)"),
    option("bench run --grid smoke --methods bart-vip-gse --lrep 2 --out new", "--lrep 2:"),
    option("bench table new", "does not exist"),
    option("bench status new", "is no folder"),
    option("bench table data.csv", "other columns"),
    option("bench rescore new --methods dart-vc --out x.parquet", "is no folder"),
    option("bench rescore data.csv --methods dart-vc --out x.parquet", "is no folder"),
    option("bench rescore new --methods dart-vc --out x.txt", "neither in .parquet nor in .csv"),
    option("bench rescore new --methods dart-vc --out data.csv", "exists"),
    option("bench rescore new --methods math:pi --out x.csv", "name one that takes (kept)"),
    option("bench rescore new --methods math:pow --out x.csv", "'math:pow' takes (x, y, /)"),
    option("bench compare new dart-vc bart-vc", "does not exist"),
]

CASES: list[Case] = [*TARGETS, *COLUMNS, *FILES, *OPTIONS, *BENCH]
