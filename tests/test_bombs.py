"""Small files that unpack to far more than memory holds are refused before they are unpacked."""

from __future__ import annotations

import gzip
import io
import json
import resource
import shutil
import struct
import subprocess
import sys
import zipfile

import numpy as np
import polars as pl
import pytest

import bayesvc as bv
from bayesvc import _validation
from bayesvc.cli.errors import BadInput
from bayesvc.cli.table_file import read_table
from tests.helpers.paths import FIXTURES

ROOM = 2**28  # bytes that a child may still take once everything is loaded
HUGE = 2**29

LOADERS = {
    bv.Draws: "draws-1-bart.npz",
    bv.Selection: "selection-1-permutation.npz",
    bv.VariableSelector: "selector-1.npz",
}

# All modules are loaded before the limit is set.
CHILD = """
import json, resource, sys
from pathlib import Path
import numpy, polars, scipy.stats, sklearn, zipfile, gzip, csv
import bayesvc as bv
from bayesvc.cli.table_file import read_table
bv.Draws.load({fixture!r})
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
if {limited}:
    resource.setrlimit(resource.RLIMIT_AS, (used + {room}, used + {room}))
for kind, path in json.loads(sys.argv[1]):
    before, message = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, ""
    try:
        read_table(Path(path)) if kind == "table" else getattr(bv, kind).load(path)
    except Exception as error:
        message = f"{{type(error).__name__}} {{getattr(error, 'message', error)}}"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps([message, grown]))
"""


def refusals(files, limited=True):
    """Return for each kind and path the message of a child, and by how many kB its peak grew."""
    fixture = str(FIXTURES / "draws-1-bart.npz")
    program = CHILD.format(fixture=fixture, room=ROOM, limited=limited)
    given = json.dumps([(kind, str(path)) for kind, path in files])
    command = [sys.executable, "-c", program, given]
    done = subprocess.run(command, text=True, capture_output=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def header(shape, dtype):
    """The beginning of an npy file."""
    raw = io.BytesIO()
    about = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(raw, about)
    return raw.getvalue()


def with_zeros(source, path, name, shape, dtype):
    """Copy a file, with an array of zeros that takes thousands of times less room in it."""
    left = int(np.prod(shape)) * np.dtype(dtype).itemsize
    with (
        zipfile.ZipFile(source) as old,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        for member in old.namelist():
            if member != f"{name}.npy":
                new.writestr(member, old.read(member))
        with new.open(f"{name}.npy", "w", force_zip64=True) as file:
            file.write(header(shape, dtype))
            zeros = bytes(2**24)
            while left:
                left -= file.write(zeros[:left])


BOMBS = {"settings": ((HUGE,), np.uint8), "vc": ((2, HUGE // 16), np.float64)}
PREFIXES = {bv.Draws: "", bv.Selection: "draws/", bv.VariableSelector: "selection/draws/"}


@pytest.fixture(scope="module")
def refused_bombs(tmp_path_factory):
    """Return what came of each file, where there is little memory and where there is enough."""
    folder, files = tmp_path_factory.mktemp("bombs"), {}
    for kind, source in LOADERS.items():
        for name, (shape, dtype) in BOMBS.items():
            path = files[kind, name] = folder / f"{kind.__name__}-{name}.npz"
            with_zeros(FIXTURES / source, path, PREFIXES[kind] + name, shape, dtype)
            assert path.stat().st_size < HUGE // 100
    given = [(kind.__name__, path) for (kind, _), path in files.items()]
    both = zip(refusals(given), refusals(given, limited=False), strict=True)
    return dict(zip(files, both, strict=True))


@pytest.mark.parametrize("kind", LOADERS)
@pytest.mark.parametrize("name", BOMBS, ids=["settings", "an array"])
def test_a_file_that_unpacks_to_far_more_than_there_is_room_for(kind, name, refused_bombs):
    (told_little, grown_little), (told_enough, grown_enough) = refused_bombs[kind, name]
    assert f"{kind.__name__}-{name}.npz" in told_little
    assert "GB are available" in told_little
    assert grown_little < 100_000
    assert told_enough.startswith(("ValueError", "MemoryError"))
    assert f"{kind.__name__}-{name}.npz" in told_enough
    assert grown_enough < 100_000


def test_an_array_that_nobody_asks_for_is_not_unpacked(tmp_path):
    path = tmp_path / "more.npz"
    with_zeros(FIXTURES / "draws-1-bart.npz", path, "other", (2**28,), np.uint8)
    ((message, grown),) = refusals([("Draws", path)], limited=False)
    assert message == ""
    assert grown < 100_000


@pytest.mark.parametrize("kind", LOADERS)
def test_an_array_whose_header_claims_more_than_it_has(kind, tmp_path):
    path = tmp_path / "liar.npz"
    shutil.copy(FIXTURES / LOADERS[kind], path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("classes2.npy", header((10**15,), np.float64) + bytes(80))
    with pytest.raises(
        ValueError, match=r"says that it has 8,000,000,000,000,000 bytes, but .* 80"
    ):
        kind.load(path)


def test_a_member_that_unpacks_to_more_than_it_declares(tmp_path):
    """The directory of the archive says 80 bytes less than there are."""
    path = tmp_path / "liar.npz"
    raw = io.BytesIO()
    np.save(raw, np.zeros(2**20))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("settings.npy", raw.getvalue())
    size = len(raw.getvalue())
    small = header((10,), np.float64)
    content = path.read_bytes().replace(struct.pack("<L", size), struct.pack("<L", size - 80))
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"not a Draws file, or it is damaged \('settings' says"):
        bv.Draws.load(path)
    raw = small + bytes(2**20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("settings.npy", raw)
    size = struct.pack("<L", len(small) + 80)
    path.write_bytes(path.read_bytes().replace(struct.pack("<L", len(raw)), size))
    with pytest.raises(ValueError, match=r"not a Draws file.*CRC"):
        bv.Draws.load(path)


@pytest.fixture(scope="module")
def zipped_table(tmp_path_factory):
    """A gzipped table of a few megabytes that unpacks to a hundred times more."""
    path = tmp_path_factory.mktemp("bombs") / "bomb.csv.gz"
    rows = b"1,2,3,4\n" * 2**21
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"y,a,b,c\n")
        for _ in range(HUGE // len(rows)):
            file.write(rows)
    return path


def test_a_gzipped_table_that_unpacks_to_far_more_than_there_is_room_for(zipped_table):
    assert zipped_table.stat().st_size < HUGE // 100
    ((message, grown),) = refusals([("table", zipped_table)])
    assert message.startswith("BadInput")
    assert "bomb.csv.gz needs, unpacked, at least" in message
    assert "are available. Remove columns or rows" in message
    assert grown * 1024 < ROOM // 4


@pytest.mark.parametrize("ending", ["csv.gz", "txt.gz", "parquet.gz"])
@pytest.mark.parametrize("content", [b"a" * 10**7, b"\n" * 10**7])
def test_other_gzipped_files_stop_too(ending, content, tmp_path, monkeypatch):
    path = tmp_path / f"t.{ending}"
    path.write_bytes(gzip.compress(b"y,a\n1,2\n" + content))
    monkeypatch.setattr(_validation, "available_memory", lambda: 10**7)
    with pytest.raises(BadInput, match=r"t\..*gz needs, unpacked, at least"):
        read_table(path)


@pytest.mark.parametrize("ending", ["parquet", "feather", "xlsx"])
def test_tables_whose_own_compression_hides_their_size(ending, tmp_path, monkeypatch):
    frame = pl.DataFrame({"y": np.arange(20_000) % 2, "a": np.zeros(20_000)})
    path = tmp_path / f"t.{ending}"
    write = {"parquet": "write_parquet", "feather": "write_ipc", "xlsx": "write_excel"}[ending]
    getattr(frame, write)(path)
    assert read_table(path).frame.collect().equals(frame)
    monkeypatch.setattr(_validation, "available_memory", lambda: 10**5)
    with pytest.raises(BadInput, match=r"needs about \d+ GB of memory, but only 0 GB"):
        read_table(path)


def test_the_limit_of_the_address_space_counts_as_memory():
    limit = resource.getrlimit(resource.RLIMIT_AS)
    program = (
        "import resource; from bayesvc._validation import available_memory;"
        "resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33)); print(available_memory())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert 0 < int(done.stdout) < 2**33
    assert resource.getrlimit(resource.RLIMIT_AS) == limit
