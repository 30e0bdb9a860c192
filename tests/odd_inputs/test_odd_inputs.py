"""Bad and odd inputs: each does what the page about them says."""

from __future__ import annotations

import pytest

from tests.odd_inputs import SECTIONS
from tests.odd_inputs.page import PAGE, render, row

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

CASES = [
    pytest.param(case, id=f"{title}: {case.goes_in}".encode("ascii", "replace").decode())
    for title, cases in SECTIONS.items()
    for case in cases
]


@pytest.mark.parametrize("case", CASES)
def test_what_happens_is_what_the_page_says(case, tmp_path, pytestconfig):
    happens = case.happens(tmp_path)
    if not pytestconfig.getoption("regenerate_golden"):
        written = PAGE.read_text(encoding="utf-8").splitlines()
        assert row(case, happens) in written, "pytest tests/odd_inputs --regenerate-golden"


def test_the_page_has_these_rows_in_this_order(pytestconfig):
    if pytestconfig.getoption("regenerate_golden"):
        PAGE.write_text(render(), encoding="utf-8")
        return
    starts = [row(case, "")[:-2] for cases in SECTIONS.values() for case in cases]
    text = PAGE.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    rows = [line for line in rows if line != "| what goes in | what happens |"]
    assert len(rows) == len(starts)
    assert all(line.startswith(start) for line, start in zip(rows, starts, strict=True))
    head = render(lambda case: "").partition("## ")[0]
    assert text.startswith(head)


def test_there_are_many_and_no_two_of_them_are_called_the_same():
    names = [(title, case.goes_in) for title, cases in SECTIONS.items() for case in cases]
    assert len(names) >= 60
    assert len(set(names)) == len(names)
