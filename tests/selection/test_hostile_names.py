"""Names with control characters: visible in text, exact in attributes, JSON and files."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import bayesvc as bv
from bayesvc._text import visible
from bayesvc.exceptions import Note
from tests.helpers.hostile import HOSTILE_NAMES, hostile_characters
from tests.helpers.settings import SEEDED

NAMES = list(HOSTILE_NAMES)
TWO = SEEDED | {"n_replicates": 2}

pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")


@pytest.fixture(scope="module")
def data():
    X = np.random.default_rng(0).uniform(size=(40, len(NAMES)))
    X[:, 3] = X[:, 0]  # twins, of which a note tells
    return pd.DataFrame(X, columns=NAMES), 10 * X[:, 0] + X.sum(axis=1)


@pytest.fixture(scope="module")
def found(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bv.select(*data, **TWO)


def check(text):
    assert not hostile_characters(text)
    text.encode()  # no half of a surrogate pair


def test_what_a_selection_shows_is_visible(found):
    check(repr(found))
    check(found._repr_html_())
    for name in NAMES:
        check(found.explain(name))
    check(repr(found.draws))
    for note in found.notes:
        check(str(note))
    lines = repr(found).splitlines()
    assert len([line for line in lines if line.startswith("  ")]) == len(found.names) + (
        2 if len(found.names) < len(NAMES) else 1
    )


def test_what_a_comparison_and_subsamples_show_is_visible(data):
    check(repr(bv.compare(*data, ["dart-vc", "dart-mpm"], **SEEDED)))
    X, y = data
    stable = bv.row_stability(X, y, n_subsamples=2, **TWO)
    check(repr(stable))
    check(stable._repr_html_())


def test_half_of_a_surrogate_pair_is_visible():
    draws = bv.Draws.from_counts([[[9, 1]], [[7, 0]]], feature_names=["\udc80half", "b"])
    found = bv.select_from(draws)
    check(repr(draws))
    check(repr(found))
    check(found.explain("\udc80half"))


def test_notes_and_warnings_are_visible():
    note = Note("twins", "info", "\x1b[31mred\nis new")
    assert note.text == r"\x1b[31mred\nis new"


def test_names_are_exact_for_programs(found, tmp_path):
    assert list(found.feature_names) == NAMES
    assert [row["variable"] for row in json.loads(found.to_json())["variables"]] == NAMES
    found.save(tmp_path / "found.npz")
    assert list(bv.Selection.load(tmp_path / "found.npz").feature_names) == NAMES
    assert found.table["variable"].tolist() == NAMES


def test_the_report_shows_no_character_raw(found, tmp_path):
    page = bv.write_report(found, tmp_path / "r.html", title=NAMES[0]).read_text(encoding="utf-8")
    own, _, _ = page.partition("<script")
    assert not hostile_characters(own)
    assert r"\x1b[31mred" in own
    for separator in ("\u2028", "\u2029", "\u202e", "\x1b"):
        assert separator not in page.replace("\x1b", "", page.count("\x1b") - own.count("\x1b"))


def test_visible_leaves_what_people_write():
    for text in ("naïve Größe", "日本語", "a\u200cb", "👩\u200d🔬", "a b", r"C:\new", "\u00a0"):
        assert visible(text) == text
    assert visible("\x1b\x85\u2028\ud800\U000e0041") == r"\x1b\x85\u2028\ud800\U000e0041"
    assert visible("a\nb\tc") == r"a\nb\tc"


def test_messages_of_other_libraries_are_visible():
    frame = pd.DataFrame(np.zeros((3, 2)), columns=["\x1b[31m", "\x1b[31m"])
    with pytest.raises(ValueError, match="unique") as raised:
        bv.select(frame, [1, 2, 3])
    check(str(raised.value))
