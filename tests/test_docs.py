"""Every block of Python in README and docs runs, page by page, in the order of the page."""

from __future__ import annotations

import re
import warnings
from importlib.util import find_spec

import matplotlib as mpl
import pytest

from bayesvc.exceptions import BayesvcWarning
from tests.helpers.paths import ROOT
from tests.helpers.settings import shorten_default_chains

MADE = {"_build", "generated"}
DOCS = [page for page in sorted((ROOT / "docs").rglob("*.md")) if not MADE & set(page.parts)]
PAGES = [ROOT / "README.md", *DOCS]
BLOCK = re.compile(r"^```(?:python|\{code-cell\} python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
WITH_CODE = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.fixture(params=["short", pytest.param("as written", marks=pytest.mark.weekly)])
def lengths(request, monkeypatch):
    """Chains that are short where a page does not say how long they are."""
    if request.param == "short":
        shorten_default_chains(monkeypatch)


@pytest.mark.parametrize("page", WITH_CODE, ids=[str(page.relative_to(ROOT)) for page in WITH_CODE])
@pytest.mark.usefixtures("lengths")
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    if page.stem == "gallery" and find_spec("ISLP") is None:
        pytest.skip("its gene data are installed by `make docs`, which runs the page too")
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    names: dict[str, object] = {"__name__": "page"}
    run_blocks(page, names)
    assert len(names) > 2


def run_blocks(page, names):
    """Run the Python of a page; short runs may warn about their results."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=BayesvcWarning)
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            code = "\n".join(line for line in block.splitlines() if not line.startswith(":tags:"))
            exec(compile(code, str(page), "exec", dont_inherit=True), names)


def test_parts_of_ones_own_select_what_matters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    run_blocks(ROOT / "docs" / "extending.md", names)
    assert names["found"].names == ["x0", "x1"]
    assert names["again"].names == ["x0", "x1"]
    assert names["again"].method.measure.level == 0.5


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_between_files_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
