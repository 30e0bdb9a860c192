"""What Python functions write is whole or absent, on a disk that is full too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bayesvc as bv

# No file of this process may grow beyond 100 bytes, as if the disk were full.
SCRIPT = """
import resource, signal, sys
from pathlib import Path
import polars as pl
import bayesvc as bv
from bayesvc.bench.row_files import write_rows
found, path = bv.select_from(bv.Draws.from_counts([[[9, 1]], [[7, 0]]])), Path(sys.argv[2])
writers = {
    "json": found.to_json,
    "html": found.to_html_report,
    "npz": found.save,
    "svg": found.plot().save,
    "parquet": lambda path: write_rows(pl.DataFrame({"n": list(range(1000))}), path),
}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    writers[sys.argv[1]](path)
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
@pytest.mark.parametrize("form", ["json", "html", "npz", "svg", "parquet"])
def test_an_old_file_stands_if_the_new_one_does_not_fit(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"found.{form}"
    path.write_text("the old file")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, form, path], capture_output=True, text=True, check=True
    )
    assert path.name in run.stdout
    assert path.read_text() == "the old file"
    assert [own.name for own in tmp_path.iterdir()] == [path.name]


def test_files_without_an_ending_are_written(tmp_path: Path) -> None:
    found = bv.select_from(bv.Draws.from_counts([[[9, 1]], [[7, 0]]]))
    found.to_json(tmp_path / "found")
    assert (tmp_path / "found").read_text() == found.to_json() + "\n"
