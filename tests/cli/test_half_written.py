"""Results are complete or absent, whatever stops the run that writes them."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

import pytest

from tests.helpers.settings import SHORT_OPTIONS

SHORT = (*SHORT_OPTIONS, "--replicates", "2", "--exclude", "who", "-y", "y", "--out", "out")
WAITS = """
    import sys, time
    from bayesvc.cli import main, writing

    def wait(*_):
        print("writing", flush=True)
        while True:
            time.sleep(0.01)

    writing._report = wait
    main()
"""


def program(code, *args, cwd):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.parametrize("command", [("select",), ("compare", "--methods", "dart-vc,dart-mpm")])
def test_ctrl_c_while_results_are_written(run, file, tmp_path, command):
    options = [option for option in SHORT if option not in ("--replicates", "2")]
    args = (*command, file, *(SHORT if command == ("select",) else options))
    process = program(WAITS, *args, cwd=tmp_path)
    assert process.stdout.readline() == "writing\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 130, errors
    assert "Finished replicates are in out" in errors
    assert "Run the same command with --resume to continue." in errors
    assert any((tmp_path / "out" / "unfinished").glob("fit-*.npz"))
    done = run(*args, "--resume", "--quiet")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "out" / "unfinished").exists()
