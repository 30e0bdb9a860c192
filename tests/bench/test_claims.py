"""Claims: what the paper's own tables say, and that each can come out either way."""

from __future__ import annotations

import math

import polars as pl
import pytest

from bayesvc.bench import paper
from bayesvc.bench.claims import Claim, claims
from tests.helpers.bench_rows import frame, row

# Statements that the tables published with the paper do not bear out.
CONTRADICTED = {
    "rank-lowest-bart",
    "rank-tpr-highest",
    "rank-tpr",
    "dart-tpr-over-local",
    "strict-tpr-lowest",
    "abc-over-gmax",
    "rank-fpr-highest",
    "rank-fpr",
    "strict-fpr",
    "time-order",
    "slowest",
}
NOT_IN_TABLES = {
    "bart-mpm-worst",
    "mi-empty",
    "bart-vc-over-vip-f1",
    "bart-vc-over-vip-tpr",
    "one-equation",
    "mpm-true-sigma",
}


def by_id(rows: pl.DataFrame) -> dict[str, Claim]:
    found = claims(rows)
    assert len({claim.id for claim in found}) == len(found)
    return {claim.id: claim for claim in found}


def changed(score: str, shift: float, **where: object) -> pl.DataFrame:
    """The paper's tables with one score moved."""
    hit = pl.all_horizontal(pl.col(name) == value for name, value in where.items())
    return paper.as_rows().with_columns(
        pl.when(hit).then(pl.col(score) + shift).otherwise(pl.col(score)).alias(score)
    )


def test_the_papers_tables() -> None:
    found = by_id(paper.as_rows())
    verdicts = {name: claim.verdict for name, claim in found.items()}
    assert {name for name, v in verdicts.items() if v == "not run"} == NOT_IN_TABLES
    assert {name for name, v in verdicts.items() if v == "does not hold"} == CONTRADICTED
    assert all(claim.ours == claim.tables for claim in found.values())


def test_nothing_run() -> None:
    found = by_id(frame(row("mine:lasso")))
    assert {claim.verdict for claim in found.values()} == {"not run"}
    assert {claim.ours for claim in found.values()} == {""}
    assert found["best-f1"].tables == "36 of 36 cells"


def test_the_cells_run_are_counted_and_the_failing_named() -> None:
    few = changed("f1", -0.1, method="dart-vc", n=500, snr=math.inf, n_replicates=10)
    few = few.filter(pl.col("n") == 500, pl.col("method").is_in(["dart-vc", "bart-vc"]))
    found = by_id(few)
    assert found["best-f1"].ours == "8 of 9 cells, not (500, inf)"
    assert found["best-f1"].verdict == "does not hold"
    assert found["dart-over-bart-fpr"].ours == "9 of 9 cells"
    assert found["dart-over-bart-fpr"].verdict == "holds"
    assert found["vc-over-abc"].verdict == "not run"


@pytest.mark.parametrize(
    ("claim", "rows"),
    [
        ("mpm-second", changed("f1", 0.2, method="abc-mpm", n=500, snr=0.5)),
        ("permutation-best", changed("f1", 0.01, method="bart-vip-gse", n=2000, snr=math.inf)),
        ("local-over-mi", changed("f1", 0.1, method="bart-vip-local", n=1000, snr=0.25)),
        ("gmax-second-last", changed("f1", 0.5, method="bart-vip-gmax", n=500, snr=0.25)),
        ("mpm-falls", changed("f1", 0.6, method="dart-mpm", n=1500, snr=math.inf)),
        ("mi-drop", changed("f1", 0.5, method="bart-mi-local", n=1000, snr=math.inf)),
        ("measure-over-prior", changed("f1", 0.2, method="dart-vip-measure", n=2000, snr=5.0)),
        ("vc-over-vip-tpr", changed("tpr", -0.05, method="dart-vc", n=2000, snr=5.0)),
        ("dart-over-bart-tpr", changed("tpr", 0.2, method="bart-vc", n=2000)),
        ("lenient-fpr", changed("fpr", 0.05, method="bart-mi-local", n=2000, snr=5.0)),
        ("gmax-tpr", changed("tpr", 0.3, method="bart-vip-gmax", n=500, snr=0.25)),
        ("fits-2", changed("f1", -0.05, method="dart-vc", n_replicates=2, n=500, snr=20.0)),
        ("fits-2-next-best", changed("f1", 0.05, method="dart-mpm", n=500, snr=2.0)),
        ("fits-5-10", changed("f1", -0.01, method="dart-vc", n_replicates=5, n=500, snr=20.0)),
        ("fits-1-next-best", changed("f1", -0.1, method="dart-vc", n_replicates=1, n=500)),
        ("abc-small-n", changed("f1", -0.3, method="abc-mpm", n=2000)),
        ("mpm-fastest", changed("seconds", 1e3, method="dart-mpm", n=2000, p=51)),
        ("vc-ten-times", changed("seconds", 50.0, method="dart-vc", n=2000, p=51)),
        ("dart-cost", changed("seconds", 500.0, method="bart-vc", n=500, p=51)),
    ],
)
def test_a_claim_can_fail(claim: str, rows: pl.DataFrame) -> None:
    assert claim not in CONTRADICTED | NOT_IN_TABLES
    assert by_id(rows)[claim].verdict == "does not hold"


@pytest.mark.parametrize(("n_selected", "verdict"), [(0, "holds"), (3, "does not hold")])
def test_empty_selections(n_selected: int, verdict: str) -> None:
    rows = frame(
        row("bart-mi-local", snr=math.inf, n_selected=n_selected),
        row("bart-mi-local", snr=math.inf, seed=1, n_selected=1),
        row("bart-mi-local", snr=20.0, n_selected=0),
        row("bart-mi-local", snr=math.inf, seed=2, n_selected=0, error="killed"),
    )
    found = by_id(rows)["mi-empty"]
    assert found.verdict == verdict
    assert found.ours.endswith("of 2 noiseless runs")


@pytest.mark.parametrize(("fpr", "verdict"), [(0.06, "holds"), (0.01, "does not hold")])
def test_sigma_fixed_at_the_truth(fpr: float, verdict: str) -> None:
    rows = frame(
        row("dart-mpm", snr=10.0, fpr=0.1),
        row("dart-mpm-true-sigma", snr=10.0, fpr=fpr, n_replicates=1),
        row("dart-mpm-true-sigma", snr=10.0, seed=2, fpr=1.0, n_replicates=1),  # no counterpart
    )
    assert by_id(rows)["mpm-true-sigma"].verdict == verdict


@pytest.mark.parametrize(("f1", "verdict"), [(0.1, "holds"), (0.9, "does not hold")])
def test_bart_mpm_is_worst(f1: float, verdict: str) -> None:
    found = by_id(frame(row("bart-mpm", f1=f1), row("bart-vip-rank", f1=0.5)))
    assert found["bart-mpm-worst"].verdict == verdict


def test_one_equation() -> None:
    place = {"problem": "feynman_II_11_17", "n": 1000}
    rows = frame(row(**place, fn=1), row("dart-vip-measure", **place, fn=5))
    found = by_id(rows)["one-equation"]
    assert (found.verdict, found.ours) == (
        "holds",
        "5 of 6 missed by VIP-measure, 1 by VC-measure",
    )


def test_fresh_data_do_not_mix_with_the_authors() -> None:
    rows = frame(
        row(f1=0.9), row("bart-vc", f1=0.5), row(data="fresh", f1=0.1),
        row("bart-vc", data="fresh", f1=0.9),
    )  # fmt: skip
    assert by_id(rows)["best-f1"].ours == "1 of 1 cells"
