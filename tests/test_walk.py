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


@pytest.fixture
def walked(monkeypatch, regression):
    """Return the modules in the order of their first call, and those that lead to the sampler."""
    entered: list[str] = []
    leading: list[list[str]] = []
    fit, execute = chain.fit, executor.execute

    def watched_fit(*args: Any) -> Any:
        leading.append(modules_on_stack(sys._getframe(1)))
        if "bayesvc._core.fit" not in entered:
            entered.append("bayesvc._core.fit")
        return fit(*args)

    def watched_execute(*args: Any) -> Any:
        leading.append(modules_on_stack(sys._getframe(1)))
        return execute(*args)

    def note(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith("bayesvc.") and name not in entered:
            entered.append(name)

    settings = TINY | {"signal_test": False, "random_state": 0, "n_jobs": 1}
    bv.select(*regression, **settings)  # so that everything is imported
    monkeypatch.setattr(chain, "fit", watched_fit)
    monkeypatch.setattr(chain, "execute", watched_execute)
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        bv.select(*regression, **settings)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return entered, leading


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
def test_the_picture_shows_the_walk(walked):
    entered, leading = walked
    script = runpy.run_path(str(SCRIPT))
    shown = [f"bayesvc.{layer}.{module}" for layer, module, _ in script["WALK"]]
    assert [name for name in entered if name in shown] == shown
    assert {name for stack in leading for name in stack} <= set(shown)
    assert len(shown) <= MOST_MODULES
    assert (SCRIPT.with_suffix(".svg")).read_text() == script["svg"]()


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
def test_calls_go_down_the_layers(walked):
    """On the way to the sampler no lower layer calls a higher one."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contract = settings["tool"]["importlinter"]["contracts"][0]
    layers = [name for row in contract["layers"] for name in row.split(" | ")]
    for stack in walked[1]:
        places = [layers.index(".".join(name.split(".")[:2])) for name in stack]
        assert places == sorted(places), stack
