"""The way from `bv.select` to the compiled sampler is the one that docs/development shows."""

from __future__ import annotations

import runpy
import sys
import threading
import tomllib
from types import FrameType
from typing import Any

import pytest

import bayesvc as bv
from bayesvc.sampling import chain, executor
from bayesvc.selection import signal
from tests.helpers.paths import ROOT
from tests.helpers.settings import TINY

MOST_MODULES = 15
SCRIPT = ROOT / "docs" / "pictures" / "walk.py"


def modules_on_stack(frame: FrameType | None) -> list[str]:
    """Return the modules of the package on a stack, the caller first."""
    found: list[str] = []
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("bayesvc.") and (not found or found[-1] != name):
            found.append(name)
        frame = frame.f_back
    return found[::-1]


def walk(monkeypatch, data, **checks):
    """Return the modules in the order of their first call, and those that lead to the sampler."""
    entered: list[str] = []
    leading: list[list[str]] = []
    fit, execute, execute_each = chain.fit, executor.execute, executor.execute_each

    def watched_fit(*args: Any) -> Any:
        leading.append(modules_on_stack(sys._getframe(1)))
        if "bayesvc._core.fit" not in entered:
            entered.append("bayesvc._core.fit")
        return fit(*args)

    def watched(run: Any) -> Any:
        def watched_run(*args: Any) -> Any:
            leading.append(modules_on_stack(sys._getframe(1)))
            return run(*args)

        return watched_run

    def note(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith("bayesvc.") and name not in entered:
            entered.append(name)

    settings = TINY | {"random_state": 0, "n_jobs": 1} | checks
    bv.select(*data, **settings)  # so that everything is imported
    monkeypatch.setattr(chain, "fit", watched_fit)
    monkeypatch.setattr(chain, "execute_each", watched(execute_each))
    monkeypatch.setattr(signal, "execute", watched(execute))
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        bv.select(*data, **settings)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return entered, leading


@pytest.fixture
def walked(monkeypatch, regression):
    """Return what `walk` does for a selection alone, without its checks."""
    return walk(monkeypatch, regression, signal_test=False, row_stability=False)


@pytest.fixture
def walked_with_checks(monkeypatch, regression):
    """Return what `walk` does for the signal test and half-samples too."""
    return walk(monkeypatch, regression, allow_empty=False)


def shown_modules():
    """Return the modules in the picture."""
    walk = runpy.run_path(str(SCRIPT))["WALK"]
    return [f"bayesvc.{layer}.{module}" for layer, module, _ in walk]


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
def test_the_picture_shows_the_walk(walked):
    entered, leading = walked
    shown = shown_modules()
    assert [name for name in entered if name in shown] == shown
    assert {name for stack in leading for name in stack} <= set(shown)
    assert len(shown) <= MOST_MODULES
    script = runpy.run_path(str(SCRIPT))
    assert (SCRIPT.with_suffix(".svg")).read_text() == script["svg"]()


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
def test_checks_of_a_selection_go_the_same_way(walked_with_checks):
    """Each of them enters it from one module of its own."""
    _, leading = walked_with_checks
    signal = {"bayesvc.selection.signal", "bayesvc.selection.held_out"}
    checks = signal | {"bayesvc.selection.half_samples"}
    assert {name for stack in leading for name in stack} <= set(shown_modules()) | checks
    assert all(any(check in stack for stack in leading) for check in checks)


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
@pytest.mark.parametrize("way", ["walked", "walked_with_checks"])
def test_calls_go_down_the_layers(way, request):
    """On the way to the sampler no lower layer calls a higher one."""
    leading = request.getfixturevalue(way)[1]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contract = settings["tool"]["importlinter"]["contracts"][0]
    layers = [name for row in contract["layers"] for name in row.split(" | ")]
    for stack in leading:
        places = [layers.index(".".join(name.split(".")[:2])) for name in stack]
        assert places == sorted(places), stack
