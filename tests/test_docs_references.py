"""What the pages mention exists: files, names of the package, arguments and options."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import filterfalse
from pathlib import Path

import click
import pytest

import bayesvc as bv
from bayesvc.cli.app import app
from tests.helpers.paths import ROOT

WRITTEN_BY_SCRIPTS = {"odd-inputs.md", "tables.md", "first-formula-tables.md", "choice.md"}
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ROOT / "benchmarks" / "README.md",
    *(
        page
        for folder in ("", "relevance", "reproduction")
        for page in sorted((ROOT / "docs" / folder).glob("*.md"))
        if page.name not in WRITTEN_BY_SCRIPTS
    ),
]
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()}
# Options of other programs that the pages name.
OTHER_OPTIONS = {"--regenerate-golden", "--quick", "--help", "--files", "--short"}
FILE = re.compile(r"\.(csv|html|json|md|npz|parquet|py|svg)$")
# Names that stand for objects in the examples.
EXAMPLES = {
    "bv": bv, "bayesvc": bv, "found": bv.Selection, "draws": bv.Draws,
    "stable": bv.RowStability, "measures": bv.measures, "thresholds": bv.thresholds,
    "plots": bv.plots, "effects": bv.Effects,
}  # fmt: skip


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def spans(page: Path) -> list[str]:
    """Return the inline code of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.findall(r"`([^`\n]+)`", text)


def member(owner: object, name: str) -> object:
    """Return an attribute, a submodule or a dataclass field without a default, or fail."""
    if dataclasses.is_dataclass(owner):
        fields = {field.name: field for field in dataclasses.fields(owner)}
        if name in fields:
            return fields[name]
    if inspect.ismodule(owner) and not hasattr(owner, name):
        return import_module(f"{owner.__name__}.{name}")
    return getattr(owner, name)


@cache
def arguments() -> set[str]:
    """Return the names of all arguments of public callables and of their methods."""
    found: set[str] = set()
    for thing in _public_callables():
        try:
            found |= set(inspect.signature(thing).parameters)
        except ValueError:
            continue
    return found


def _public_callables() -> Iterator[object]:
    for name in bv.__all__:
        thing = getattr(bv, name)
        members = vars(thing).values() if inspect.ismodule(thing) else [thing]
        for part in members:
            if inspect.isclass(part):
                yield from (getattr(part, key) for key in dir(part) if callable(getattr(part, key)))
            if callable(part):
                yield part


@cache
def options() -> set[str]:
    """Return the options of all commands."""
    found: set[str] = set()
    waiting: list[click.Command] = [app]
    while waiting:
        command = waiting.pop()
        for parameter in command.params:
            found |= {*parameter.opts, *parameter.secondary_opts}
        if isinstance(command, click.Group):
            waiting += command.commands.values()
    return found


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_files_exist(page):
    for span in spans(page):
        path = span.split()[0].partition("::")[0]
        if path.partition("/")[0] in FOLDERS and re.fullmatch(r"[\w./*-]+", path):
            made = path.startswith(("build/", "docs/_build"))
            assert made or list(ROOT.glob(path.rstrip("/"))), f"{page_name(page)}: {span}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_dotted_names_resolve(page):
    for span in filterfalse(FILE.search, spans(page)):
        first, *rest = re.match(r"[\w.]*", span).group().strip(".").split(".")
        owner = EXAMPLES.get(first, getattr(bv, first, None) if first in bv.__all__ else None)
        for name in rest if owner is not None else ():
            try:
                owner = member(owner, name)
            except (AttributeError, ModuleNotFoundError):
                pytest.fail(f"{page_name(page)}: {span}")
            if isinstance(owner, dataclasses.Field | property):
                break


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_arguments_exist(page):
    for span in spans(page):
        named = re.match(r"([a-z]\w*)=", span)
        if named is not None:
            assert named.group(1) in arguments(), f"{page_name(page)}: {span}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_options_exist(page):
    for span in spans(page):
        if not span.startswith(("--", "bayesvc ", "bench ")) and " --" not in span:
            continue
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", span))
        if span.startswith(("python", "pytest", "make", "cmake")):
            continue
        assert named <= options() | OTHER_OPTIONS, f"{page_name(page)}: {span}"


def test_the_reference_lists_names_that_exist():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    module, n_names = "bayesvc", 0
    for line in text.splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r" {3}[\w.]+", line):
            owner: object = import_module(module)
            for name in line.strip().split("."):
                owner = member(owner, name)
            n_names += 1
    assert n_names > 50


def test_the_reference_lists_every_public_name():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    modules = {name for name in bv.__all__ if inspect.ismodule(getattr(bv, name))}
    for name in set(bv.__all__) - modules - {"__version__"}:
        assert re.search(rf"^ {{3}}{name}$", text, re.M), name
