"""Damaged results of a study: every kind is found, in every command, and named in one line."""

from __future__ import annotations

import hashlib
import os
import shutil

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import bayesvc as bv
from bayesvc.bench import kept
from bayesvc.bench.grid_run import run_grid
from bayesvc.bench.row_files import read_rows
from bayesvc.bench.shards import StoreError
from bayesvc.bench.store import Store
from bayesvc.cli.app import app
from bayesvc.sampling.replicates import PriorDraws
from tests.helpers import small_grid
from tests.helpers.paths import ROOT
from tests.helpers.settings import SEEDED

GRID = small_grid.make(["tests.helpers.small_grid:first", "dart-vc@2"], n_tasks=3)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damage") / "s"
    run_grid(GRID, folder, n_jobs=1, keep_draws=True)
    return folder


@pytest.fixture
def folder(written, tmp_path):
    return shutil.copytree(written, tmp_path / "s")


def shard_of(folder):
    (path,) = (folder / "rows").glob("*.parquet")
    return path


def without_checksum(folder):
    """Give the file of rows the name that it had before names carried a checksum."""
    path = shard_of(folder)
    return path.rename(path.with_name("machine+1+abc+000001.parquet"))


def flipped(content, place, bit):
    changed = bytearray(content)
    changed[place] ^= 1 << bit
    return bytes(changed)


def damage_found(read):
    """Return what the error says that refuses a file; None if there is none."""
    try:
        read()
    except ValueError as error:
        return str(error)
    return None


def same(first, second):
    assert first == second


def random_flips(content, number):
    rng = np.random.default_rng(20260)
    for place, bit in zip(
        rng.integers(len(content), size=number), rng.integers(8, size=number), strict=True
    ):
        yield flipped(content, int(place), int(bit))


def test_a_change_of_any_bit_is_found(folder):
    path = shard_of(folder)
    for changed in random_flips(path.read_bytes(), 300):
        path.write_bytes(changed)
        with pytest.raises(StoreError, match="is damaged: its checksum") as raised:
            Store(folder).rows()
        assert path.name in str(raised.value)
        assert "Move it away and run the grid again" in str(raised.value)
        with pytest.raises(StoreError, match="is damaged"):
            Store(folder).missing(GRID.tasks)


def test_a_file_without_a_checksum_is_read(folder):
    before = Store(folder).rows()
    without_checksum(folder)
    assert Store(folder).rows().equals(before)
    assert Store(folder).missing(GRID.tasks) == {}


def test_a_changed_file_without_a_checksum_raises_no_foreign_error(folder):
    path = without_checksum(folder)
    good = path.read_bytes()
    n_found = 0
    for changed in random_flips(good, 300):
        path.write_bytes(changed)
        told = damage_found(lambda: Store(folder).rows())
        assert told is None or path.name in told
        n_found += told is not None
    assert n_found > 0


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("f1", 1.5), ("f1", 0.25), ("tpr", float("nan")), ("fpr", -0.1), ("seconds", -1.0),
        ("seconds", float("inf")), ("n", -1), ("snr", float("nan")), ("tp", 7), ("fp", 1),
        ("n_selected", 2**31 - 1), ("selected", [999]), ("selected", [-1]), ("method", None),
    ],
)  # fmt: skip
def test_impossible_numbers_are_refused_without_a_checksum_too(folder, column, value):
    path = without_checksum(folder)
    table = pl.read_parquet(path)
    kind = table.schema[column]
    table.with_columns(pl.lit(value, dtype=kind).alias(column)).write_parquet(path)
    with pytest.raises(StoreError, match=r"000001\.parquet is damaged: .*Move it away"):
        Store(folder).rows()


@pytest.mark.parametrize("file", ["rows", "rows-rivals", "rows-known-sigma"])
def test_published_results_are_possible(file):
    assert read_rows(ROOT / "docs" / "reproduction" / f"{file}.parquet").height > 0


def dangling(path):
    path.symlink_to("nowhere")


def other_schema(path):
    pl.DataFrame({"a": [1]}).write_parquet(path)


def other_types(path):
    rows = pl.read_parquet(shard_of(path.parent.parent))
    rows.with_columns(pl.col("n").cast(pl.String)).write_parquet(path)


def changed_bytes(path):
    good = shard_of(path.parent.parent)
    good.write_bytes(flipped(good.read_bytes(), 100, 0))


def cut_short(path):
    path.write_bytes(shard_of(path.parent.parent).read_bytes()[:-20])


DAMAGES = [dangling, other_schema, other_types, changed_bytes, cut_short, os.mkdir, os.mkfifo]


def bench(*args):
    return CliRunner().invoke(app, ["bench", *map(str, args)])


def assert_one_line(done, *parts):
    assert done.exit_code == 2, done.output
    assert isinstance(done.exception, SystemExit)
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("Error: ")
    for part in parts:
        assert part in line


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("command", ["status", "table", "compare", "claims", "figures", "export"])
def test_every_command_names_the_damage_in_one_line(folder, tmp_path, damage, command):
    more = {
        "compare": ["dart-vc", "tests.helpers.small_grid:first"],
        "figures": ["--out", tmp_path / "figures", "--no-scatter"],
        "export": [tmp_path / "rows.csv"],
    }
    damage(folder / "rows" / "other.parquet")
    done = bench(command, folder, *more.get(command, []))
    assert_one_line(done, ".parquet", "is damaged: ", "Move it away and run the grid again.")


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_run_does_not_start_on_damaged_results(folder, damage):
    damage(folder / "rows" / "other.parquet")
    with pytest.raises(StoreError, match="is damaged: "):
        run_grid(GRID, folder, n_jobs=1)
    assert not list((folder / "claims").iterdir())


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_changed_export_raises_no_foreign_error(folder, tmp_path, kind):
    path = tmp_path / f"rows.{kind}"
    assert bench("export", folder, path).exit_code == 0
    for changed in random_flips(path.read_bytes(), 200):
        path.write_bytes(changed)
        told = damage_found(lambda: read_rows(path))
        assert told is None or path.name in told


@pytest.fixture
def tallies(regression, tmp_path):
    draws = bv.sample(*regression, n_replicates=2, **SEEDED)
    path = tmp_path / "kept.npz"
    fits = {"dart": PriorDraws(draws, permuted=draws), "bart": PriorDraws(draws)}
    path.write_bytes(kept.pack(fits))
    return path


def fingerprint(path):
    """Return a hash of all numbers that a file of tallies gives."""
    found = hashlib.sha256()
    for prior, own in kept.unpack(path).items():
        for part in (own, own.permuted):
            arrays = () if part is None else (part.vc, part.vip, part.mpvip, part.mi, part.seconds)
            found.update(repr((prior, [array.tobytes() for array in arrays])).encode())
    return found.hexdigest()


def test_a_change_of_any_bit_of_kept_tallies_is_found_or_harmless(tallies):
    before, n_found = fingerprint(tallies), 0
    for changed in random_flips(tallies.read_bytes(), 600):
        tallies.write_bytes(changed)
        told = damage_found(lambda: same(fingerprint(tallies), before))
        assert told is None or "kept.npz cannot be read" in told
        n_found += told is not None
    assert n_found > 300


def test_an_array_that_was_lost_or_changed_is_found(tallies):
    with np.load(tallies) as file:
        arrays = dict(file)
    lost = {name: part for name, part in arrays.items() if not name.startswith("bart.")}
    changed = arrays | {"dart.fit.vc": arrays["dart.fit.vc"] + 1}
    for other in (lost, changed):
        np.savez(tallies, **other)
        with pytest.raises(ValueError, match=r"kept.npz cannot be read: .*checksum"):
            kept.unpack(tallies)


def test_of_several_priors_with_damaged_tallies_the_first_is_named(tallies):
    with np.load(tallies) as file:
        arrays = {name: part for name, part in file.items() if not name.endswith(".vc")}
    np.savez(tallies, **arrays)
    with pytest.raises(ValueError, match=r"cannot be read: bart.fit.\* does not hold the tallies"):
        kept.unpack(tallies)


def test_tallies_without_a_checksum_are_read(tallies):
    before = fingerprint(tallies)
    with np.load(tallies) as file:
        arrays = {name: part for name, part in file.items() if name != "sha256"}
    np.savez(tallies, **arrays)
    assert fingerprint(tallies) == before


def test_rescoring_names_damaged_tallies_in_one_line(folder, tmp_path):
    path = next((folder / "draws").rglob("*.npz"))
    out = tmp_path / "rows.csv"
    rescore = ("rescore", folder, "--methods", "dart-vc@2", "--jobs", 1, "--out", out)
    path.write_bytes(path.read_bytes()[:-20])
    assert_one_line(bench(*rescore), path.name, "cannot be read", "run its task again")
    np.savez(path, nothing=np.zeros(1))
    assert_one_line(bench(*rescore), path.name, "cannot be read", "run its task again")
    path.rename(path.with_name("notes.npz"))
    assert_one_line(bench(*rescore), "notes.npz")
