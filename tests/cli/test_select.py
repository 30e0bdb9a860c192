"""`bayesvc select`."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import bayesvc as bv
from bayesvc.cli.app import app
from bayesvc.sampling.checkpoint import Checkpoint
from tests.helpers.settings import SHORT_OPTIONS

SHORT = (*SHORT_OPTIONS, "--replicates", "3")


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
def test_the_answer_and_its_files(run_process, file, tmp_path, table):
    done = run_process(
        "select", file, "--target", "y", "--id-column", "who", "--out", "out", *SHORT
    )
    assert done.returncode == 0, done.stderr
    assert "2 of 5 columns were selected as predictive of y: d, b." in done.stdout
    method = "dart-relevance: DART prior, P(relevant), most-probable threshold; 3 replicates"
    response = (
        "response y: continuous, normal errors and no transformation (both chosen automatically)"
    )
    assert f"{method}\n{response}" in done.stderr
    assert "P(relevant): estimated by a formula learned on simulated data" in done.stderr
    assert done.stdout.splitlines()[-2:] == ["Results: out", f"Report: {Path('out/report.html')}"]
    assert "60 rows, 5 columns, response 'y'" in done.stderr
    out = tmp_path / "out"
    found = pl.read_csv(out / "selection.csv")
    assert found.columns[:2] == ["variable", "selected"]
    assert found["variable"].to_list()[:2] in (["b", "d"], ["d", "b"])
    assert found["selected"].to_list() == [True, True, False, False, False]
    told = json.loads((out / "selection.json").read_text())
    assert sorted(told["selected"]) == ["b", "d"]
    assert told["signal"]["found"]
    assert "There is evidence that y depends on the columns (signal test, p = " in done.stderr
    assert bv.Draws.load(out / "draws.npz").n_replicates == 3
    assert not (out / "unfinished").exists()
    same = bv.select(
        table.drop("y", "who"), table["y"], n_replicates=3, burn_in=60, n_draws=60, random_state=0
    )
    assert json.loads(same.to_json())["selected"] == told["selected"]


def test_for_machines_and_for_pipes(run_process, run, file):
    command = ("select", file, "-y", "y", "--exclude", "who", *SHORT)
    done = run_process(*command, "--json", "--out", "one")
    assert json.loads(done.stdout)["method"] == "dart-relevance"
    assert done.stderr == ""
    done = run(*command, "--quiet", "--out", "two")
    assert sorted(done.stdout.split()) == ["b", "d"]
    assert done.stderr == ""


def test_without_the_libraries_of_pictures_only_the_result_is_printed(file, tmp_path, monkeypatch):
    for package in ("matplotlib", "jinja2"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.chdir(tmp_path)
    command = ["select", str(file), "-y", "y", "--id-column", "who", *SHORT]
    done = CliRunner().invoke(app, [*command, "--out", "one"])
    assert done.exit_code == 0, done.output
    assert "No report was written. A report needs jinja2" in done.stderr
    for option in ("--quiet", "--json"):
        done = CliRunner().invoke(app, [*command, option, "--out", option.strip("-")])
        assert done.exit_code == 0, done.output
        assert done.stderr == ""


def test_features_goal_and_default_folder(run, file, tmp_path):
    done = run(
        "select", file, "-y", "y", "--features", "a,b", "--features", "e", "--goal", "quick",
        "--burn-in", 50, "--draws", 50, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["selected"] == ["b"]
    assert "quick" in told["reason"]
    assert (tmp_path / "data-selection" / "selection.csv").exists()


def test_a_run_that_failed_before_its_first_fit_is_not_in_the_way(file, tmp_path):
    from bayesvc.cli.results_folder import open_folder

    out = tmp_path / "out"
    for seed in (0, 1):
        with open_folder(out, {"--seed": seed}, resume=False, overwrite=False):
            pass


def test_two_classes(run, table, tmp_path):
    ill = table.with_columns(
        y=pl.when(pl.col("y") > 9).then(pl.lit("ill")).otherwise(pl.lit("well"))
    )
    ill.write_csv(tmp_path / "t.csv")
    done = run("select", "t.csv", "-y", "y", "--exclude", "who", "--json", *SHORT)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["selected"]) <= {"a", "b", "[red]c[/]", "d", "e"}


def test_two_numbers_are_taken_as_told(run, table, tmp_path):
    coded = table.with_columns(y=pl.when(pl.col("y") > 9).then(1).otherwise(2))
    coded.write_csv(tmp_path / "t.csv")
    command = ("select", "t.csv", "-y", "y", "--id-column", "who", *SHORT)
    done = run(*command, "--out", "numbers")
    assert done.returncode == 0, done.stderr
    said = (
        "the target 'y' is 1 or 2 in every row and is treated as continuous. For two classes give "
    )
    assert f"{said}--response binary." in done.stderr
    assert bv.Draws.load(tmp_path / "numbers" / "draws.npz").response == "continuous"
    done = run(*command, "--out", "classes", "--response", "binary", "--subsamples", 2)
    assert done.returncode == 0, done.stderr
    assert "treated as continuous" not in done.stderr
    assert bv.Draws.load(tmp_path / "classes" / "draws.npz").response == "binary"


def test_messy_columns(run, tmp_path):
    rng = np.random.default_rng(1)
    n = 120
    site = rng.choice(["north", "south", "west"], n)
    messy = pl.DataFrame(
        {
            "site": site,
            "dose": np.where(rng.random(n) < 0.2, np.nan, rng.uniform(size=n)),
            "left": rng.uniform(size=n),
            "right": rng.uniform(size=n),
            "weight": rng.uniform(0.5, 2, n),
            "day": rng.integers(0, 4, n),
            "y": 3.0 * (site == "south") + rng.normal(size=n),
        }
    ).fill_nan(None)
    messy.write_csv(tmp_path / "messy.csv")
    options = ["--group", "sides=left,right", "--weights", "weight", "--blocks", "day"]
    done = run("select", "messy.csv", "-y", "y", *options, *SHORT, "--replicates", "auto")
    assert done.returncode == 0, done.stderr
    assert "'site' holds text and is treated as categorical" in done.stderr
    assert "'dose' holds" in done.stderr
    rows = pl.read_csv(tmp_path / "messy-selection" / "selection.csv")
    assert set(rows["variable"]) == {"site", "dose", "sides"}
    about = json.loads((tmp_path / "messy-selection" / "selection.json").read_text())
    assert "did not change the selection" in about["stopping"]
    assert about["signal"]["found"]


@pytest.mark.usefixtures("placeholder_figures")
def test_nothing_is_claimed_of_noise(run, tmp_path):
    rng = np.random.default_rng(2)
    noise = pl.DataFrame({"y": rng.normal(size=80), "a": rng.random(80), "b": rng.random(80)})
    noise.write_csv(tmp_path / "noise.csv")
    done = run("select", "noise.csv", "-y", "y", *SHORT)
    nothing = r"There is no evidence that y depends on .* p = [0-9.]+\); no column is selected"
    assert re.search(nothing, done.stdout)
    about = json.loads((tmp_path / "noise-selection" / "selection.json").read_text())
    assert (about["selected"], about["signal"]["verdict"]) == ([], "none")
    for method, option in (("dart-relevance", "--no-allow-empty"), ("dart-vc", "--signal-test")):
        options = ["--method", method, option, "--out", method]
        done = run("select", "noise.csv", "-y", "y", *options, *SHORT)
        assert "selected anyway: " in done.stdout
    options = ["--method", "dart-vc", "--allow-empty", "--out", "empty"]
    done = run("select", "noise.csv", "-y", "y", *options, *SHORT)
    assert re.search(nothing, done.stdout)
    options = ["--no-signal-test", "--out", "untested"]
    done = run("select", "noise.csv", "-y", "y", *options, *SHORT)
    assert "selected as predictive of y" in done.stdout


@pytest.mark.usefixtures("placeholder_figures")
def test_stopped_before_there_are_replicates_to_compare(file, tmp_path, monkeypatch):
    """The default method compares replicates, so that a single one is no result."""
    keep, calls = Checkpoint.keep, []

    def stop(self, key, result):
        calls.append(key)
        if len(calls) == 2:
            raise KeyboardInterrupt
        keep(self, key, result)

    monkeypatch.chdir(tmp_path)
    command = ["select", str(file), "-y", "y", "--exclude", "who", "--out", "out", *SHORT]
    command += ["--jobs", "1"]  # another thread might finish a replicate meanwhile
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "keep", stop)
        done = CliRunner().invoke(app, command)
    assert done.exit_code == 130, done.output
    assert "Stopped before there was a result" in done.stderr
    assert "--resume" in done.stderr
    assert not (tmp_path / "out" / "selection.json").exists()
    assert len(list((tmp_path / "out" / "unfinished").glob("fit-*.npz"))) == 1
    done = CliRunner().invoke(app, [*command, "--resume", "--quiet"])
    assert done.exit_code == 0, done.output
    assert sorted(done.stdout.split()) == ["b", "d"]


def test_a_single_column_has_its_own_sentence(run, tmp_path, table):
    table.select("b", y=table["b"] * 3).write_csv(tmp_path / "t.csv")
    done = run("select", "t.csv", "-y", "y", *SHORT)
    assert "The only column was selected as predictive of y: b." in done.stdout
    noise = np.random.default_rng(3).normal(size=60)
    table.select("b", y=pl.Series(noise)).write_csv(tmp_path / "n.csv")
    done = run("select", "n.csv", "-y", "y", *SHORT)
    assert "There is no evidence that y depends on the columns (signal test, p = " in done.stdout
    assert "; no column is selected." in done.stdout
    done = run("select", "n.csv", "-y", "y", "--no-allow-empty", "--out", "again", *SHORT)
    assert "the only column was selected anyway: b." in done.stdout


def test_bad_input_of_the_real_command(run_process, file):
    done = run_process("select", "data.csv", "-y", "yy")
    assert done.returncode == 2
    assert done.stderr == (
        "Error: --target must name a column of the table. Got 'yy' instead. Did you mean 'y'?\n"
    )
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "dart-vc", "--goal", "quick"), "Got --method dart-vc and --goal quick"),
        (("--allow-empty", "--no-signal-test"), "--allow-empty requires the signal test"),
        (("--method", "dart-relevance", "--replicates", "1"), "--replicates must be at least 2"),
        (("--replicates", "1"), "Got 1 instead. Use more, or method 'dart-vc'."),
    ],
)
def test_settings_that_contradict_each_other_leave_nothing_behind(file, tmp_path, options, message):
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["select", str(file), "-y", "y", *options, "--out", str(out)])
    assert done.exit_code == 2
    assert message in done.output
    assert not out.exists()


@pytest.mark.skipif(os.name == "nt", reason="needs /dev/null")
def test_a_folder_that_cannot_be_written_to(run, file):
    done = run("select", file, "-y", "y", "--exclude", "who", "--out", "/dev/null/out")
    assert done.returncode == 2
    assert "cannot be written to" in done.stderr


@pytest.mark.usefixtures("placeholder_figures")
def test_earlier_results_are_not_overwritten_unasked(run, file, tmp_path):
    command = ("select", file, "-y", "y", "--exclude", "who", "--out", "out", *SHORT)
    assert run(*command).returncode == 0
    before = (tmp_path / "out" / "selection.json").read_bytes()
    refused = run(*command, "--seed", 3)
    assert refused.returncode == 2
    assert "is not empty" in refused.stderr
    assert (tmp_path / "out" / "selection.json").read_bytes() == before
    assert run(*command, "--seed", 3, "--overwrite").returncode == 0
    (tmp_path / "taken").write_text("x")
    refused = run("select", file, "-y", "y", "--exclude", "who", "--out", "taken")
    assert "must be a folder" in refused.stderr


def test_help_has_examples_for_every_command(run):
    listed = run("--help").stdout
    for name in ("select", "compare", "predict", "recipes", "demo", "bench", "info", "completion"):
        assert name in listed
        assert run(name, "--help").returncode == 0
    commands = listed.partition("Commands:")[2]
    assert commands.split()[0] == "select"
    assert "..." not in commands
    for name in ("select", "compare", "predict"):
        shown = run(name, "--help").stdout
        assert f"\n  bayesvc {name} " in shown
        assert "\\" not in shown


def test_without_its_libraries_it_says_what_to_install(tmp_path):
    import subprocess

    code = "import sys; sys.modules['click'] = None; from bayesvc.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "pip install 'bayesvc[cli]'" in done.stderr
