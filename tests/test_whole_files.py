"""What Python functions write is whole or absent, on a disk that is full too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bayesvc as bv

FORMS = ["json", "html", "npz", "svg", "parquet"]

# No file of this process may grow beyond 100 bytes, as if the disk were full.
SCRIPT = """
import json, resource, signal, sys
from pathlib import Path
import polars as pl
import bayesvc as bv
from bayesvc.bench.row_files import write_rows
found = bv.select_from(bv.Draws.from_counts([[[9, 1]], [[7, 0]]]))
writers = {
    "json": found.to_json,
    "html": found.to_html_report,
    "npz": found.save,
    "svg": found.plot().save,
    "parquet": lambda path: write_rows(pl.DataFrame({"n": list(range(1000))}), path),
}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
said = {}
for form, write in writers.items():
    try:
        write(Path(sys.argv[1]) / form / f"found.{form}")
    except OSError as error:
        said[form] = str(error)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Return a folder with an old file of each form, and what came of writing over it."""
    folder = tmp_path_factory.mktemp("full")
    for form in FORMS:
        (folder / form).mkdir()
        (folder / form / f"found.{form}").write_text("the old file")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, folder], capture_output=True, text=True, check=True
    )
    return folder, json.loads(run.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
@pytest.mark.parametrize("form", FORMS)
def test_an_old_file_stands_if_the_new_one_does_not_fit(
    form: str, full_disk: tuple[Path, dict[str, str]]
) -> None:
    folder, said = full_disk
    path = folder / form / f"found.{form}"
    assert path.name in said[form]
    assert path.read_text() == "the old file"
    assert [own.name for own in path.parent.iterdir()] == [path.name]


def test_files_without_an_ending_are_written(tmp_path: Path) -> None:
    found = bv.select_from(bv.Draws.from_counts([[[9, 1]], [[7, 0]]]))
    found.to_json(tmp_path / "found")
    assert (tmp_path / "found").read_text() == found.to_json() + "\n"
