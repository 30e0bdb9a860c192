"""Selections that `bayesvc select` repeats on other rows."""

from __future__ import annotations

import json

import polars as pl
import pytest
from click.testing import CliRunner

import bayesvc as bv
from bayesvc.cli.app import app
from bayesvc.selection import subsample_stability as resampled
from tests.helpers.no_sampling import no_sampling
from tests.helpers.settings import SHORT_OPTIONS

SHORT = (*SHORT_OPTIONS, "--replicates", "3")


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
def test_other_rows(run, file, tmp_path, table):
    command = ("select", file, "-y", "y", "--exclude", "who", *SHORT)
    done = run(*command, "--subsamples", 4, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "in half-samples" in done.stdout.splitlines()[0]
    assert "2 of 5 columns were selected as predictive of y: d, b." in done.stdout
    found = pl.read_csv(tmp_path / "out" / "selection.csv")
    stable = bv.row_stability(
        table.drop("y", "who"), table["y"], n_subsamples=4, n_replicates=3, burn_in=60, n_draws=60,
        random_state=0,
    )  # fmt: skip
    expected = dict(zip(table.columns[:5], stable.frequency.tolist(), strict=True))
    assert dict(zip(found["variable"], found["row_stability"], strict=True)) == expected
    told = json.loads((tmp_path / "out" / "selection.json").read_text())
    assert {v["variable"]: v["row_stability"] for v in told["variables"]} == expected
    assert "In half-samples" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert not (tmp_path / "out" / "unfinished").exists()


@pytest.mark.usefixtures("placeholder_figures")
@pytest.mark.parametrize("method", ["dart-vc", "bart-vip-local"])
def test_other_rows_in_time_order(run, file, tmp_path, table, method):
    options = ["--method", method, "--time-order", "--subsamples", 2, "--out", "out", *SHORT]
    if method == "bart-vip-local":
        options += ["--permutations", 19]
    done = run("select", file, "-y", "y", "--exclude", "who", *options)
    assert done.returncode == 0, done.stderr
    found = pl.read_csv(tmp_path / "out" / "selection.csv")
    settings = {"n_permutations": 19} if method == "bart-vip-local" else {}
    stable = bv.row_stability(
        table.drop("y", "who"), table["y"], method, n_subsamples=2, n_replicates=3, burn_in=60,
        n_draws=60, random_state=0, time_order=True, **settings,
    )  # fmt: skip
    expected = dict(zip(table.columns[:5], stable.frequency.tolist(), strict=True))
    assert dict(zip(found["variable"], found["row_stability"], strict=True)) == expected


@pytest.mark.usefixtures("placeholder_figures")
def test_stopped_while_other_rows_are_selected_from(file, tmp_path, monkeypatch):
    real, calls = resampled.select, []

    def stop(**given):
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(**given)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(resampled, "select", stop)
    command = ["select", str(file), "-y", "y", "--exclude", "who", "--out", "out", *SHORT]
    command += ["--subsamples", "4", "--quiet"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 130
    assert "all replicates, but not of --subsamples" in done.stderr
    assert "--resume" in done.stderr
    assert sorted(done.stdout.split()) == ["b", "d"]
    assert "row_stability" not in pl.read_csv(tmp_path / "out" / "selection.csv").columns
    finished = list((tmp_path / "out" / "unfinished").glob("fit-*.npz"))
    assert len(finished) == 6  # 3 replicates of 2 selections
    done = CliRunner().invoke(app, [*command, "--resume"])
    assert done.exit_code == 0, done.output
    assert "row_stability" in pl.read_csv(tmp_path / "out" / "selection.csv").columns
    assert not (tmp_path / "out" / "unfinished").exists()


def test_other_rows_that_cannot_be_drawn_are_refused_before_any_fit(tmp_path, monkeypatch):
    lines = ["y,a", *(f"{'ill' if i == 3 else 'well'},{i % 7}" for i in range(40))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    command = ["select", "t.csv", "-y", "y", "--subsamples", "4", *SHORT]
    with no_sampling():
        done = CliRunner().invoke(app, command)
    assert done.exit_code == 2
    assert "1 rows of class 'ill'" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
