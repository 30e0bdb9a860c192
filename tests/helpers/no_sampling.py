"""A guard: nothing may be sampled meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

MESSAGE = "sampling started"


@contextmanager
def no_sampling() -> Iterator[None]:
    """Fail if anything is sampled, even if the code under test catches the error.

    All sampling goes through one executor, and these are its two ways to run a task;
    tests/sampling/test_no_sampling.py checks this for every entry point.
    """
    calls = []

    def refuse(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        raise AssertionError(MESSAGE)

    executor = "bayesvc.sampling.executor"
    threads, joblib = f"{executor}._run_on_threads", f"{executor}._run_with_joblib"
    with mock.patch(threads, refuse), mock.patch(joblib, refuse):
        yield
    assert not calls, MESSAGE
