"""--event: survival times on the command line."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import bayesvc as bv
from tests.helpers.censored import make_censored
from tests.helpers.settings import SHORT_OPTIONS

pytestmark = [
    pytest.mark.usefixtures("placeholder_figures"),
    pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning"),
]
SHORT = (*SHORT_OPTIONS, "--replicates", "2")
WHAT = ("trial.csv", "-y", "months", "--event", "died")


@pytest.fixture
def data(rng):
    return make_censored(rng)


@pytest.fixture
def trial(data, tmp_path):
    table = pl.DataFrame(data.X, schema=list("abcd")).with_columns(
        months=pl.Series(data.time), died=pl.Series(data.event.astype(int))
    )
    table.write_csv(tmp_path / "trial.csv")
    return table


def test_the_command_selects_what_select_does(run, trial, data):
    done = run("select", *WHAT, *SHORT, "--out", "out")
    assert done.returncode == 0
    assert f"{(~data.event).sum()} of them right-censored" in done.stderr
    found = bv.select(
        trial.select(list("abcd")), data.y, n_replicates=2, burn_in=60, n_draws=60, random_state=0
    )
    assert "predictive of months" in done.stdout
    assert all(name in done.stdout for name in found.names)


def test_results_say_what_was_censored(run, trial, tmp_path):
    assert run("select", *WHAT, *SHORT, "--out", "out", "--json").returncode == 0
    about = json.loads((tmp_path / "out" / "selection.json").read_text())
    assert "right-censored" in about["response"]
    assert bv.Draws.load(tmp_path / "out" / "draws.npz").response == "survival"
    assert "right-censored" in (tmp_path / "out" / "report.html").read_text()


def test_booleans_and_subsamples(run, trial, tmp_path):
    trial.with_columns(pl.col("died") == 1).write_parquet(tmp_path / "trial.parquet")
    options = (*WHAT[1:], *SHORT, "--subsamples", "4", "--no-signal-test", "--out", "out")
    assert run("select", "trial.parquet", *options).returncode == 0


def test_predictions_are_median_times(run, trial, tmp_path):
    done = run("predict", "trial.csv", *WHAT, "--trees", "5", "--out", "p.csv")
    assert done.returncode == 0
    found = pl.read_csv(tmp_path / "p.csv")
    assert found.columns[-3:] == ["predicted", "low", "high"]
    assert bool((found["low"] < found["high"]).all())
    assert np.corrcoef(np.log(found["predicted"]), trial["b"])[0, 1] > 0.5


def test_a_comparison_leaves_out_the_methods_of_spike_forest(run, trial):
    done = run("compare", *WHAT, *SHORT_OPTIONS)
    assert done.returncode == 2
    assert "--methods dart-vc,bart-vc," in done.stderr
    done = run("compare", *WHAT, *SHORT_OPTIONS, "--methods", "dart-vc,dart-mpm", "--out", "out")
    assert done.returncode == 0


REFUSED = [
    ({}, ("--event", "month"), "Did you mean 'months'?"),
    ({}, ("--event", "months"), "--event must not name the target"),
    ({}, ("--event", "a"), "must name a column of 1 and 0, or of true and false. 'a' holds"),
    ({}, ("--event", "died", "--response", "binary"), "is not compatible with --event"),
    ({}, ("--event", "died", "--method", "abc-mpm"), "not compatible with methods of SpikeForest"),
    ({"died": 0}, ("--event", "died"), "at least one event. 'died' is '0' in every row"),
    (
        {"died": None},
        ("--event", "died"),
        "Column 'died' must be known in every row. It holds 80 missing",
    ),
    ({"months": 0}, ("--event", "died"), "positive survival times. Got 0 in row 1."),
    ({"months": "soon"}, ("--event", "died"), "must hold survival times as numbers"),
]


@pytest.mark.parametrize(("changed", "options", "says"), REFUSED)
def test_what_makes_no_sense_is_refused(changed, options, says, run, trial, tmp_path):
    trial.with_columns(**{name: pl.lit(value) for name, value in changed.items()}).write_csv(
        tmp_path / "trial.csv"
    )
    done = run("select", "trial.csv", "-y", "months", *options)
    assert done.returncode == 2
    assert says in done.stderr
    assert not (tmp_path / "trial-selection").exists()


def test_a_run_is_only_continued_with_the_same_event(run, trial, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    trial.with_columns(other=1 - pl.col("died")).write_csv(tmp_path / "trial.csv")
    options = (*SHORT, "--out", "out", "--exclude", "other,died")
    with monkeypatch.context() as patch:
        patch.setattr("bayesvc.cli.select_command.write_selection", interrupt)
        assert run("select", *WHAT, *options).returncode != 0
    wrong = run("select", "trial.csv", "-y", "months", "--event", "other", *options, "--resume")
    assert "--event: was died, is now other" in wrong.stderr
    assert run("select", *WHAT, *options, "--resume").returncode == 0


def test_the_note_on_an_indicator_names_the_option(run, trial):
    done = run("select", "trial.csv", "-y", "months", *SHORT, "--out", "out")
    assert "Give --event died." in done.stderr
    assert "bayesvc.Surv" not in done.stderr
