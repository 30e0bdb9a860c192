"""`bayesvc bench` as a user runs it."""

import polars as pl
import pytest
from click.testing import CliRunner

from bayesvc.bench import figures, paper
from bayesvc.bench.grid_run import run_grid
from bayesvc.bench.row_files import read_rows
from bayesvc.bench.shards import SCHEMA
from bayesvc.bench.store import Store
from bayesvc.cli.app import app
from bayesvc.cli.output import clock
from tests.helpers import small_grid


def bench(*args):
    return CliRunner().invoke(app, ["bench", *map(str, args)])


@pytest.fixture(scope="module", autouse=True)
def tasks_on_threads():
    with pytest.MonkeyPatch.context() as patch:
        small_grid.tasks_on_threads(patch)
        yield


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench") / "s"
    methods = "tests.helpers.small_grid:first,tests.helpers.small_grid:broken"
    found = bench(
        "run", "--grid", "smoke", "--snr", 1, "--methods", methods, "--out", folder, "--jobs", 1
    )
    assert found.exit_code == 1  # of one method there are no results
    assert "10 results failed and count as F1 = 0" in found.output
    reason = "RuntimeError: no answer for seed 860"
    assert f"tests.helpers.small_grid:broken failed on 10 of 10 data sets: {reason}" in found.output
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench") / "kept"
    grid = small_grid.make(["dart-vc@3", "bart-vip-measure@3", "dart-mpm", "abc-mpm"], n_tasks=3)
    run_grid(grid, folder, n_jobs=1, keep_draws=True)
    return folder


def test_status_lists_what_failed(store):
    found = bench("status", store)
    assert found.exit_code == 0
    first, second, *lines = found.output.splitlines()
    assert "results of 2 methods on 10 data sets" in first
    assert second.split("\t") == ["method", "replicates", "data_sets", "failed"]
    assert lines[0].split("\t") == ["tests.helpers.small_grid:broken", "", "10", "10"]
    assert lines[1].split("\t") == ["tests.helpers.small_grid:first", "", "10", "0"]
    time_taken = clock(Store(store).rows()["seconds"].sum())
    assert lines[3].split("\t") == ["500", "1", "10", "2", "10", time_taken]
    assert "0 of 20 data sets have results of all default methods" in found.output
    assert found.output.count("RuntimeError: no answer for seed 860") == 10


def test_a_run_with_nothing_left_to_do_says_again_what_failed(store):
    run = ("run", "--grid", "smoke", "--snr", 1, "--out", store, "--jobs", 1, "--methods")
    found = bench(*run, "tests.helpers.small_grid:first,tests.helpers.small_grid:broken")
    assert found.exit_code == 1
    assert "Ran 0 tasks" in found.output
    assert "tests.helpers.small_grid:broken failed on 10 of 10 data sets" in found.output
    found = bench(*run, "tests.helpers.small_grid:first")
    assert found.exit_code == 0
    assert "failed" not in found.output


def test_a_function_for_kept_fits_is_no_method_of_a_run(tmp_path):
    run = ("run", "--grid", "smoke", "--out", tmp_path / "s", "--methods")
    found = bench(*run, "tests.helpers.small_grid:often")
    assert found.exit_code == 2
    assert (
        "small_grid:often' must be a function of (X, y, seed). Got a function of (kept)"
        in found.output
    )


def test_a_table_of_scores(store):
    lines = bench("table", store, "--method", "tests.helpers.small_grid:first").output.splitlines()
    header, row = lines[0].split("\t"), lines[1].split("\t")
    assert len(lines) == 2
    assert row[header.index("data_sets")] == "10"
    assert row[header.index("fpr")] == "0.000"


def test_the_papers_own_numbers_differ_by_nothing(tmp_path):
    rows = paper.as_rows()
    rest = {name: pl.lit(None, kind) for name, kind in SCHEMA.items() if name not in rows.columns}
    file = tmp_path / "rows.parquet"
    rows.with_columns(**rest).write_parquet(file)
    found = bench("table", file, "--against", "paper", "--method", "dart-vc")
    assert found.exit_code == 0, found.output
    assert "Mean difference over all cells" in found.output


def test_export_and_its_refusals(store, tmp_path):
    file = tmp_path / "rows.parquet"
    assert bench("export", store, file).exit_code == 0
    assert len(pl.read_parquet(file)) == 20
    assert bench("export", store, tmp_path / "rows.csv").exit_code == 0
    assert len(pl.read_csv(tmp_path / "rows.csv")) == 20
    before = file.read_bytes()
    again = bench("export", store, file)
    assert again.exit_code == 2
    assert "already exists" in again.output
    assert file.read_bytes() == before
    assert bench("export", store, tmp_path / "rows.txt").exit_code == 2
    assert bench("table", file).output == bench("table", store).output


def test_rescoring_gives_what_the_run_gave(kept, tmp_path):
    out = tmp_path / "again.parquet"
    methods = "dart-vc@3,bart-vip-measure@3,dart-mpm,abc-mpm"
    found = bench("rescore", kept, "--methods", methods, "--out", out, "--jobs", 1)
    assert found.exit_code == 0, found.output
    assert bench("export", kept, tmp_path / "first.parquet").exit_code == 0
    order = ["seed", "method", "n_replicates"]
    first, again = (
        pl.read_parquet(tmp_path / name).sort(order).select(*order, "selected", "f1", "error")
        for name in ("first.parquet", "again.parquet")
    )
    assert len(first) == 12
    assert first.equals(again)


def test_rescoring_takes_functions_of_the_kept_fits(kept, tmp_path):
    out = tmp_path / "other.parquet"
    found = bench(
        "rescore", kept, "--methods", "tests.helpers.small_grid:often", "--out", out, "--jobs", 1
    )
    assert found.exit_code == 0, found.output
    assert pl.read_parquet(out)["error"].null_count() == 3
    found = bench(
        "compare", out, "tests.helpers.small_grid:often", "tests.helpers.small_grid:often"
    )
    assert "tests.helpers.small_grid:often: fixed number of replicates" in found.output
    found = bench("compare", out, "tests.helpers.small_grid:often", "dart-vc")
    assert (
        "There are no results of 'dart-vc'. Available: 'tests.helpers.small_grid:often'.\n"
        in found.output
    )


@pytest.mark.parametrize(
    ("method", "needs"),
    [
        ("dart-vc@9", "dart-vc needs 9 replicates of dart"),
        ("dart-mpm-true-sigma", "needs replicates with known sigma, which are never kept"),
        ("bart-vip-gse@3", "bart-vip-gse needs 50 null replicates of bart"),
        ("tests.helpers.small_grid:first", "Got a function of (X, y, seed)"),
        ("tests.helpers.small_grid:SETTINGS", "must be a function of (kept)"),
    ],
)
def test_what_no_kept_fits_suffice_for_is_refused_beforehand(kept, tmp_path, method, needs):
    out = tmp_path / "none.csv"
    found = bench("rescore", kept, "--methods", f"dart-mpm,{method}", "--out", out, "--jobs", 1)
    assert found.exit_code == 2
    assert needs in found.output
    if ":" not in method:
        assert f"{kept} holds at most 3 replicates of dart, 3 replicates of bart, " in found.output
    assert not out.exists()


def test_where_some_data_sets_have_the_fits_a_method_fails_on_the_others(tmp_path):
    folder, out = tmp_path / "s", tmp_path / "rows.parquet"
    for methods, n_tasks in ((["dart-vc@2"], 3), (["dart-vc@3"], 1)):
        run_grid(small_grid.make(methods, n_tasks), folder, n_jobs=1, keep_draws=True)
    methods = "dart-vc@3,tests.helpers.small_grid:of_bart"
    found = bench("rescore", folder, "--methods", methods, "--out", out, "--jobs", 1)
    assert found.exit_code == 1  # the function failed everywhere
    reason = "ValueError: dart-vc needs 3 replicates of dart. Available: 2 replicates of dart."
    assert f"dart-vc (3 replicates) failed on 2 of 3 data sets: {reason}" in found.output
    reason = "No replicates of bart were kept. Available: dart."
    assert "tests.helpers.small_grid:of_bart failed on 3 of 3 data sets: KeyError: " in found.output
    assert reason in found.output
    assert len(pl.read_parquet(out)) == 6


def test_rescored_methods_side_by_side(kept, tmp_path):
    out = tmp_path / "rescored.parquet"
    found = bench(
        "rescore", kept, "--methods", "dart-vip-measure@3,dart-vc@3", "--out", out, "--jobs", 1
    )
    assert found.exit_code == 0, found.output
    assert "dart-vip-measure" in found.output
    found = bench("compare", out, "dart-vip-measure", "dart-vc")
    assert found.exit_code == 0, found.output
    assert "F1 of dart-vip-measure minus F1 of dart-vc" in found.output
    assert "3 data sets" in found.output
    found = bench("compare", out, "dart-vip-measure", "bart-vc")
    assert found.exit_code == 2
    assert "There are no results of 'bart-vc'" in found.output
    found = bench("table", out, "--method", "bart-vc")
    assert found.exit_code == 2
    there = "'dart-vc' (3 replicates), 'dart-vip-measure' (3 replicates)"
    assert (
        f"--method must be one of the methods in {out}: {there}. Got 'bart-vc' instead."
        in found.output
    )


def test_other_numbers_of_replicates_can_be_asked_for(kept, tmp_path):
    out = tmp_path / "several.csv"
    methods = "dart-vip-measure@3,dart-vc@2,dart-vc@3"
    assert bench("rescore", kept, "--methods", methods, "--out", out, "--jobs", 1).exit_code == 0
    usual = bench("table", out).output
    assert "Not shown: 3 rows with other numbers of replicates" in usual
    two = bench("table", out, "--replicates", 2).output
    assert "dart-vc" in two
    assert "dart-vip-measure" not in two
    assert "2, 3. Got 7 instead" in bench("table", out, "--replicates", 7).output
    found = bench("compare", out, "dart-vc@2", "dart-vc@3")
    assert found.exit_code == 0, found.output
    assert "dart-vc@2: 2 replicates" in found.output
    assert "dart-vc@3: 3 replicates" in found.output
    refused = bench(
        "rescore", kept, "--methods", "dart-vip-measure@3", "--replicates", 1, "--out", "x.csv"
    )
    assert refused.exit_code == 2
    assert "Got --replicates 1 instead" in refused.output


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_results_survive_a_file(store, tmp_path, kind):
    path = tmp_path / f"rows.{kind}"
    assert bench("export", store, path).exit_code == 0
    assert read_rows(path).equals(Store(store).rows())
    assert bench("table", path).output == bench("table", store).output
    assert "already exists. Give another name" in bench("export", store, path).output
    assert "must end in .parquet or .csv" in bench("export", store, tmp_path / "rows.txt").output


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.csv", None, "does not exist"),
        ("other.csv", "a,b\n1,2\n", "must have the columns of results"),
        ("text.parquet", "a,b\n1,2\n", "cannot be read as Parquet"),
        (
            "values.csv",
            ",".join(SCHEMA) + "\n" + "x," * (len(SCHEMA) - 1) + "x\n",
            "must hold results only",
        ),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text)
    found = bench("table", tmp_path / name)
    assert found.exit_code == 2
    assert message in found.output


def test_claims_and_figures(store, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "_SCORE_FIGURES", figures._SCORE_FIGURES[:1])  # of eleven
    found = bench("claims", store)
    assert found.exit_code == 0
    assert "not run" in found.output
    found = bench("figures", store, "--out", tmp_path / "figures", "--no-scatter")
    assert found.exit_code == 0, found.output
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 3


def test_a_store_of_another_grid_is_left_alone(store):
    found = bench("run", "--grid", "seed", "--out", store)
    assert found.exit_code == 2
    assert "grid='smoke' (now 'seed')" in found.output


def test_an_unreachable_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr("bayesvc.bench.grid_run._SECONDS_TO_CONNECT", 1)
    found = bench("run", "--grid", "smoke", "--out", tmp_path / "s", "--dask", "tcp://127.0.0.1:1")
    assert found.exit_code == 2
    assert "No Dask scheduler answers" in found.output
