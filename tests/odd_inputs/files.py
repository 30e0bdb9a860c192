"""Odd files: damaged, of other versions, of something else."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
from sklearn.exceptions import NotFittedError

import bayesvc as bv
from tests.helpers.paths import FIXTURES
from tests.odd_inputs.case import Accepted, Case, Refused
from tests.odd_inputs.data import X, Y

DETAIL = r"(?<=\().*(?=\)\. Pass)"  # what numpy or zipfile says


def fixture(name: str) -> bv.Draws:
    """Draws that were saved by the first version."""
    return bv.Draws.load(FIXTURES / f"draws-1-{name}.npz")


class Bomb:
    """Writes a file if it is ever made from a pickle."""

    def __reduce__(self) -> Any:
        return (Path.touch, (Path("exploded"),))


def changed(settings: dict[str, Any] | None = None, **arrays: Any) -> Callable[[Path], None]:
    """Put other settings or arrays into a file."""

    def change(path: Path) -> None:
        with np.load(path) as file:
            parts = dict(file)
        told = json.loads(parts["settings"].tobytes()) | (settings or {})
        parts |= {"settings": np.frombuffer(json.dumps(told).encode(), np.uint8), **arrays}
        np.savez(path, **parts)

    return change


def with_leaf(value: float) -> Callable[[Path], None]:
    """Put a value into the first leaf of a forest."""

    def change(path: Path) -> None:
        with np.load(path) as file:
            variable, values = file["forests/1/variable"], file["forests/1/value"].copy()
        values[np.flatnonzero(variable < 0)[0]] = value
        changed(**{"forests/1/value": values})(path)

    return change


def written(content: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content) and None


def member(name: str, content: bytes) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, content)

    return change


def claiming(n_numbers: int) -> Callable[[Path], None]:
    """Add an array that says it has so many numbers, and has ten."""

    def change(path: Path) -> None:
        raw = io.BytesIO()
        about = {"descr": "<f8", "fortran_order": False, "shape": (n_numbers,)}
        np.lib.format.write_array_header_1_0(raw, about)
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("more.npy", raw.getvalue() + bytes(80))

    return change


def gzipped_bomb() -> None:
    """Read a gzipped table of 10 kB on a machine with 10 MB of memory."""
    from bayesvc.cli.table_file import read_table

    Path("t.csv.gz").write_bytes(gzip.compress(b"y,a\n" + b"1,2\n" * 10**6))
    with mock.patch("bayesvc._validation.available_memory", return_value=10**7):
        read_table(Path("t.csv.gz"))


def bad_input() -> type[Exception]:
    from bayesvc.cli.errors import BadInput

    return BadInput


def copied(name: str) -> Callable[[Path], None]:
    return lambda path: shutil.copy(FIXTURES / name, path) and None


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    path.write_bytes(raw)


def bad(
    goes_in: str,
    change: Callable[[Path], None],
    *says: str,
    varies: str | None = DETAIL,
    kind: Any = bv.Draws,
) -> Refused:
    """A file that was changed, which `load` refuses without running its contents."""
    source, name = {
        bv.Draws: ("draws-1-bart.npz", "draws.npz"),
        bv.Selection: ("selection-1-permutation.npz", "found.npz"),
        bv.VariableSelector: ("selector-1.npz", "selector.npz"),
    }[kind]

    def load() -> None:
        path = Path(name)
        shutil.copy(FIXTURES / source, path)
        change(path)
        try:
            kind.load(path)
        finally:
            assert not Path("exploded").exists(), "a pickle was loaded"

    what = f"`{kind.__name__}.load` of {goes_in}"
    return Refused(what, load, ValueError, (repr(name), *says), varies)


def checkpoint_in_a_file() -> None:
    Path("fits").write_text("dear")
    bv.sample(X, Y, checkpoint="fits", random_state=0)


def two_chains(_: object = None) -> None:
    settings = {"n_trees": 2, "burn_in": 1, "n_draws": 1, "random_state": 0}
    bv.sample(X, Y, n_replicates=2, checkpoint="fits", **settings)


def two_chains_mixed_up() -> None:
    two_chains()
    shutil.copy(*sorted(Path("fits").iterdir()))


def results_in(name: str) -> Callable[[], None]:
    """Open a folder of benchmark results that is something else."""

    def open_store() -> None:
        from bayesvc.bench.grid import StudySettings
        from bayesvc.bench.store import Store

        Path("thesis.txt").write_text("dear")
        Path("old").mkdir()
        about = {"format": 99, "bayesvc": "9.0", "settings": {"of": "its own"}}
        (Path("old") / "store.json").write_text(json.dumps(about))
        Store(name, StudySettings("smoke"))

    return open_store


def results_with(name: str, damage: Callable[[Path], object]) -> Callable[[], None]:
    """Read a folder of benchmark results with a file among its rows that does not belong there."""

    def read_store() -> None:
        from bayesvc.bench.grid import StudySettings
        from bayesvc.bench.store import Store

        store = Store("study", StudySettings("smoke"))
        damage(store.folder / "rows" / name)
        store.rows()

    return read_store


def store_error() -> type[Exception]:
    from bayesvc.bench.shards import StoreError

    return StoreError


DRAWS: list[Case] = [
    bad("a file cut short", cut, "not a Draws file, or it is damaged", "`path`",
        "that Draws.save wrote"),
    bad("a file with a changed byte", flip, "cannot be read"),
    bad("an empty file", written(b""), "not a Draws file, or it is damaged"),
    bad("a text", written(b"something else altogether"), "not a Draws file, or it is damaged"),
    bad("a pickle", written(pickle.dumps(Bomb())), "not a Draws file, or it is damaged"),
    bad("an npz file that holds a pickle", member("settings.npy", pickle.dumps(Bomb())),
        "not a Draws file, or it is damaged"),
    bad("an npz file with an array of objects",
        lambda path: np.savez(path, settings=np.array([Bomb()], dtype=object)),
        "not a Draws file, or it is damaged"),
    bad("an npz file of other arrays", lambda path: np.savez(path, a=np.arange(3)),
        "not a Draws file"),
    bad("a file of another format", changed({"format": "other"}), "not a Draws file",
        varies=None),
    bad("a file of a later format version", changed({"version": 99}), "format version 99",
        "Install the version", varies=None),
    bad("a file whose arrays have other shapes", changed(vc=np.zeros((1, 1))), "are inconsistent",
        varies=None),
    bad("a file with a prior that there is not", changed({"prior": {"kind": "OTHER"}}),
        "are inconsistent", "the prior 'OTHER' is unknown", "'gamma'", varies=None),
    bad("a file whose trees are damaged", changed(**{"forests/1/variable": np.array(["a"])}),
        "trees are damaged"),
    bad("a file with NaN as the value of a leaf", with_leaf(np.nan), "trees are damaged",
        "a leaf has the value nan", varies=None),
    bad("a file with an infinite value of a leaf", with_leaf(-np.inf), "trees are damaged",
        "a leaf has the value -inf", varies=None),
    bad("a file with an array that says it has more numbers than it has", claiming(10**15),
        "says that it has 8,000,000,000,000,000 bytes, but it has 80", varies=None),
    Refused("`Draws.load` of a file that is not there", lambda: bv.Draws.load("none.npz"),
            FileNotFoundError, ("none.npz",)),
    Refused("`draws.save` into a folder that is not there",
            lambda: fixture("bart").save("nowhere/draws.npz"), FileNotFoundError,
            ("nowhere/draws.npz", "Make the folder")),
    Accepted("`Draws.load` of a file of the first format version", lambda: fixture("bart"),
             "it is read, now and for ever", lambda draws: draws.n_replicates == 2),
]  # fmt: skip

SELECTIONS: list[Case] = [
    bad("a file cut short", cut, "not a Selection file, or it is damaged", kind=bv.Selection),
    bad("a pickle", written(pickle.dumps(Bomb())), "not a Selection file, or it is damaged",
        kind=bv.Selection),
    bad("a file of a later format version", changed({"version": 99}), "format version 99",
        varies=None, kind=bv.Selection),
    bad("a file of draws", copied("draws-1-bart.npz"), "not a Selection file", varies=None,
        kind=bv.Selection),
    bad("a file whose mask has another length", changed(mask=np.ones(7, bool)), "are inconsistent",
        varies=None, kind=bv.Selection),
    bad("a file cut short", cut, "not a VariableSelector file, or it is damaged",
        kind=bv.VariableSelector),
    bad("a pickle", written(pickle.dumps(Bomb())), "not a VariableSelector file, or it is damaged",
        kind=bv.VariableSelector),
    bad("a file of a later format version", changed({"version": 99}), "format version 99",
        varies=None, kind=bv.VariableSelector),
    Refused("`VariableSelector().save(path)` before `fit`",
            lambda: bv.VariableSelector().save("selector.npz"), NotFittedError, ("not fitted",)),
]  # fmt: skip

OTHERS: list[Case] = [
    Refused("`checkpoint=` a file", checkpoint_in_a_file, ValueError,
            ("`checkpoint` must be a folder", "Got the file 'fits'")),
    Refused("`checkpoint=` a folder in which a file was copied to another chain's name", two_chains,
            ValueError, ("holds another chain than its name says", "Delete it"),
            r"(?<=fit-)[0-9a-f]+", two_chains_mixed_up),
    Refused("a gzipped table that unpacks to more than memory holds", gzipped_bomb, bad_input(),
            ("needs, unpacked, at least", "Remove columns or rows"), r"[\d.]+(?= GB)"),
    Refused("benchmark results into a folder of something else", results_in("."), store_error(),
            ("is not a folder of results",)),
    Refused("benchmark results into a file", results_in("thesis.txt"), store_error(),
            ("is not a folder of results",)),
    Refused("benchmark results of another format", results_in("old"), store_error(),
            ("written by bayesvc 9.0 (format 99)",), r"(?<=this is )\S+"),
    Refused("benchmark results with a changed byte",
            results_with(f"a.sha256-{0:032x}.parquet", written(b"PAR1")), store_error(),
            ("its checksum does not match", "Move it away")),
    Refused("benchmark results with a link that leads nowhere",
            results_with("a.parquet", lambda path: path.symlink_to("nowhere")), store_error(),
            ("a link to a file that does not exist", "Move it away")),
    Refused("benchmark results with a file of other columns",
            results_with("a.parquet", lambda path: pl.DataFrame({"a": [1]}).write_parquet(path)),
            store_error(), ("does not have the columns of results", "Move it away")),
]  # fmt: skip

CASES: list[Case] = [*DRAWS, *SELECTIONS, *OTHERS]
