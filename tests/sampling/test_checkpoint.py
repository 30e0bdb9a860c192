"""A run that was stopped goes on to the same answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayesvc as bv
from bayesvc import _core
from bayesvc.sampling import checkpoint
from bayesvc.sampling.checkpoint import Checkpoint
from bayesvc.sampling.config import ChainConfig
from bayesvc.sampling.replicates import Interrupted
from tests.helpers.held import HOLD
from tests.helpers.processes import wait_for
from tests.helpers.settings import SEEDED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

ANSWER = """
import numpy as np
import bayesvc as bv

rng = np.random.default_rng(0)
X = rng.uniform(size=(300, 20))
y = 10 * X[:, 1] + 5 * X[:, 3] + rng.normal(size=300)

def answer(n_replicates, folder=None):
    found = bv.select(X, y, n_replicates=n_replicates, burn_in=500, n_draws=500, random_state=1,
                      n_jobs=2, checkpoint=folder)
    parts = (found.draws.vc, found.draws.sigma, found.values, found.signal.null,
             found.row_frequency)
    return found.names, *(part.tobytes() for part in parts)
"""
RUN = f"""{HOLD}{ANSWER}
import sys
bv.select(X, y, n_replicates=2, burn_in=1, n_draws=1)  # loads what is loaded on first use
print("begins", flush=True)
n_replicates, folder, left = sys.argv[1:]
hold(int(left), "never")
answer(int(n_replicates), folder)
"""


@pytest.fixture
def n_fits(monkeypatch):
    """Count the fits that are run."""
    calls = []
    fit = _core.fit

    def counted(*args):
        calls.append(1)
        return fit(*args)

    monkeypatch.setattr("bayesvc.sampling.chain.fit", counted)
    return calls


def test_finished_fits_are_not_run_again(regression, tmp_path, n_fits):
    first = bv.sample(*regression, n_replicates=2, checkpoint=tmp_path / "c", **SEEDED)
    assert len(n_fits) == 2
    more = bv.sample(*regression, n_replicates=5, checkpoint=tmp_path / "c", **SEEDED)
    assert len(n_fits) == 5
    plain = bv.sample(*regression, n_replicates=5, **SEEDED)
    for name in ("vc", "vip", "mpvip", "mi", "sigma", "n_splits", "alpha", "accepted"):
        np.testing.assert_array_equal(getattr(more, name), getattr(plain, name))
        np.testing.assert_array_equal(getattr(first, name), getattr(plain, name)[:2])


def test_what_differs_is_run_again(regression, tmp_path, n_fits):
    X, y = regression
    settings = {"n_replicates": 1, "checkpoint": tmp_path / "c", **SEEDED}
    bv.sample(X, y, **settings)
    others = [
        (X + 1e-9 * np.arange(len(X))[::-1, np.newaxis] ** 2, y, {}),
        (X, y + np.arange(len(y)), {}),
        (X, y, {"random_state": 4}),
        (X, y, {"burn_in": 41}),
        (X, y, {"n_draws": 41}),
        (X, y, {"n_trees": 21}),
        (X, y, {"prior": bv.BART()}),
        (X, y, {"prior": bv.DART(k=3)}),
        (X, y, {"prior": bv.DART(split_weights=[1, 1, 1, 1, 2])}),
        (X, y, {"keep_counts": True}),
    ]
    for number, (other_X, other_y, change) in enumerate(others, start=2):
        bv.sample(other_X, other_y, **{**settings, **change})
        assert len(n_fits) == number, change
    bv.sample(X, y, **settings)
    assert len(n_fits) == len(others) + 1


def test_the_key_of_a_chain_changes_only_with_its_result(monkeypatch):
    """A checkpoint must not be lost for a setting that makes no difference."""
    monkeypatch.setattr(checkpoint, "__version__", "0")
    about = _core.Columns(np.eye(3)), np.arange(3.0), _core.Settings()
    key = checkpoint.chain_key(*about, np.arange(4, dtype=np.uint64), ChainConfig(10, 10))
    assert key == "d8be5fe1e0788c7a626ce5b5991400bc"


def test_the_key_of_a_chain_tells_how_its_leaf_sd_is_learned():
    keys = set()
    for learned, limit in ((False, 2.0), (True, 2.0), (True, 4.0)):
        settings = _core.Settings()
        settings.learn_leaf_sd, settings.leaf_sd_limit = learned, limit
        about = _core.Columns(np.eye(3)), np.arange(3.0), settings
        seed = np.arange(4, dtype=np.uint64)
        keys.add(checkpoint.chain_key(*about, seed, ChainConfig(10, 10)))
    assert len(keys) == 3


def test_what_was_kept_comes_back(regression, tmp_path):
    settings = {
        "n_replicates": 2,
        "keep_counts": True,
        "keep_s": True,
        "keep_trees": True,
        **SEEDED,
    }
    first = bv.sample(*regression, checkpoint=tmp_path, **settings)
    again = bv.sample(*regression, checkpoint=tmp_path, **settings)
    np.testing.assert_array_equal(first.counts, again.counts)
    np.testing.assert_array_equal(first.s, again.s)
    np.testing.assert_array_equal(first.predict(regression[0]), again.predict(regression[0]))


def test_methods_share_a_checkpoint(regression, tmp_path, n_fits):
    short = {**SEEDED, "checkpoint": tmp_path, "signal_test": False}
    both = bv.compare(*regression, ["dart-vc", "bart-vip-local"], **short)
    assert len(n_fits) == 10 + 60
    one = bv.select(*regression, "bart-vip-gmax", **short)
    assert len(n_fits) == 70
    np.testing.assert_array_equal(one.null, both["bart-vip-local"].null)


def test_an_interrupt_tells_what_is_finished(regression, tmp_path, monkeypatch):
    fit, calls = _core.fit, []

    def third_is_stopped(*args):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return fit(*args)

    monkeypatch.setattr("bayesvc.sampling.chain.fit", third_is_stopped)
    with pytest.raises(Interrupted) as stopped:
        bv.select(*regression, n_jobs=1, checkpoint=tmp_path, **SEEDED)
    assert [need.n_replicates for need in stopped.value.finished.values()] == [2]
    monkeypatch.setattr("bayesvc.sampling.chain.fit", fit)
    partial = bv.select(*regression, n_replicates=2, checkpoint=tmp_path, **SEEDED)
    whole = bv.select(*regression, n_replicates=2, **SEEDED)
    np.testing.assert_array_equal(partial.values, whole.values)


@pytest.mark.parametrize(
    ("n_kills", "n_replicates"),
    [(3, 30), pytest.param(20, 200, marks=pytest.mark.weekly)],
)
def test_killed_at_random_moments_it_goes_on_to_the_same_bits(tmp_path, n_kills, n_replicates):
    folder, rng, n_kept = tmp_path / "c", np.random.default_rng(5), [0]
    command = [sys.executable, "-c", RUN, str(n_replicates), str(folder)]
    for _ in range(n_kills):
        # The last one is held, so that no kill comes too late; two threads may pass at once.
        left = max(n_replicates - 2 - n_kept[-1], 0)
        process = subprocess.Popen([*command, str(left)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        # So few more each time that at most half of all are finished, and then anywhere in a fit.
        more = n_kept[-1] + min(rng.integers(0, n_replicates // (2 * n_kills)), left)
        wait_for(lambda: len(list(folder.glob("fit-*.npz"))) >= more)  # noqa: B023
        time.sleep(rng.uniform(0, 0.02))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        n_kept.append(len(list(folder.glob("fit-*.npz"))))
    assert n_kept == sorted(n_kept), "a finished fit was lost"
    assert 0 < n_kept[-1] < n_replicates
    names: dict[str, Any] = {}
    exec(ANSWER, names)
    assert names["answer"](n_replicates, folder) == names["answer"](n_replicates)
    assert len(list(folder.glob("fit-*.npz"))) == n_replicates


def test_a_damaged_file_is_named(regression, tmp_path):
    bv.sample(*regression, n_replicates=1, checkpoint=tmp_path, **SEEDED)
    (path,) = tmp_path.glob("fit-*.npz")
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ValueError, match=rf"{path.name}.*is damaged.*Delete it"):
        bv.sample(*regression, n_replicates=1, checkpoint=tmp_path, **SEEDED)


def without(arrays, name):
    del arrays[name]


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: without(arrays, "vc"),
        lambda arrays: without(arrays, "batch_size"),
        lambda arrays: without(arrays, "forests/right"),
        lambda arrays: arrays.update(vc=arrays["vc"][:1]),
        lambda arrays: arrays.update(sigma=arrays["sigma"].astype(np.float32)),
        lambda arrays: arrays.update({"forests/n_trees": np.array([40])}),
        lambda arrays: arrays.update({"forests/value": np.array(["a"])}),
    ],
)
def test_a_file_of_other_contents_is_named(regression, tmp_path, change):
    settings = {"n_replicates": 1, "checkpoint": tmp_path, "keep_trees": True, **SEEDED}
    bv.sample(*regression, **settings)
    (path,) = tmp_path.glob("fit-*.npz")
    with np.load(path) as file:
        arrays = dict(file)
    change(arrays)
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=rf"{path.name}.*is damaged.*Delete it"):
        bv.sample(*regression, **settings)


def test_bad_input(regression, tmp_path):
    with pytest.raises(ValueError, match="`random_state` must be given with checkpoint="):
        bv.select(*regression, checkpoint=tmp_path)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ValueError, match="must be a folder"):
        bv.sample(*regression, checkpoint=file, random_state=0)
    assert Path(file).read_text() == ""


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_leaf_without_a_finite_value_is_damage(regression, tmp_path, value):
    kept = SEEDED | {"n_replicates": 1, "checkpoint": tmp_path, "keep_trees": True}
    bv.sample(*regression, **kept)
    (path,) = tmp_path.glob("fit-*.npz")
    with np.load(path) as file:
        arrays = dict(file)
    arrays["forests/value"][np.flatnonzero(arrays["forests/variable"] < 0)[-1]] = value
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=rf"{path.name}.*a leaf has the value {value}.*Delete it"):
        bv.sample(*regression, **kept)


def test_a_file_under_the_name_of_another_chain_is_refused(regression, tmp_path):
    """Else a file that was copied or renamed would pass for a chain that was never run."""
    bv.sample(*regression, n_replicates=2, checkpoint=tmp_path, **SEEDED)
    one, two = sorted(tmp_path.glob("fit-*.npz"))
    two.write_bytes(one.read_bytes())
    with pytest.raises(ValueError, match=rf"{two.name}.*holds another chain.*Delete it"):
        bv.sample(*regression, n_replicates=2, checkpoint=tmp_path, **SEEDED)


def test_a_file_that_does_not_tell_its_chain_is_refused(regression, tmp_path):
    bv.sample(*regression, n_replicates=1, checkpoint=tmp_path, **SEEDED)
    (path,) = tmp_path.glob("fit-*.npz")
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != "key"}
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=rf"{path.name}.*does not say which chain.*Delete it"):
        bv.sample(*regression, n_replicates=1, checkpoint=tmp_path, **SEEDED)


def pipe(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/zero")


def dangling(path):
    path.symlink_to("nowhere")


@pytest.mark.parametrize("make", [pipe, device])
def test_a_pipe_or_device_in_the_place_of_a_file_is_refused_at_once(regression, tmp_path, make):
    bv.sample(*regression, n_replicates=1, checkpoint=tmp_path, **SEEDED)
    (path,) = tmp_path.glob("fit-*.npz")
    path.unlink()
    make(path)
    with pytest.raises(ValueError, match=rf"{path.name}.*is not a regular file.*Delete it"):
        bv.sample(*regression, n_replicates=1, checkpoint=tmp_path, **SEEDED)


@pytest.mark.parametrize("make", [pipe, dangling])
def test_what_is_not_a_folder_is_refused(regression, tmp_path, make):
    make(tmp_path / "c")
    with pytest.raises(ValueError, match="`checkpoint` must be a folder"):
        bv.sample(*regression, n_replicates=1, checkpoint=tmp_path / "c", **SEEDED)


def test_clear_deletes_own_files_only(regression, tmp_path):
    folder = tmp_path / "c"
    bv.sample(*regression, n_replicates=2, checkpoint=folder, **SEEDED)
    (own, _) = sorted(folder.glob("fit-*.npz"))
    (folder / f".{own.name}.0123abcd.tmp").touch()  # as a kill leaves it
    others = {"fit-mine.npz", "fit-1.npz", ".fit-1.npz.x.tmp", "notes.txt"}
    for name in others:
        (folder / name).touch()
    checkpoint = Checkpoint(folder)
    assert checkpoint.has_chains
    checkpoint.clear()
    assert {path.name for path in folder.iterdir()} == others
    assert not checkpoint.has_chains
    for name in others:
        (folder / name).unlink()
    checkpoint.clear()
    assert not folder.exists()


def test_clear_leaves_a_link_to_a_folder(regression, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "c").symlink_to(elsewhere)
    bv.sample(*regression, n_replicates=1, checkpoint=tmp_path / "c", **SEEDED)
    Checkpoint(tmp_path / "c").clear()
    assert list(elsewhere.iterdir()) == []
    assert (tmp_path / "c").is_symlink()
