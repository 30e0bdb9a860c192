"""Rules of the house that no tool checks: short functions, files of one idea, no machine paths."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

MOST_BODY_LINES = 50
MOST_FILE_LINES = 450

PYTHON = sorted((ROOT / "src").rglob("*.py"))
CPP = sorted(
    path
    for folder in ("cpp", "bind")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".cpp", ".hpp")
)


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its signature and docstring."""
    body = function.body[ast.get_docstring(function) is not None :]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def too_long(source: str) -> list[str]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        f"{node.name}: {body_lines(node)} lines"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, functions) and body_lines(node) > MOST_BODY_LINES
    ]


def test_the_check_sees_a_long_function():
    lines = "\n".join(f"    x{i} = {i}" for i in range(MOST_BODY_LINES + 1))
    assert too_long(f'def f():\n    """Do.\n\n    More.\n    """\n{lines}\n') == ["f: 51 lines"]


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_are_short(path):
    assert too_long(path.read_text()) == []


@pytest.mark.parametrize("path", [*PYTHON, *CPP], ids=lambda path: str(path.relative_to(ROOT)))
def test_files_hold_one_idea(path):
    assert len(path.read_text().splitlines()) <= MOST_FILE_LINES


def test_no_machine_paths():
    """Paths of the machine of whoever wrote a file do not belong into it."""
    folders = "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me", "Us" + "ers"])
    machine = re.compile(rf"(?<![\w.~/-])/(?:{folders})/\w")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not in a checkout")
    kinds = {".py", ".md", ".cpp", ".hpp", ".toml", ".json", ".yml", ".sh"}
    files = [ROOT / name for name in listed.stdout.splitlines() if Path(name).suffix in kinds]
    found = [path.name for path in files if path.exists() and machine.search(path.read_text())]
    assert found == []
