"""compare, predict, recipes, info, completion and demo."""

from __future__ import annotations

import json
from pathlib import Path

import click
import numpy as np
import polars as pl
import pytest

from bayesvc import _core
from bayesvc.cli.app import app
from bayesvc.cli.output import as_options
from tests.helpers.settings import SHORT_OPTIONS


def test_compare_shows_where_methods_agree(run_process, file, tmp_path):
    done = run_process(
        "compare", file, "-y", "y", "--exclude", "who", "--methods", "dart-vc,bart-vc,dart-mpm",
        "--out", "out", *SHORT_OPTIONS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "2 of 5 columns were selected by all 3 methods: b, d." in done.stdout
    assert done.stdout.splitlines()[-2:] == ["Results: out", f"Report: {Path('out/report.html')}"]
    assert (tmp_path / "out" / "report.html").exists()
    table = pl.read_csv(tmp_path / "out" / "comparison.csv")
    assert table["variable"].to_list()[:2] == ["b", "d"]
    assert table["methods"].to_list()[:2] == [3, 3]
    told = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert told["selected"]["dart-vc"] == ["b", "d"]


def test_compare_of_noise_warns(run, tmp_path):
    rng = np.random.default_rng(7)
    columns = {name: rng.random(80) for name in "yabc"}
    pl.DataFrame(columns).write_csv(tmp_path / "noise.csv")
    options = ("--methods", "dart-vc,dart-mpm", "--out", "out", *SHORT_OPTIONS)
    done = run("compare", "noise.csv", "-y", "y", *options)
    assert "There is no evidence" not in done.stderr  # the last line of the output says so
    assert "Note: For rows that were held out, the rank correlation" in done.stderr
    assert "There is no evidence that y depends on the columns" in done.stdout
    told = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert told["notes"][0]["code"] == "no-signal"


@pytest.mark.usefixtures("placeholder_figures")
def test_compare_for_machines(run, file):
    options = ("--exclude", "who", "--methods", "dart-mpm", *SHORT_OPTIONS)
    done = run("compare", file, "-y", "y", "--json", "--out", "one", *options)
    assert list(json.loads(done.stdout)) == ["dart-mpm"]
    done = run("compare", file, "-y", "y", "--quiet", "--out", "two", *options)
    assert done.stdout.split()[:1]
    refused = run("compare", file, "-y", "y", "--methods", "dart-mpn", "--out", "three")
    assert refused.returncode == 2
    assert "dart-mpm" in refused.stderr


@pytest.mark.usefixtures("placeholder_figures")
def test_predict_from_what_was_selected(run, file, tmp_path, table):
    options = ("--exclude", "who", "--replicates", "2", *SHORT_OPTIONS)
    assert run("select", file, "-y", "y", "--out", "sel", *options).returncode == 0
    table.drop("y").head(7).write_csv(tmp_path / "new.csv")
    done = run(
        "predict", file, "new.csv", "-y", "y", "--selection", "sel", "--out", "p.csv",
        "--id-column", "who",
        "--trees", 20, "--jobs", 1,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = pl.read_csv(tmp_path / "p.csv")
    assert found.height == 7
    assert (found["low"] <= found["predicted"]).all()
    assert (found["predicted"] <= found["high"]).all()
    # 18 is the range of y, of which the forest explains nearly all
    assert (found["predicted"] - table["y"].head(7)).abs().mean() < 2


def test_predict_of_one_row_with_a_category(run, tmp_path):
    rng = np.random.default_rng(4)
    site = rng.choice(["north", "south"], 40)
    past = pl.DataFrame({"site": site, "a": rng.random(40), "y": 3.0 * (site == "south")})
    past.write_csv(tmp_path / "past.csv")
    past.drop("y").head(1).write_csv(tmp_path / "next.csv")
    done = run("predict", "past.csv", "next.csv", "-y", "y", "--out", "p.csv", "--trees", 10)
    assert done.returncode == 0, done.stderr
    assert pl.read_csv(tmp_path / "p.csv").height == 1


def test_predict_into_a_folder_that_is_not_there(run, file):
    done = run("predict", file, file, "-y", "y", "--exclude", "who", "--out", "no/folder/p.csv")
    assert done.returncode == 2
    assert "must be in an existing folder" in done.stderr


def test_predict_needs_the_columns(run, file, tmp_path, table):
    table.drop("b").write_csv(tmp_path / "new.csv")
    done = run("predict", file, "new.csv", "-y", "y", "--exclude", "who", "--out", "p.csv")
    assert done.returncode == 2
    assert "Missing: b" in done.stderr


def test_recipes_info_and_completion(run):
    assert "dart-vc" in run("recipes").stdout
    assert json.loads(run("recipes", "--json").stdout)["dart-vc"]["n_replicates"] == 10
    assert json.loads(run("info", "--json").stdout)["cpu path"] in _core.available_kernels()
    assert "_bayesvc_completion" in run("completion", "bash").stdout
    assert run("completion", "tcsh").returncode == 2
    assert run("--version").stdout.startswith("bayesvc, version 0.")


@pytest.mark.weekly  # tests/test_docs_commands.py runs it with the other commands of its page
def test_the_demo_finds_the_six_variables(run_process, tmp_path):
    done = run_process("demo", "--out", "d")
    assert done.returncode == 0, done.stderr
    assert "6 of 306 columns were selected as predictive of n" in done.stdout
    assert (tmp_path / "d" / "selection" / "selection.json").exists()
    assert run_process("demo", "--out", "d").returncode == 2


def test_notes_name_options_only():
    notes = {
        "use time_order=True (--time-order); if in groups, permute_within= (--blocks).":
        "use --time-order; if in groups, --blocks.",
        "Use longer chains (`burn_in`, `n_draws`) or more replicates (n_replicates=20).":
        "Use longer chains (--burn-in, --draws) or more replicates (--replicates 20).",
        "say so with response='continuous'.": "say so with --response continuous.",
        "select for each class against the rest, for example with a b == 2 as the response.":
        "make a column that is 1 for one class and 0 for the others, and select for it.",
        "Use method 'dart-relevance', or DART or BART with transform='auto', which fits scores.":
        "Use --method dart-relevance, which fits scores.",
    }  # fmt: skip
    with click.Context(app.commands["select"]):
        for python, command_line in notes.items():
            assert as_options(python) == command_line


@pytest.mark.usefixtures("placeholder_figures")
def test_the_target_is_called_by_its_name(run, tmp_path):
    rng = np.random.default_rng(2)
    columns = {name: rng.random(80) for name in "abc"}
    codes = {"kind of site": 1 + (columns["a"] + 0.05 * rng.normal(size=80) > 0.5)}
    pl.DataFrame(columns | codes).write_csv(tmp_path / "sites.csv")
    options = ("--time-order", "--replicates", "2", "--out", "out", *SHORT_OPTIONS)
    done = run("select", "sites.csv", "-y", "kind of site", *options)
    assert done.returncode == 0, done.stderr
    assert "Note: kind of site has only the values 1 and 2 and was fitted as" in done.stderr
    assert "pass --response binary." in done.stderr
    assert "although they are unrelated to kind of site." in done.stderr
    assert "as predictive of kind of site: " in done.stdout
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<title>Which columns predict kind of site?</title>" in page
    assert "time_order=True" in page
