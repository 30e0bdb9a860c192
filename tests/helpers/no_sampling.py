"""A guard: nothing may be sampled meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from bayesvc import _core

MESSAGE = "sampling started"


@contextmanager
def no_sampling() -> Iterator[None]:
    """Fail if anything is sampled, even if the code under test catches the error.

    All sampling goes through the compiled module, so these two names are what there is to watch;
    tests/sampling/test_no_sampling.py checks this for every entry point.
    """
    calls = []

    def refuse(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        raise AssertionError(MESSAGE)

    with mock.patch.object(_core, "fit", refuse), mock.patch.object(_core, "AbcSampler", refuse):
        yield
    assert not calls, MESSAGE
