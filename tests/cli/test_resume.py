"""--resume and --overwrite: which run the replicates in a folder belong to."""

from __future__ import annotations

import json
import os

import pytest
from click.testing import CliRunner

from bayesvc.cli.app import app
from bayesvc.cli.errors import BadInput
from bayesvc.cli.results_folder import open_folder
from bayesvc.cli.run_record import differences, read_record
from bayesvc.cli.time_estimate import count_iterations
from bayesvc.sampling.checkpoint import Checkpoint
from bayesvc.selection.methods import resolve_method
from tests.helpers.no_sampling import no_sampling
from tests.helpers.settings import SHORT_OPTIONS

pytestmark = pytest.mark.usefixtures("placeholder_figures")

SHORT = (*SHORT_OPTIONS, "--replicates", "2")


@pytest.fixture
def stopped(file, tmp_path, monkeypatch):
    """A command, interrupted when it wrote its results, that left finished replicates."""
    monkeypatch.chdir(tmp_path)

    def run(*more):
        command = ["select", str(file), "-y", "y", "--exclude", "who", "--out", "out", *SHORT]
        return CliRunner().invoke(app, [*command, *more])

    with monkeypatch.context() as patch:
        patch.setattr("bayesvc.cli.select_command.write_selection", _interrupt)
        assert run().exit_code != 0
    assert Checkpoint(tmp_path / "out" / "unfinished").has_chains
    return run


def _interrupt(*_, **__):
    raise KeyboardInterrupt


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        (("--seed", "1"), "--seed: was 0, is now 1"),
        (("--burn-in", "70"), "--burn-in: was 60, is now 70"),
        (("--draws", "70"), "--draws: was 60, is now 70"),
        (("--trees", "5"), "--trees: was 20, is now 5"),
        (("--method", "bart-vc"), "--method: was dart-relevance, is now bart-vc"),
        (("--target", "a"), "--target: was y, is now a"),
        (("--exclude", "a"), "columns: now without 'a'"),
        (("--weights", "e"), "--weights: was the default, is now e"),
    ],
)
def test_other_settings_are_refused_before_any_work(stopped, tmp_path, options, difference):
    before = contents(tmp_path / "out" / "unfinished")
    refused = stopped(*options, "--resume")
    assert refused.exit_code == 2
    assert "out holds an unfinished run with other settings:" in refused.output
    assert difference in refused.output
    assert "--overwrite" in refused.output
    assert contents(tmp_path / "out" / "unfinished") == before


def test_another_file_is_refused(stopped, file):
    file.write_text(file.read_text() + "0.1,0.2,0.3,0.4,0.5,6.0,patient 60\n")
    refused = stopped("--resume")
    assert refused.exit_code == 2
    assert "content of FILE: has changed" in refused.output


def test_more_replicates_continue_a_run(stopped, tmp_path):
    unfinished = tmp_path / "out" / "unfinished"
    assert read_record(unfinished)["--method"] == "dart-relevance"
    done = stopped("--replicates", "3", "--resume", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["n_replicates"] == 3
    assert not unfinished.exists()


def test_only_own_files_are_deleted(stopped, tmp_path):
    unfinished, mine = tmp_path / "out" / "unfinished", {"notes.txt", "fit-mine.npz"}
    for name in mine:
        (unfinished / name).write_text("keep me")
    done = stopped("--overwrite", "--seed", "1", "--quiet")
    assert done.exit_code == 0, done.output
    assert {path.name for path in unfinished.iterdir()} == mine


@pytest.mark.parametrize("how", ["--resume", "--overwrite"])
def test_a_link_to_a_folder_of_replicates_works(stopped, tmp_path, how):
    unfinished, elsewhere = tmp_path / "out" / "unfinished", tmp_path / "elsewhere"
    unfinished.rename(elsewhere)
    unfinished.symlink_to(elsewhere)
    done = stopped(how, "--quiet")
    assert done.exit_code == 0, done.output
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("how", [(), ("--resume",), ("--overwrite",)])
@pytest.mark.parametrize("what", ["pipe", "link to nowhere"])
def test_what_cannot_hold_replicates_is_refused_before_sampling(stopped, tmp_path, what, how):
    unfinished = tmp_path / "out" / "unfinished"
    unfinished.rename(tmp_path / "elsewhere")
    os.mkfifo(unfinished) if what == "pipe" else unfinished.symlink_to("nowhere")
    with no_sampling():
        refused = stopped(*how)
    assert refused.exit_code == 2
    assert "unfinished must be a folder" in refused.stderr


def test_a_pipe_in_the_place_of_the_record_is_refused(stopped, tmp_path):
    record = tmp_path / "out" / "unfinished" / "run.json"
    record.unlink()
    os.mkfifo(record)
    refused = stopped("--resume")
    assert refused.exit_code == 2
    assert "is not a regular file" in refused.stderr


def test_killed_before_anything_was_kept_it_starts_anew(stopped, tmp_path):
    unfinished = tmp_path / "out" / "unfinished"
    Checkpoint(unfinished).clear()
    (unfinished / "run.json").unlink()
    found = stopped("--resume")
    assert (found.exit_code, "holds no unfinished run. Leave out --resume" in found.output) == (
        2,
        1,
    )
    assert stopped().exit_code == 0
    assert not unfinished.exists()


def test_killed_while_replicates_are_deleted_it_can_go_on(stopped, tmp_path, monkeypatch):
    """What says which run they belong to is deleted last."""
    with monkeypatch.context() as patch:
        patch.setattr("bayesvc.cli.results_folder.delete_record", _interrupt)
        assert stopped("--resume").exit_code == 130
    unfinished = tmp_path / "out" / "unfinished"
    assert [path.name for path in unfinished.iterdir()] == ["run.json"]
    assert stopped("--resume").exit_code == 0
    assert not unfinished.exists()


def test_replicates_of_unknown_settings_are_refused(tmp_path):
    def open_again(**how):
        with open_folder(tmp_path / "out", {}, **how) as folder:
            return folder

    folder = open_again(resume=False, overwrite=False)
    (folder.checkpoint / "run.json").unlink()
    (folder.checkpoint / f"fit-{'0' * 32}.npz").touch()
    with pytest.raises(BadInput, match="does not say which settings"):
        open_again(resume=True, overwrite=False)
    with pytest.raises(BadInput, match="Continue it with --resume"):
        open_again(resume=False, overwrite=False)
    with pytest.raises(BadInput, match="contradict"):
        open_again(resume=True, overwrite=True)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": 99, "settings": {}}'])
def test_a_damaged_record_is_refused(tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(BadInput, match="--overwrite"):
        read_record(tmp_path)


def test_a_setting_that_only_one_run_has_differs():
    assert differences({"--old": 1}, {"--new": True}) == [
        "--old: was 1, is now the default",
        "--new: was the default, is now true",
    ]
    assert differences({"columns": ["a", "b"]}, {"columns": ["b", "a"]}) == [
        "columns: now in another order"
    ]


@pytest.mark.parametrize(("burn_in", "expected"), [(0, 1000), (None, 51000), (50, 1500)])
def test_iterations_of_the_estimate(burn_in, expected):
    settings = {"burn_in": burn_in, "n_draws": 100}
    counts = count_iterations([resolve_method("dart-vc"), resolve_method("dart-mpm")], settings)
    assert list(counts.values()) == [expected]
