"""Random text, and random bytes, to the command line's reader of tables.

Allowed: data for the sampler, or an error of click, which is shown as one message.

python fuzz/fuzz_tables.py [options of libFuzzer] folder-of-inputs
"""

from __future__ import annotations

import contextlib
import gzip
import tempfile
from pathlib import Path

import atheris
import click
import harness

with atheris.instrument_imports(include=["bayesvc"]):
    from bayesvc.cli.chosen_columns import choose_columns
    from bayesvc.cli.errors import report_errors
    from bayesvc.cli.table_file import read_table
    from bayesvc.data.encode import encode_X
    from bayesvc.responses.encode import encode_y

FOLDER = Path(tempfile.mkdtemp())
CELLS = (
    "1", "0", "-2.5", "1e400", "1e-400", "3,5", "NA", "", "nan", "inf", "true", "False", "a",
    "ä€", "2020-01-01", "2020-01-01T10:00:00", "12:30", '"q"', '"a,b"', '"open', '"a\nb"', " 7 ",
    "99999999999999999999999", "0x1f", "1_000", "\ufeff", "\x00", "\u2028", "\x1c", "'", "x" * 300,
)  # fmt: skip
MARKS = (",", ";", "\t", "|", " ", "::", '"', "\n", "é", "")
ENCODINGS = ("utf-8", "utf8", "latin-1", "utf-16", "cp1252", "ascii", "idna", "rot13", "none-such")
ENDS = ("\n", "\r\n", "\r", "\n\n")
SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".parquet", ".arrow", ".CSV", ".doc")


def table(fdp: atheris.FuzzedDataProvider) -> str:
    """Return the text of a table that is mostly one."""
    mark = fdp.PickValueInList(list(MARKS[:5]))
    end = fdp.PickValueInList(list(ENDS))
    width, height = fdp.ConsumeIntInRange(1, 5), fdp.ConsumeIntInRange(0, 8)
    usual = [fdp.PickValueInList(list(CELLS)) for _ in range(width)]
    rows = [[f"c{j}" for j in range(width)]]
    for i in range(height):
        rows.append([str(i + j) if cell == "1" else cell for j, cell in enumerate(usual)])
    for _ in range(fdp.ConsumeIntInRange(0, 4)):
        row = fdp.PickValueInList(rows)
        if fdp.ConsumeBool() or not row:
            row.append(fdp.PickValueInList(list(CELLS)))
        else:
            row[fdp.ConsumeIntInRange(0, len(row) - 1)] = (
                fdp.PickValueInList(list(CELLS))
                if fdp.ConsumeBool()
                else fdp.ConsumeUnicodeNoSurrogates(6)
            )
    return end.join(mark.join(row) for row in rows) + fdp.PickValueInList(["", end])


@report_errors
def read(path: Path, separator: str | None, encoding: str) -> None:
    """Do what a command does before it samples."""
    frame = read_table(path, separator, encoding).frame
    chosen = choose_columns(frame, frame.columns[-1])
    encode_y(chosen.y, n_rows=len(encode_X(chosen.X).values))


def test_one_input(data: bytes) -> None:
    """One file."""
    fdp = atheris.FuzzedDataProvider(data)
    usual = fdp.ConsumeIntInRange(0, 3) > 0
    suffix = fdp.PickValueInList(list(SUFFIXES[:5] if usual else SUFFIXES))
    separator = None if usual else fdp.PickValueInList(list(MARKS))
    encoding = "utf-8" if usual else fdp.PickValueInList(list(ENCODINGS))
    zipped = suffix.endswith(".gz") and fdp.ConsumeIntInRange(0, 9) > 0
    damage = fdp.ConsumeIntInRange(0, 9) == 0
    if fdp.ConsumeIntInRange(0, 3) == 0:
        content = fdp.ConsumeBytes(fdp.remaining_bytes())
    else:
        content = table(fdp).encode(errors="replace")
    if zipped:
        content = gzip.compress(content)
    if damage and content:
        at = fdp.ConsumeIntInRange(0, len(content) - 1)
        content = content[:at] + fdp.ConsumeBytes(2) + content[at + 2 :]
    path = FOLDER / f"table{suffix}"
    path.write_bytes(content)
    with contextlib.suppress(click.ClickException):
        read(path, separator, encoding)


if __name__ == "__main__":
    seeds = [b"a,b\n1,2\n3,4\n", b"a;b\n1,5;2\n", b"a\tb\n1\t2\n", bytes(range(256))]
    harness.run(
        test_one_input, [bytes([k, 0, 0, 0, j]) + s for s in seeds for k in (0, 1) for j in (0, 1)]
    )
