from __future__ import annotations

import dataclasses
import json
import pickle
import re
import zipfile

import numpy as np
import pandas as pd
import pytest

import bayesvc as bv
from bayesvc.data.examples import load_feynman
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SHORT

EVERYTHING = {"keep_counts": True, "keep_s": True, "keep_trees": True}


@pytest.fixture
def draws(regression):
    X, y = regression
    return bv.sample(X, y, n_replicates=2, random_state=5, **EVERYTHING, **SHORT)


@pytest.mark.parametrize("prior", [bv.BART(), bv.DART(), bv.DART(form="explicit", alpha=1)])
def test_extending_gives_the_bits_of_one_call(regression, prior):
    X, y = regression
    settings = {"random_state": 4, **EVERYTHING, **SHORT}
    at_once = bv.sample(X, y, prior, n_replicates=5, **settings)
    extended = bv.sample(X, y, prior, n_replicates=2, **settings).extend(1).extend(2, n_jobs=1)
    assert_same_bits(at_once, extended)
    assert extended.n_replicates == 5
    np.testing.assert_array_equal(at_once.predict(X), extended.predict(X))


def test_extending_does_not_change_the_first_draws(draws):
    before = draws.vc.copy()
    assert draws.extend(1).n_replicates == 3
    assert draws.n_replicates == 2
    np.testing.assert_array_equal(draws.vc, before)


def test_changing_the_data_later_does_not_change_an_extension(regression):
    X, y = regression
    expected = bv.sample(X, y, n_replicates=2, random_state=4, **SHORT)
    draws = bv.sample(X, y, n_replicates=1, random_state=4, **SHORT)
    X[:], y[:] = 0, 0
    assert_same_bits(draws.extend(1), expected)


@pytest.mark.parametrize("keep", [{}, EVERYTHING])
def test_save_and_load(regression, tmp_path, keep):
    X, y = regression
    path = tmp_path / "file.npz"
    frame = pd.DataFrame(X, columns=list("abcde"))
    prior = bv.DART(split_weights=[1, 2, 3, 4, 5], moves=(0.4, 0.4, 0.2, 0))
    draws = bv.sample(frame, y, prior, n_replicates=2, random_state=6, **keep, **SHORT)
    draws.save(path)
    loaded = bv.Draws.load(path)
    assert_same_bits(loaded, draws)
    names = ("prior", "n_trees", "burn_in", "n_draws", "response", "random_state", "n_rows")
    for name in (*names, "feature_names", "data_hash", "calibration", "n_batches", "batch_size"):
        assert getattr(loaded, name) == getattr(draws, name), name
    np.testing.assert_array_equal(loaded.seconds, draws.seconds)
    assert repr(loaded) == repr(draws)
    assert [item.name for item in tmp_path.iterdir()] == ["file.npz"], "no temporary file is left"
    assert_same_bits(loaded.extend(1, frame, y), draws.extend(1))
    if keep:
        np.testing.assert_array_equal(loaded.predict(frame), draws.predict(frame))


def test_save_and_load_a_binary_response(classification, tmp_path):
    X, y = classification
    labels = np.where(y == 1, "yes", "no")
    draws = bv.sample(X, labels, bv.BART(), n_replicates=1, random_state=0, **SHORT)
    draws.save(tmp_path / "no_suffix")
    loaded = bv.Draws.load(str(tmp_path / "no_suffix"))
    assert loaded.classes.tolist() == ["no", "yes"]
    assert_same_bits(loaded.extend(1, X, labels), draws.extend(1))


def test_a_failed_save_leaves_the_old_file(draws, tmp_path, monkeypatch):
    path = tmp_path / "file.npz"
    path.write_bytes(b"old")

    def fail(file, **arrays):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="disk full"):
        draws.save(path)
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_loaded_draws_ask_for_the_right_data(draws, regression, tmp_path):
    X, y = regression
    draws.save(tmp_path / "file")
    loaded = bv.Draws.load(tmp_path / "file")
    with pytest.raises(ValueError, match=r"`X` and `y` must be given.*Pass the data"):
        loaded.extend(1)
    with pytest.raises(ValueError, match=r"`y` must be given together with `X`"):
        loaded.extend(1, X)
    for wrong_X, wrong_y in ((X[:, ::-1], y), (X, y + 1), (X[:-1], y[:-1])):
        with pytest.raises(ValueError, match=rf"{draws.data_hash}.*Pass the same rows"):
            loaded.extend(1, wrong_X, wrong_y)
    for n_more, kind in ((0, ValueError), (-1, ValueError), (1.5, TypeError)):
        with pytest.raises(kind, match=f"n_more.*{n_more}"):
            draws.extend(n_more)


def spoil(path, draws):
    """Yield the name of each kind of damage after inflicting it on a fresh file."""
    draws.save(path)
    good = path.read_bytes()
    middle = len(good) // 2
    path.write_bytes(good[:middle])
    yield "cut short"
    path.write_bytes(b"")
    yield "empty"
    path.write_bytes(b"something else altogether")
    yield "text"
    with path.open("wb") as file:
        np.save(file, np.arange(3))
    yield "another array"
    with path.open("wb") as file:
        np.savez(file, a=np.arange(3))
    yield "other arrays"
    path.write_bytes(pickle.dumps([1, 2]))
    yield "pickle"
    with path.open("wb") as file:
        np.savez(file, settings=np.array([Bomb()], dtype=object))
    yield "pickle in an array"
    for name, content in {
        "settings.npy": pickle.dumps(Bomb()),
        "settings": b"no array",
        "vc": b"no array",
        "settings.npy ": b"\x93NUMPY\x01\x00\x46\x00{'descr': (((((",
    }.items():
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, content)
        yield f"{name!r} is not an array"
    path.write_bytes(re.sub(rb"PK\x01\x02.{4}\x00\x00", with_password, good, flags=re.DOTALL))
    yield "password"


class Bomb:
    """Fails the test if it is ever made from a pickle."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


def with_password(found: re.Match[bytes]) -> bytes:
    return found[0][:8] + b"\x01\x00"


def test_damaged_files(draws, tmp_path):
    path = tmp_path / "spoilt"
    pattern = re.escape(repr(str(path))) + "(?s:.*) cannot be read: .*Pass another file"
    for _damage in spoil(path, draws):  # shown by pytest where the test fails
        with pytest.raises(ValueError, match=pattern):
            bv.Draws.load(path)


def test_one_wrong_byte_never_goes_unnoticed(regression, tmp_path):
    draws = bv.sample(*regression, n_replicates=1, random_state=0, **SHORT)
    path = tmp_path / "file"
    draws.save(path)
    good = path.read_bytes()
    refused = 0
    for i in range(0, len(good), 23):
        path.write_bytes(good[:i] + bytes([good[i] ^ 0xFF]) + good[i + 1 :])
        try:
            loaded = bv.Draws.load(path)
        except ValueError:
            refused += 1
        else:  # a byte that carries nothing, such as a time stamp
            assert_same_bits(loaded, draws)
            assert repr(loaded) == repr(draws)
    assert refused > len(good) / 23 / 2


def change_file(path, **changes):
    with np.load(path) as file:
        arrays = dict(file)
    settings = json.loads(arrays["settings"].tobytes()) | changes.pop("settings", {})
    arrays |= {"settings": np.frombuffer(json.dumps(settings).encode(), np.uint8), **changes}
    with path.open("wb") as file:
        np.savez(file, **arrays)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"settings": {"version": 99}}, "version 99"),
        ({"settings": {"format": "other"}}, "not a Draws file"),
        ({"settings": {"n_replicates": 3}}, "are inconsistent"),
        ({"settings": {"prior": {"kind": "OTHER"}}}, "are inconsistent"),
        ({"vc": np.zeros((1, 1))}, "are inconsistent"),
        ({"n_splits": np.zeros((2, 60))}, "are inconsistent"),
        ({"settings": {"feature_names": 5}}, "are inconsistent"),
        ({"settings": {"calibration": []}}, "are inconsistent"),
        ({"settings": {"n_batches": []}}, "are inconsistent"),
        ({"settings": {"n_trees": "20"}}, "are inconsistent"),
        ({"settings": {"response": 3}}, "are inconsistent"),
        ({"settings": {"feature_names": [1.5, 2, 3, 4, 5]}}, "are inconsistent"),
        ({"forests/0/n_trees": np.array([1])}, "trees of"),
        ({"forests/1/variable": np.array(["a"])}, "trees are damaged"),
        ({"forests/1/tree_start": np.array([0, 7], np.uint64)}, "trees are damaged"),
    ],
)
def test_files_of_other_contents(draws, tmp_path, changes, message):
    path = tmp_path / "file"
    draws.save(path)
    change_file(path, **changes)
    with pytest.raises(ValueError, match=message):
        bv.Draws.load(path)


def test_a_missing_file_is_called_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        bv.Draws.load(tmp_path / "none")


def test_pickle(draws, regression):
    again = pickle.loads(pickle.dumps(draws))
    assert_same_bits(again, draws)
    np.testing.assert_array_equal(again.predict(regression[0]), draws.predict(regression[0]))
    with pytest.raises(ValueError, match="Pass the data of the first"):
        again.extend(1)


def test_predict_on_the_scale_of_y(regression):
    X, y = regression
    y = 100 + 10 * y
    draws = bv.sample(
        X, y, bv.BART(), n_replicates=2, burn_in=300, n_draws=100, random_state=0, keep_trees=True
    )
    mean, low, high = draws.predict(X, interval=0.8)
    assert ((low <= mean) & (mean <= high)).mean() > 0.9
    assert (low < high).any()
    assert np.corrcoef(mean, y)[0, 1] > 0.8
    assert abs(mean.mean() - y.mean()) < y.std()
    np.testing.assert_array_equal(draws.predict(X), mean)
    # numpy adds up one column in another order than many
    np.testing.assert_allclose(draws.predict(X[3:4]), mean[3:4], rtol=1e-12)
    assert draws.predict(X[:0]).shape == (0,)


def test_extending_by_more_than_memory_holds(draws):
    plain = dataclasses.replace(draws, counts=None, s=None)
    with pytest.raises(MemoryError, match=r"n_more=1000000000000 .*Use fewer"):
        plain.extend(10**12)


def test_saving_where_there_is_no_folder(draws, tmp_path):
    path = tmp_path / "nowhere" / "draws.npz"
    with pytest.raises(FileNotFoundError, match=r"draws\.npz' .*Make the folder"):
        draws.save(path)


def test_predict_in_blocks_is_the_same(draws, regression, monkeypatch):
    X, _ = regression
    whole = draws.predict(X, interval=0.5)
    monkeypatch.setattr("bayesvc.draws.prediction._PREDICTED_NUMBERS_PER_BLOCK", 7 * 120)
    np.testing.assert_array_equal(draws.predict(X, interval=0.5), whole)


def test_predict_probabilities(classification):
    X, y = classification
    draws = bv.sample(X, y, n_replicates=1, random_state=0, keep_trees=True, **SHORT)
    probability = draws.predict(X)
    assert ((probability > 0) & (probability < 1)).all()
    assert probability[y == 1].mean() > probability[y == 0].mean()


def test_predict_refuses_what_does_not_fit(regression):
    X, y = regression
    frame = pd.DataFrame(X, columns=list("abcde"))
    draws = bv.sample(frame, y, n_replicates=1, keep_trees=True, **SHORT)
    with pytest.raises(ValueError, match=r"`X` must have the 5 columns .*Got 4 columns"):
        draws.predict(X[:, :4])
    with pytest.raises(ValueError, match=r"Column 0 of `X` must be 'a'.*Got 'b'"):
        draws.predict(frame[list("bacde")])
    for interval in (0, 1, 90):
        with pytest.raises(ValueError, match=rf"Got {interval} instead.*such as 0.9"):
            draws.predict(X, interval=interval)
    without = bv.sample(frame, y, n_replicates=1, **SHORT)
    with pytest.raises(ValueError, match="keep_trees=True"):
        without.predict(X)


def test_repr_and_immutability(draws):
    text = repr(draws)
    for part in ("DART", "60 rows x 5 variables", "2 replicates x 60 draws", "random_state=5"):
        assert part in text
    with pytest.raises(AttributeError):
        draws.n_trees = 1


def test_the_shipped_data():
    data = load_feynman()
    assert data.X.shape == (1000, 306)
    assert set(data.relevant) < set(data.feature_names)
