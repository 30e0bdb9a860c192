"""Every command in the shell blocks of README and docs runs, or at least could be run."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import click
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from bayesvc.bench import figures
from bayesvc.cli.app import app
from tests.helpers.figures import draw_placeholders
from tests.helpers.paths import ROOT
from tests.helpers.settings import shorten_default_chains

PAGES = [
    ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")), ROOT / "docs" / "reproduction" / "index.md",
]  # fmt: skip

# Commands that are checked but not run, by how they begin, and why.
NOT_RUN = {
    "make": "it would run this test; its targets must exist",
    "cmake": "`make test-core` runs the same",
    "bayesvc bench run --grid seed": "3,600 data sets take hours",
    "bayesvc bench rescore": "it needs the fits of such a run; tests/bench has small ones",
    "bayesvc bench compare": "it needs what `rescore` writes; tests/bench has a small one",
}
# What makes the others short.
SHORTER = {
    "select": ["--burn-in", "50", "--draws", "50", "--jobs", "1"],
    "compare": ["--burn-in", "50", "--draws", "50", "--jobs", "1"],
    "predict": ["--trees", "10", "--jobs", "1"],
    "bench run": ["--methods", "dart-vc@1", "--snr", "1", "--jobs", "1"],
    "bench figures": ["--no-scatter"],
}
# Pages whose commands run in `make test-weekly`: they draw all figures, as tests/cli does too.
WEEKLY = ("docs/reproduction/index.md",)
DIAGRAMS = ("X, y --data-->",)


def text_of(page: Path) -> str:
    """Return a page without its blocks of other languages."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def commands_of(page: Path) -> list[str]:
    """Return the lines of the shell blocks: those indented by four."""
    lines = re.findall(r"^ {4}(\S.*)$", text_of(page), re.M)
    return [line for line in lines if not line.startswith(DIAGRAMS)]


def words_of(command: str) -> list[str]:
    return shlex.split(command, comments=True)


def is_run(command: str) -> bool:
    return not " ".join(words_of(command)).startswith(tuple(NOT_RUN))


def leaf(words: Sequence[str]) -> tuple[click.Command, str, list[str]]:
    """Return the command that the words name, its name with that of its group, and the rest."""
    command: click.Command = app
    names, rest = [], list(words)
    while isinstance(command, click.Group):
        assert rest[0] in command.commands, f"there is no command {' '.join(words)}"
        names.append(rest.pop(0))
        command = command.commands[names[-1]]
    return command, " ".join(names), rest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the pages name, small ones."""
    rng = np.random.default_rng(0)
    X = pl.DataFrame(rng.uniform(size=(60, 4)), schema=["age", "weight", "dose", "price"])
    y = pl.Series(8 * X["age"] + 5 * X["dose"])
    who = pl.Series([f"patient {i}" for i in range(60)])
    X.with_columns(cholesterol=y, patient=who).write_csv(tmp_path / "patients.csv")
    X.with_columns(response=y).write_parquet(tmp_path / "genes.parquet")
    X.with_columns(sales=y).write_csv(tmp_path / "past.csv")
    X.head(9).write_csv(tmp_path / "next.csv")
    (tmp_path / "past-selection").mkdir()
    selected = json.dumps({"selected": ["age", "dose"]})
    (tmp_path / "past-selection" / "selection.json").write_text(selected)
    X.with_columns(outcome=y).write_csv(tmp_path / "mydata.csv")
    # Results of the grid `seed`, as far as they are published here.
    rows = ROOT / "docs" / "reproduction" / "rows.parquet"
    (tmp_path / "docs" / "reproduction").mkdir(parents=True)
    shutil.copy(rows, tmp_path / "docs" / "reproduction")
    shutil.copy(rows, tmp_path / "seed")
    monkeypatch.chdir(tmp_path)
    return tmp_path


WITH_RUNS = [page for page in PAGES if any(map(is_run, commands_of(page)))]


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def marked(page: Path) -> Any:
    """Return a page as a case, maybe a weekly one."""
    return pytest.param(page, marks=[pytest.mark.weekly] if page_name(page) in WEEKLY else [])


@pytest.mark.parametrize("page", [*map(marked, WITH_RUNS)], ids=[*map(page_name, WITH_RUNS)])
def test_the_commands_of_a_page_run(page, folder, monkeypatch):
    if page_name(page) not in WEEKLY:
        draw_placeholders(monkeypatch.setattr)
        shorten_default_chains(monkeypatch)
        monkeypatch.setattr(figures, "_SCORE_FIGURES", figures._SCORE_FIGURES[:1])  # of eleven
    for command in filter(is_run, commands_of(page)):
        program, *words = words_of(command)
        assert program == "bayesvc"
        _, name, _ = leaf(words)
        done = CliRunner().invoke(app, [*words, *SHORTER.get(name, [])])
        assert done.exit_code == 0, f"{command}\n{done.output}"
        assert done.stdout.strip()


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_that_are_not_run_could_be(page):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    for command in commands_of(page):
        program, *words = words_of(command)
        assert program in ("bayesvc", "make", "cmake"), f"{page.name}: {command}"
        if program == "make":
            assert set(words) <= targets
        elif program == "bayesvc":
            found, name, rest = leaf(words)
            found.make_context(name, rest)  # an error if it cannot be parsed


def test_no_reason_is_left_over():
    everything = [" ".join(words_of(c)) for page in PAGES for c in commands_of(page)]
    for start in NOT_RUN:
        assert any(command.startswith(start) for command in everything), start


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_targets_and_extras_in_the_text_exist(page):
    text = text_of(page)
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"`make ([a-z-]+)`", text)) <= targets
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extras in re.findall(r"pip install '[^'\[]*\[([a-z,]+)\]'", text):
        assert set(extras.split(",")) <= set(project["optional-dependencies"])


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.ConvergenceWarning")
def test_the_picture_of_the_readme(tmp_path, monkeypatch):
    shorten_default_chains(monkeypatch)
    spec = spec_from_file_location("pictures", ROOT / "docs" / "pictures" / "make.py")
    assert spec is not None
    assert spec.loader is not None
    pictures = module_from_spec(spec)
    spec.loader.exec_module(pictures)
    found = pictures.draw(tmp_path)
    assert sorted(found.names) == ["Ef", "T", "kb", "n_0", "p_d", "theta"]
    assert (tmp_path / "selection.png").stat().st_size < 200_000
