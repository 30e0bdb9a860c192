"""`bayesvc select`."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import bayesvc as bv
from bayesvc.cli.app import app
from bayesvc.sampling.checkpoint import Checkpoint
from bayesvc.selection import subsample_stability as resampled
from tests.helpers.no_sampling import no_sampling
from tests.helpers.settings import SHORT_OPTIONS

SHORT = (*SHORT_OPTIONS, "--replicates", "3")


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
def test_the_answer_and_its_files(run_process, file, tmp_path, table):
    done = run_process(
        "select", file, "--target", "y", "--id-column", "who", "--out", "out", *SHORT
    )
    assert done.returncode == 0, done.stderr
    assert "2 of 5 columns were selected as predictive of y: b, d." in done.stdout
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


def write_parquet(frame, path):
    frame.write_parquet(path)


def write_feather(frame, path):
    frame.write_ipc(path)


def write_excel(frame, path):
    pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    frame.write_excel(path)


def write_tsv(frame, path):
    frame.write_csv(path, separator="\t")


def write_gzipped(frame, path):
    path.write_bytes(gzip.compress(frame.write_csv().encode()))


def write_with_bom(frame, path):
    path.write_bytes(b"\xef\xbb\xbf" + frame.write_csv().encode())


def write_european(frame, path):
    frame.write_csv(path, separator=";", decimal_comma=True)


@pytest.mark.usefixtures("placeholder_figures")
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("t.parquet", write_parquet),
        ("t.feather", write_feather),
        ("t.xlsx", write_excel),
        ("t.tsv", write_tsv),
        ("t.csv.gz", write_gzipped),
        ("t.csv", write_with_bom),
        ("t.csv", write_european),
    ],
)
def test_kinds_of_files(run, table, tmp_path, name, write):
    path = tmp_path / name
    write(table, path)
    done = run("select", path, "-y", "y", "--exclude", "who", "--json", *SHORT)
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout)["selected"]) == ["b", "d"]


@pytest.mark.usefixtures("placeholder_figures")
def test_what_was_guessed_is_said(run, table, tmp_path):
    write_european(table, tmp_path / "t.csv")
    done = run("select", "t.csv", "-y", "y", "--exclude", "who", *SHORT)
    assert "separated by semicolons" in done.stderr
    assert "decimal commas" in done.stderr


@pytest.mark.usefixtures("placeholder_figures")
def test_latin_1_can_be_read_if_it_is_said(run, table, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(table.rename({"a": "größe"}).write_csv().encode("latin-1"))
    refused = run("select", path, "-y", "y", "--exclude", "who", *SHORT)
    assert refused.returncode == 2
    assert "not encoded in utf-8" in refused.stderr
    assert "--encoding" in refused.stderr
    done = run(
        "select", path, "-y", "y", "--exclude", "who", "--encoding", "latin-1", "--json", *SHORT
    )
    assert done.returncode == 0, done.stderr


def test_bytes_that_are_not_utf_8_far_down(tmp_path):
    from bayesvc.cli.errors import BadInput
    from bayesvc.cli.table_file import read_table

    path = tmp_path / "t.csv"
    path.write_bytes(b"y,a\n" + b"1,2\n" * 100_000 + b"2,\xe9\n")
    with pytest.raises(BadInput, match=r"not encoded in utf-8 \(a later row\)\. Give its"):
        read_table(path)
    path.write_bytes("y,a\n1,2\n".encode("utf-16"))
    with pytest.raises(BadInput, match="such as utf-16"):
        read_table(path)


def test_names_in_the_header(tmp_path):
    from bayesvc.cli.table_file import read_table

    path = tmp_path / "t.csv"
    path.write_text(",y,, a\n0,1,2,3\n1,2,3,4\n")  # as pandas writes an index
    found = read_table(path)
    assert found.frame.collect_schema().names() == ["column 1", "y", "column 3", "a"]
    assert found.notes == ["columns without a name are named after their position: 1, 3."]
    path.write_text('y,"two\nlines"\n1,2\n')
    assert read_table(path).frame.collect_schema().names() == ["y", "two\nlines"]
    path.write_text("y\ta\n1\t2\n")
    assert read_table(path, "\\t").frame.collect_schema().names() == ["y", "a"]


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
    nothing = "There is no evidence that y depends on the columns (signal test, p = 1); no column"
    assert nothing in done.stdout
    about = json.loads((tmp_path / "noise-selection" / "selection.json").read_text())
    assert (about["selected"], about["signal"]["verdict"]) == ([], "none")
    for method, option in (("dart-relevance", "--no-allow-empty"), ("dart-vc", "--signal-test")):
        options = ["--method", method, option, "--out", method]
        done = run("select", "noise.csv", "-y", "y", *options, *SHORT)
        assert "selected anyway: " in done.stdout
    options = ["--method", "dart-vc", "--allow-empty", "--out", "empty"]
    done = run("select", "noise.csv", "-y", "y", *options, *SHORT)
    assert nothing in done.stdout
    options = ["--no-signal-test", "--out", "untested"]
    done = run("select", "noise.csv", "-y", "y", *options, *SHORT)
    assert "selected as predictive of y" in done.stdout


@pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")
def test_other_rows(run, file, tmp_path, table):
    command = ("select", file, "-y", "y", "--exclude", "who", *SHORT)
    done = run(*command, "--subsamples", 4, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "in half-samples" in done.stdout.splitlines()[0]
    assert "2 of 5 columns were selected as predictive of y: b, d." in done.stdout
    found = pl.read_csv(tmp_path / "out" / "selection.csv")
    stable = bv.row_stability(
        table.drop("y", "who"), table["y"], n_subsamples=4, n_replicates=3, burn_in=60, n_draws=60,
        random_state=0,
    )  # fmt: skip
    expected = dict(zip(table.columns[:5], stable.frequency.tolist(), strict=True))
    assert dict(zip(found["variable"], found["row_stability"], strict=True)) == expected
    told = json.loads((tmp_path / "out" / "selection.json").read_text())
    assert {v["variable"]: v["row_stability"] for v in told["variables"]} == expected
    assert "In subsamples" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert not (tmp_path / "out" / "unfinished").exists()


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


def test_a_file_too_large_for_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    from bayesvc import _validation
    from bayesvc.cli.errors import BadInput
    from bayesvc.cli.table_file import read_table

    path = tmp_path / "huge.csv"
    with path.open("wb") as handle:
        handle.write(b"y,a,b\n" + b"1,2,3\n" * 50_000)
        handle.truncate(2_000_000_000)  # the rest is a hole
    monkeypatch.setattr(_validation, "available_memory", lambda: 4_000_000_000)
    with pytest.raises(BadInput, match=r"2\.0 GB\) needs about \d+ GB of memory, but only 4 GB"):
        read_table(path)


@pytest.mark.parametrize(("n_rows", "n_columns", "each"), [(300, 300, 10), (300, 301, 2)])
def test_memory_of_a_parquet_file_is_that_of_codes_and_linear_model(
    tmp_path, monkeypatch, n_rows, n_columns, each
):
    """There is no linear model of as many columns as rows; one column is the target."""
    from bayesvc import _validation
    from bayesvc.cli.errors import BadInput
    from bayesvc.cli.table_file import read_table

    path = tmp_path / "table.parquet"
    pl.DataFrame({f"x{j}": np.arange(n_rows) for j in range(n_columns)}).write_parquet(path)
    needed = n_rows * n_columns * each
    monkeypatch.setattr(_validation, "available_memory", lambda: needed)
    read_table(path)
    monkeypatch.setattr(_validation, "available_memory", lambda: needed - 1)
    with pytest.raises(BadInput, match=r"needs about \d+ GB of memory"):
        read_table(path)


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
