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


def into(
    goes_in: str, file: tuple[str, str], says: str, *options: str, varies: str | None = None
) -> Command:
    """A folder of results that is refused for a file in it."""
    args = ("select", "data.csv", "-y", "y", "--exclude", "who", "--out", "out", *options)
    return Command(goes_in, args, says, (DATA, file), varies)


TARGETS: list[Case] = [
    table("three classes", "y,a\nu,1\nv,2\nw,3\n", "Delete the rows of one"),
    table("four classes", "y,a\nu,1\nv,2\nw,3\nx,4\n", "compares one class with the rest"),
    table("a constant target", "y,a\n1,1\n1,2\n1,3\n", "in every row"),
    table("a missing value in the target", "y,a\n1,1\nNA,2\n3,3\n", "is missing in 1 row."),
    table("an infinite target", "y,a\n1,1\ninf,2\n3,3\n", "is infinite in 1 row."),
    table("dates as target", "y,a\n2024-01-01,1\n2024-01-02,2\n2024-01-03,3\n",
          "such as '2024-01-01'"),
    table("three numbers as classes", "y,a\n1,1\n2,2\n3,3\n", "has 3 values",
          "--response", "binary"),
    table("weights of rows with two classes", "y,a,w\n0,1,1\n1,2,2\n1,3,1\n",
          "--weights requires a continuous response", "--weights", "w"),
    table("integers above 2**53 as target", "y,a\n9007199254740993,1\n9007199254740995,2\n",
          "which would be rounded to 9007199254740992"),
    table("two words as numbers", "y,a\nill,1\nwell,2\nill,3\n", "holds text",
          "--response", "continuous"),
    table("numbers and text as target", "y,a\n1,1\n2,2\n3 years,3\n", "'3 years' in row 3"),
]  # fmt: skip
COLUMNS: list[Case] = [
    table("an infinite value", "y,a,b\n1,1,inf\n2,2,2\n3,4,3\n", "1 infinite value."),
    table("an empty column", "y,a,b\n1,1,\n2,5,\n3,3,\n", "'b' holds missing values only"),
    table("text among numbers", "y,a\n1,2\n2,x3\n3,4\n4,5\n", "'x3' in row 2 of 'a'"),
    table(
        "text among numbers, after a missing value", "y,a\n1,\n2,x\n3,4\n4,5\n5,5\n", "'x' in row 2"
    ),
    table("text that differs in every row", "y,a,name\n1,2,ann\n2,3,bob\n", "--id-column name"),
    table(
        "text of 65 kinds",
        "y,a\n" + "".join(f"{i},k{i % 65}\n" for i in range(130)),
        "65 different texts such as 'k0', and at most 64",
    ),
    table(
        "the same in a column with a comma in its name",
        'y,a,"b, c"\n1,2,u\n2,3,v\n',
        """--exclude '"b, c"'""",
    ),
    table(
        "identifiers of 64 bits",
        "y,a,id\n1,1,18446744073709551615\n2,2,18446744073709551614\n",
        "--exclude id",
    ),
    table(
        "weights above 2**53",
        "y,a,w\n1,1,9007199254740993\n2,2,9007199254740995\n",
        "It holds the weights",
        "--weights",
        "w",
    ),
    table("dates", "y,day\n1,2024-01-01\n2,2024-01-02\n", "dates or times"),
    table("two columns of one name", "y,a,a\n1,2,3\n2,3,4\n", "Repeated: 'a'"),
    table(
        "a column without a name, and one with the name it would get",
        "y,,column 2\n1,2,3\n2,3,4\n",
        "'column 2'",
    ),
    table("line ends of old machines", "y;a;b\r9; a;3\r8; a;2", "Repeated: 'a'"),
    table("one column", "y\n1\n2\n", "single column"),
    table("no rows", "y,a\n", "no rows"),
]
FILES: list[Case] = [
    table("an empty file", "", "is empty"),
    table("blank lines only", "\n \n", "is empty"),
    table(
        "rows of unequal length", "y,a\n1,2\n2,3,4\n", "have the same length", varies=DETAIL
    ),
    table("a cell without end", "y,a\n1," + "2" * 200_000, "cannot be read", varies=DETAIL),
    table("bytes that are no text", "y,a\n1,\x002\n", "must be a text file"),
    table("latin-1 without saying so", "y,größe\n1,2\n2,3\n".encode("latin-1"), "not encoded"),
    table("UTF-16 without saying so", "y,a\n1,2\n2,3\n".encode("utf-16"), "such as utf-16"),
    table("an unknown kind of file", "x", "must end in .csv", name="t.docx"),
    table("text called Parquet", "x", "cannot be read", name="t.parquet", varies=DETAIL),
    table("text called gzipped", "x,y", "not gzipped", name="t.csv.gz", varies=DETAIL),
    table("a gzipped file cut short", MANY_CELLS, "not gzipped", name="t.csv.gz", varies=DETAIL),
    table("a gzipped file of wrong bytes", GZIP_HEAD + b"\xff" * 50, "not gzipped",
          name="t.csv.gz", varies=DETAIL),
    table("the wrong separator", "y,a\n1,2\n2,3\n", "single", "--separator", ";"),
]  # fmt: skip
OPTIONS: list[Case] = [
    option("select nothing.csv -y y", "does not exist"),
    option("select dta.csv -y y", "Did you mean"),
    option("select . -y y", "must be a file"),
    option("select data.csv", "Missing option '--target'"),
    option("select data.csv -y yy", "Did you mean 'y'"),
    option("select data.csv -y y --separator ab", "must be one character"),
    option("select data.csv -y y --separator ::", "one character"),
    option('select data.csv -y y --separator "', "one character"),
    option("select data.csv -y y --encoding utf-99", "must be a known encoding"),
    option("select data.csv -y y --method dart-cv", "'dart-vc'"),
    option("select data.csv -y y --goal fast", "balanced"),
    option("select data.csv -y y --features bb", "Did you mean 'b'"),
    option("select data.csv -y y --features a --exclude a", "is left"),
    option("select data.csv -y y --exclude y", "--exclude must not name the target"),
    option("select data.csv -y y --id-column woh", "--id-column must name a column"),
    option("select data.csv -y y --weights y", "--weights must not name the target"),
    option("select data.csv -y y --response classes", "'--response'"),
    option("select data.csv -y y --group g=", "NAME=COLUMN"),
    option("select data.csv -y y --exclude who --group g=aa", "Did you mean 'a'"),
    option("select data.csv -y y --group g=a --group g=b", "twice"),
    option("select data.csv -y y --weights w", "--weights must name a column"),
    option("select data.csv -y y --blocks site", "--blocks must name a column"),
    option("select data.csv -y y --replicates many", "'--replicates'"),
    option("select data.csv -y y --exclude who --replicates 0", "'--replicates'"),
    option("select data.csv -y y --exclude who --draws 0", "'--draws'"),
    option("select data.csv -y y --exclude who --jobs 0", "--jobs must be"),
    option("select data.csv -y y --exclude who --subsamples 1", "'--subsamples'"),
    option("select data.csv -y y --exclude who --subsamples 51", "52"),
    option("select data.csv -y y --exclude who --resume", "no unfinished run"),
    option("select data.csv -y y --exclude who --out data.csv", "must be a folder"),
    into("`--out out`, where another run is writing",
         ("out/.running", "elsewhere+7+0\n1700000000\n"),
         "out is in use by another run: process 7 on elsewhere", varies=r"(?<=since )[^.]*"),
    into("`--out out` with a file in the place of its folder of replicates", ("out/unfinished", ""),
         "must be a folder"),
    into("`--out out` with a folder in the place of a result", ("out/report.html/page", ""),
         "out/report.html must be a file"),
    into("`--out out` with a file in the place of its figures", ("out/figures", ""),
         "out/figures must be a folder, and not a link"),
    into("`--resume` of a run with other settings",
         ("out/unfinished/run.json", '{"format": 1, "settings": {"--seed": 5}}'),
         "--seed: was 5, is now 0", "--resume", varies=r"(?<=is now 0 ).*(?= Give --resume)"),
    into("`--resume` of replicates whose settings are not known",
         ("out/unfinished/fit-0123456789abcdef0123456789abcdef.npz", ""), "--overwrite",
         "--resume"),
    into("`--out out` with other files in it", ("out/thesis.txt", "dear"), "is not empty"),
    option("compare data.csv -y y --methods dart-mpn", "dart-mpm"),
    option("predict data.csv data.csv -y y --exclude who --out data.csv", "exists"),
    option("predict data.csv data.csv -y y --exclude who --out p.csv --interval 2", "--interval"),
    option("predict data.csv data.csv -y y --out p.csv --selection nowhere", "must be a folder of",
           varies=DETAIL),
    option("completion tcsh", "'tcsh' is not one of"),
]  # fmt: skip
BENCH: list[Case] = [
    option("bench run --grid smok --out new", "'smok' is not one of"),
    option("bench run --grid smoke --methods dart-cv --out new", "mean 'dart-vc'"),
    option("bench run --grid smoke --methods dart-vc@x --out new", "must be a positive integer"),
    option("bench run --grid smoke --methods dart-vc@0 --out new", "must be a positive integer"),
    option("bench run --grid smoke --methods dart/vc --out new", "must have three parts"),
    option("bench run --grid smoke --methods nowhere:f --out new", "cannot be imported"),
    option(
        "bench run --grid smoke --methods math:pi --out new", "must be a function of (X, y, seed)"
    ),
    option("bench run --grid smoke --methods math:pow --out new", "Got a function of (x, y, /)"),
    option("bench run --grid smoke --methods , --out new", "--methods must name"),
    option("bench run --grid smoke --snr 0 --out new", "--snr must be one of"),
    option("bench run --grid smoke --snr -1 --out new", "Got -1 instead"),
    option("bench run --grid smoke --n 7 --out new", "--n must be one of"),
    option("bench run --grid smoke --problem II.11.17 --out new", "--problem must be one of"),
    option("bench run --grid smoke --problem X.1 --out new", "'smoke': I.12.1"),
    option("bench run --grid smoke --shard 3 --out new", "must be i/N"),
    option("bench run --grid smoke --shard 0/0 --out new", "must be i/N"),
    option("bench run --grid smoke --shard 3/2 --out new", "must be i/N"),
    option("bench run --grid smoke --jobs 0 --out new", "Pass -1 for all CPUs"),
    option(
        "bench run --grid smoke --replicates a --out new", "must be numbers separated by commas"
    ),
    option("bench run --grid smoke --out data.csv", "is not a folder of results"),
    option(
        "bench run --grid smoke --replicates 2 --out new", "--replicates must come with --methods"
    ),
    option(
        "bench run --grid smoke --methods bart-vip-gse --replicates 2 --out new",
        "Got --replicates 2 instead",
    ),
    option("bench table new", "does not exist"),
    option("bench status new", "must be a folder of results"),
    option("bench table data.csv", "must have the columns of results"),
    option("bench rescore new --methods dart-vc --out x.parquet", "must be a folder of results"),
    option(
        "bench rescore data.csv --methods dart-vc --out x.parquet", "must be a folder of results"
    ),
    option("bench rescore new --methods dart-vc --out x.txt", "must end in .parquet or .csv"),
    option("bench rescore new --methods dart-vc --out data.csv", "exists"),
    option("bench rescore new --methods math:pi --out x.csv", "must be a function of (kept)"),
    option("bench rescore new --methods math:pow --out x.csv", "Got a function of (x, y, /)"),
    option("bench compare new dart-vc bart-vc", "does not exist"),
]

CASES: list[Case] = [*TARGETS, *COLUMNS, *FILES, *OPTIONS, *BENCH]
