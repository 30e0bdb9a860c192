"""Who owns a folder: one process at a time, and none that is gone."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from bayesvc import _lock
from bayesvc._lock import Lock, LockHeld, is_running, new_token, running_owner

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def program(code, *args):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


HOLD = """
    import sys, pathlib
    from bayesvc._lock import Lock
    lock = Lock(pathlib.Path(sys.argv[1]))
    print("held", flush=True)
    sys.stdin.read()
    lock.release()
"""


@pytest.fixture
def holder(tmp_path):
    process = program(HOLD, tmp_path / "owner")
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_running_owner_is_named_and_left_alone(holder, tmp_path):
    before = (tmp_path / "owner").read_text()
    with pytest.raises(LockHeld, match=rf"process {holder.pid} on {_lock.host_name()}, since 20"):
        Lock(tmp_path / "owner")
    assert (tmp_path / "owner").read_text() == before
    assert running_owner(tmp_path / "owner").pid == str(holder.pid)
    holder.communicate("")
    assert list(tmp_path.iterdir()) == []


def test_a_suspended_owner_still_holds_its_lock(holder, tmp_path):
    os.kill(holder.pid, signal.SIGSTOP)
    os.utime(tmp_path / "owner", (0, 0))
    with pytest.raises(LockHeld):
        Lock(tmp_path / "owner")
    os.kill(holder.pid, signal.SIGCONT)


@linux
def test_an_owner_that_was_killed_is_replaced_even_before_its_parent_waits(holder, tmp_path):
    os.kill(holder.pid, signal.SIGKILL)
    os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)  # it is dead, but still listed
    lock = Lock(tmp_path / "owner")
    assert lock.is_held
    assert [path.name for path in tmp_path.iterdir()] == ["owner"]
    lock.release()
    assert list(tmp_path.iterdir()) == []


@linux
def test_a_process_id_that_went_to_another_process_is_not_the_owner():
    token = new_token()
    host, pid, rest = token.split("+")
    machine, birth, name = rest.split("-")
    assert is_running(token) is True
    assert is_running(f"{host}+{pid}+{machine}-{int(birth) - 1}-{name}") is False
    assert is_running(f"{host}+{pid}+other-{birth}-{name}") is None  # another container's number


def test_an_owner_elsewhere_is_gone_when_it_is_silent(tmp_path):
    path = tmp_path / "owner"
    path.write_text(f"elsewhere+{os.getpid()}+0\n1700000000\n")
    with pytest.raises(LockHeld, match="on elsewhere, since 2023-11-1"):
        Lock(path)
    now = path.stat().st_mtime
    os.utime(path, (now, now - 2 * _lock.SECONDS_UNTIL_GONE))
    Lock(path).release()


def test_an_owner_shows_that_it_is_alive(tmp_path, monkeypatch):
    monkeypatch.setattr(_lock, "SECONDS_BETWEEN_BEATS", 0.01)
    lock = Lock(tmp_path / "owner")
    os.utime(lock.path, (0, 0))
    while lock.path.stat().st_mtime == 0:
        pass
    (tmp_path / "owner").write_text("another")
    assert not lock.is_held
    lock.release()
    assert lock.path.read_text() == "another"


def test_a_pipe_in_the_place_of_a_lock_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "owner")
    with pytest.raises(LockHeld, match="an unknown process"):
        Lock(tmp_path / "owner")


RACE = """
    import sys, pathlib
    from bayesvc import _lock
    folder = pathlib.Path(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()
    for round in range(int(sys.argv[2])):
        path = folder / f"owner-{round}"
        try:
            _lock.Lock(path)
        except _lock.LockHeld:
            continue
        with open(folder / "won", "a") as file:
            file.write(f"{round}\\n")
    print("done", flush=True)
    sys.stdin.readline()  # who ends now gives up its locks
"""


@pytest.mark.parametrize("state", ["free", "abandoned", "abandoned while it was replaced"])
def test_of_several_starters_one_gets_the_lock(tmp_path, state):
    n_rounds = 200
    dead = program("pass")
    dead.communicate()
    for number in range(n_rounds):
        path = tmp_path / f"owner-{number}"
        token = f"{_lock.host_name()}+{dead.pid}+{number}"
        if state != "free":
            path.write_text(token)
        if state.endswith("replaced"):
            turn = _lock.hashlib.sha256(token.encode()).hexdigest()[:12]
            path.with_name(f"{path.name}.{turn}").write_text(f"{token}-2")
    racers = [program(RACE, tmp_path, n_rounds) for _ in range(3)]
    for racer in racers:
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    for racer in racers:
        assert racer.stdout.readline() == "done\n"
    for racer in racers:
        racer.communicate()
        assert racer.returncode == 0
    won = (tmp_path / "won").read_text().split()
    assert sorted(map(int, won)) == list(range(n_rounds))
    left = {path.name for path in tmp_path.iterdir()} - {"won"}
    assert left == {f"owner-{number}" for number in range(n_rounds)}


def test_a_place_that_is_freed_while_it_is_looked_at_is_not_taken_by_halves(tmp_path, monkeypatch):
    """Else others could read a claim before the name of its owner is in it."""
    own, place = tmp_path / "own", tmp_path / "place"
    own.write_text("me")
    place.write_text("another")

    def freed_meanwhile(*_):
        place.unlink()
        raise FileExistsError(errno.EEXIST, "File exists")

    def refuse(*_, **__):
        raise AssertionError("a claim was opened to be written")

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", freed_meanwhile)
        patch.setattr(Path, "open", refuse)
        assert not _lock._link(own, place)
    assert _lock.claim(own, place, lambda *_: False) is None
