"""Checks of arguments: what they return, and the shape of their messages."""

from __future__ import annotations

import re
import subprocess
import sys

import joblib
import numpy as np
import pytest

from bayesvc import _validation
from bayesvc._text import as_sentence
from bayesvc._validation import (
    check_choice,
    check_flag,
    check_floats,
    check_integer,
    check_memory,
    check_number,
    check_vector,
    must_be,
    resolve_n_jobs,
    resolve_random_state,
    shown,
    usable_cpus,
)

SHAPE = re.compile(r"^`[^`]+` must be .+\. Got .+ instead\.( [A-Z].*[.?])?$")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: check_integer("k", 0, 1), ValueError),
        (lambda: check_integer("k", True, 1), TypeError),
        (lambda: check_integer("k", "1", 1, "pass a number"), TypeError),
        (lambda: check_integer("k", 1.5, 1, alternative="None"), TypeError),
        (lambda: check_number("k", -1, above=0, remedy="pass 2"), ValueError),
        (lambda: check_number("k", np.inf, least=0, remedy="pass 2"), ValueError),
        (lambda: check_number("k", 2, above=0, below=1, remedy="pass 0.5"), ValueError),
        (lambda: check_number("k", "x", most=3, remedy="pass 2"), TypeError),
        (lambda: check_choice("k", "vips", ["vip", "vc"]), ValueError),
        (lambda: check_choice("k", np.str_("vips"), ["vip", "vc"]), ValueError),
        (lambda: check_choice("k", None, ["vip", "vc"]), TypeError),
        (lambda: check_flag("k", 1), TypeError),
        (lambda: check_floats("k", [[1], [2, 3]]), TypeError),
        (lambda: check_floats("k", np.nan), ValueError),
        (lambda: check_vector("k", [[1.0]]), ValueError),
        (lambda: resolve_n_jobs(0), ValueError),
        (lambda: resolve_n_jobs(False), TypeError),
        (lambda: resolve_n_jobs("2"), TypeError),
        (lambda: resolve_random_state("seed"), TypeError),
    ],
)
def test_messages_say_what_must_be_and_what_was_given(call, error):
    with pytest.raises(error) as info:
        call()
    assert SHAPE.match(str(info.value)), str(info.value)


def test_a_remedy_becomes_a_sentence():
    assert must_be("k", "positive", "0", "pass 2") == "`k` must be positive. Got 0 instead. Pass 2."
    assert must_be("k", "positive", "0", "Pass 2.") == must_be("k", "positive", "0", "pass 2")
    assert as_sentence("did you mean 'a'?") == "Did you mean 'a'?"
    assert as_sentence("n_draws=10 is enough") == "n_draws=10 is enough."


def test_long_values_are_named_by_their_type():
    assert shown(np.arange(3)) == "array([0, 1, 2])"
    assert shown(np.zeros((50, 50))) == "a value of type ndarray"
    assert shown(np.str_("vip")) == "'vip'"


def test_memory(monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 10**9)
    check_memory("a copy of X", (10, 10), 8, "use fewer rows")
    with pytest.raises(MemoryError) as info:
        check_memory("a copy of X", (1000, 1_000_000), 8, "use fewer rows")
    assert str(info.value) == (
        "A copy of X needs 8.0 GB (1,000 x 1,000,000 numbers of 8 bytes), but 1.0 GB are "
        "available. Use fewer rows."
    )


def test_n_jobs_none_follows_joblib(monkeypatch):
    monkeypatch.setattr(_validation, "usable_cpus", lambda: 8)
    assert resolve_n_jobs(None) == 1
    with joblib.parallel_config(n_jobs=3):
        assert resolve_n_jobs(None) == 3
        assert resolve_n_jobs(2) == 2
    with joblib.parallel_config(n_jobs=-2):
        assert resolve_n_jobs(None) == 7
    assert resolve_n_jobs(-1) == 8
    assert resolve_n_jobs(-100) == 1
    assert resolve_n_jobs(np.int64(2)) == 2


def test_n_jobs_none_inside_a_joblib_worker_is_one():
    jobs = joblib.Parallel(n_jobs=2)(joblib.delayed(resolve_n_jobs)(None) for _ in range(2))
    assert jobs == [1, 1]


def test_n_jobs_none_does_not_import_joblib():
    code = (
        "import sys; from bayesvc._validation import resolve_n_jobs; "
        "print(resolve_n_jobs(None), 'joblib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False"]


def test_all_cpus_are_those_of_this_process():
    assert resolve_n_jobs(-1) == usable_cpus()
