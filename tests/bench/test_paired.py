"""Two methods side by side: differences, their errors, and the correction for many cells."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from bayesvc.bench import feynman, paired
from tests.helpers import bench_rows

NAMES = list(feynman.equations())
OF_CLASS: dict[str, list[str]] = {}
for _name, _law in feynman.equations().items():
    OF_CLASS.setdefault(_law.equiv_class, []).append(_name)


def rows_of(differences: dict[str, list[float]], **changes: object) -> pl.DataFrame:
    """Return rows in which dart-relevance differs from dart-vc by so much on data sets."""
    rows = []
    for problem, values in differences.items():
        for seed, value in enumerate(values):
            for method, f1 in (("dart-relevance", 0.5 + value), ("dart-vc", 0.5)):
                rows.append(bench_rows.row(method, problem=problem, seed=seed, f1=f1) | changes)
    return bench_rows.frame(*rows)


def compared(rows: pl.DataFrame) -> pl.DataFrame:
    return paired.paired(rows, "dart-relevance", "dart-vc")


def test_classes_of_equal_size_give_the_error_of_their_means():
    rng = np.random.default_rng(0)
    names = [group[0] for group in OF_CLASS.values()][:12]
    differences = {name: list(rng.normal(0.1, 0.1, 5)) for name in names}
    mean, se, data_sets, classes = paired.mean_difference(compared(rows_of(differences)))
    means = [np.mean(values) for values in differences.values()]
    assert (data_sets, classes) == (60, 12)
    assert mean == pytest.approx(np.mean(means))
    assert se == pytest.approx(np.std(means, ddof=1) / math.sqrt(12))


def test_equations_that_are_the_same_function_are_one_unit():
    same = next(group for group in OF_CLASS.values() if len(group) > 1)[:2]
    other = next(name for name in NAMES if name not in same)
    pairs = compared(rows_of({same[0]: [0.1], same[1]: [0.1], other: [0.0]}))
    assert pairs["unit"].n_unique() == 2
    assert paired.mean_difference(pairs).classes == 2


def test_the_error_of_one_class_is_unknown():
    pairs = compared(rows_of({NAMES[0]: [0.1, 0.3]}))
    assert math.isnan(paired.mean_difference(pairs).se)
    assert paired.by_cell(pairs)["p_worse"].item() == 1


@pytest.mark.parametrize(("difference", "p"), [(-0.5, 0), (0.0, 1), (0.5, 1)])
def test_the_same_difference_everywhere_is_judged_by_its_sign(difference, p):
    pairs = compared(rows_of({NAMES[0]: [difference], NAMES[5]: [difference]}))
    assert paired.by_cell(pairs)["p_worse"].item() == p


def test_a_worse_cell_is_found_and_a_better_one_is_not():
    rng = np.random.default_rng(1)
    names = [group[0] for group in OF_CLASS.values()][:20]
    worse = rows_of({name: [rng.normal(-0.2, 0.05)] for name in names}, n=500)
    better = rows_of({name: [rng.normal(0.2, 0.05)] for name in names}, n=1000)
    perfect = bench_rows.frame(
        *(bench_rows.row(method, problem=name, n=2000)
          for name in names for method in ("dart-relevance", "dart-vc"))
    )  # fmt: skip
    pairs = compared(pl.concat([worse, better, perfect], how="diagonal_relaxed"))
    cells = paired.by_cell(pairs)
    assert cells["n"].to_list() == [500, 1000, 2000]
    assert cells["p_worse"][0] < 1e-6
    assert cells["p_worse"][1] > 1 - 1e-6
    assert cells["both_perfect"].to_list() == [False, False, True]
    found = paired.summarize_pairs(pairs)
    assert (found["cells_better"], found["cells_worse"], found["cells_equal"]) == (1, 1, 1)
    assert found["cells_both_perfect"] == found["cells_worse_after_holm"] == 1


@pytest.mark.parametrize("seed", range(5))
def test_holm_rejects_what_the_stepwise_procedure_rejects(seed):
    p = np.random.default_rng(seed).uniform(size=12) ** 4
    for level in (0.01, 0.05, 0.2):
        rejected = np.zeros(12, dtype=bool)
        for step, j in enumerate(np.argsort(p)):
            if p[j] > level / (12 - step):
                break
            rejected[j] = True
        assert ((paired.holm(p) <= level) == rejected).all()


def test_data_sets_of_one_method_are_left_out_and_failed_runs_are_not():
    rows = rows_of({NAMES[0]: [0.1, 0.2], NAMES[5]: [0.3]})
    failed = (pl.col("method") == "dart-relevance") & (pl.col("problem") == NAMES[5])
    rows = rows.with_columns(
        error=pl.when(failed).then(pl.lit("broken")), f1=pl.when(~failed).then("f1").otherwise(0)
    )
    only_one = (pl.col("method") == "dart-vc") & (pl.col("seed") == 1)
    pairs = compared(rows.filter(~only_one))
    assert pairs["difference"].round(9).to_list() == [0.1, -0.5]
    assert pairs["error"].to_list() == [None, "broken"]


def test_both_have_the_number_of_replicates_that_is_asked_for():
    usual = rows_of({NAMES[0]: [0.1]})
    few = rows_of({NAMES[0]: [0.4]}, n_replicates=2)
    both = pl.concat([usual, few], how="diagonal_relaxed")
    assert compared(both)["difference"].round(9).to_list() == [0.1]
    two = paired.paired(both, "dart-relevance", "dart-vc", 2)
    assert two["difference"].round(9).to_list() == [0.4]
    own = few.filter(method="dart-vc").with_columns(method=pl.lit("mine:rule"), n_replicates=0)
    with_own = pl.concat([both, own], how="diagonal_relaxed")
    assert paired.paired(with_own, "dart-relevance", "mine:rule", 2)["difference"].len() == 1


def test_what_is_not_there_is_named():
    rows = rows_of({NAMES[0]: [0.1]})
    with pytest.raises(
        ValueError,
        match=r"no results of 'bart-vc'\. Available: 'dart-relevance' \(10 replicates\), ",
    ):
        paired.paired(rows, "bart-vc", "dart-vc")
    with pytest.raises(ValueError, match="no results of 'dart-vc' with 3 replicates"):
        paired.paired(rows, "dart-vc", "dart-relevance", 3)
    other_seed = pl.when(method="dart-vc").then(9).otherwise("seed")
    apart = rows.with_columns(seed=other_seed)
    with pytest.raises(ValueError, match="No data set has results of both"):
        paired.paired(apart, "dart-vc", "dart-relevance")
