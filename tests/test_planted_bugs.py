"""The bugs that `scripts/plant_bugs.py` plants still have a place in the code."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


def load_script() -> ModuleType:
    """Import the script, which is not part of a package."""
    path = REPOSITORY / "scripts" / "plant_bugs.py"
    spec = importlib.util.spec_from_file_location("plant_bugs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


BUGS = load_script().BUGS


@pytest.mark.parametrize("name", BUGS)
def test_the_right_code_occurs_exactly_once(name: str) -> None:
    """Each bug replaces one piece of one file by another."""
    bug = BUGS[name]
    assert (REPOSITORY / bug.file).read_text().count(bug.right) == 1
    assert bug.wrong != bug.right


def test_titles_are_unique() -> None:
    """The table in docs/development.md tells the bugs apart by their titles."""
    titles = [bug.title for bug in BUGS.values()]
    assert len(set(titles)) == len(titles)
