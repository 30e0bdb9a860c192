"""Disturb the command line for a long time, and check that nothing is lost or left behind.

python soak/soak.py --seconds 1800 [--seed 7]
"""

from __future__ import annotations

import argparse
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from runs import (
    Trouble,
    bench_command,
    check,
    check_rows,
    check_selection,
    files,
    finish,
    killed,
    select_command,
    start,
    wait_until_gone,
    write_table,
)

from bayesvc.cli.result_files import CHECKPOINT_NAME
from bayesvc.cli.run_record import RECORD_NAME
from bayesvc.sampling.checkpoint import CHAIN_FILES

_LONGEST = 6.0  # seconds until a signal: most runs are killed, some come to their end
_DISK = 1_000_000  # bytes: enough for some replicates, not for all files


class Soak:
    """A folder with undisturbed results, and the disturbances."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.folder = folder
        self.random = random
        self.mark = secrets.token_hex(8)
        self.table = folder / "table.csv"
        self.selection, self.study = folder / "selection", folder / "study"
        self._number = 0

    def prepare(self) -> None:
        """Make the undisturbed results."""
        write_table(self.table)
        finish(select_command(self.table, self.selection), self.mark)
        finish(bench_command(self.study), self.mark)

    def new_place(self) -> Path:
        """Return a path that no run has used."""
        self._number += 1
        return self.folder / f"run-{self._number}"

    def kill_select(self) -> None:
        """Kill a selection several times, then let it come to its end."""
        out = self.new_place()
        code = -1
        for _ in range(self.random.randint(1, 4)):
            code, _ = killed(self._go_on(out), self.mark, self.random, _LONGEST)
            if code == 0:
                break
        self._complete(out, code)

    def kill_overwrite(self) -> None:
        """Kill a run that replaces earlier results; these or the new ones are whole."""
        out = self.new_place()
        shutil.copytree(self.selection, out)
        code, _ = killed(
            select_command(self.table, out, "--overwrite"), self.mark, self.random, _LONGEST
        )
        found = files(out)
        whole = files(self.selection) <= found
        check(whole, f"{out} lacks {sorted(files(self.selection) - found)} after a kill")
        self._complete(out, code)

    def two_runs(self) -> None:
        """Start a second run on the folder of a running one, which is left alone."""
        out = self.new_place()
        first = start(select_command(self.table, out), self.mark)
        time.sleep(self.random.uniform(0, _LONGEST))
        more = self.random.choice(((), ("--resume",), ("--overwrite",)))
        running = first.poll() is None
        second = start(select_command(self.table, out, *more), self.mark)
        told, _ = second.communicate()
        output, _ = first.communicate()
        check(first.returncode in (0, 2), f"the first run ended with {output}")
        check(second.returncode in (0, 2), f"the second run ended with {told}")
        one_of_them = 0 in (first.returncode, second.returncode)
        check(one_of_them, f"neither run came to its end: {output} {told}")
        if running and first.returncode == 0 and second.returncode:
            named = f"process {first.pid}" in told or "is not empty" in told  # it had just ended
            check(named or "--resume" in more, f"the running command is not named: {told}")
        check_selection(out, self.selection)

    def damage_checkpoint(self) -> None:
        """Flip a bit of a finished replicate; the run says so, and runs it again once deleted."""
        out = self.new_place()
        code, _ = killed(select_command(self.table, out), self.mark, self.random, _LONGEST)
        kept = sorted((out / CHECKPOINT_NAME).glob(CHAIN_FILES))
        if code != 0 and kept:
            path = self.random.choice(kept)
            self._flip(path)
            code, told = finish(self._go_on(out), self.mark, (0, 2))
            if code == 2:
                check(path.name in told, f"the damaged file {path.name} is not named: {told}")
                path.unlink()
        self._complete(out, code)

    def kill_bench(self) -> None:
        """Kill a study several times, then let it come to its end."""
        out = self.new_place()
        for _ in range(self.random.randint(1, 4)):
            code, _ = killed(bench_command(out), self.mark, self.random, 2 * _LONGEST)
            wait_until_gone(self.mark)
            if code == 0:
                break
        finish(bench_command(out), self.mark)
        check_rows(out, self.study)

    def damage_rows(self) -> None:
        """Flip a bit of a file of rows; it is named, and its tasks are run again once deleted."""
        out = self.new_place()
        shutil.copytree(self.study, out)
        path = self.random.choice(sorted((out / "rows").glob("*.parquet")))
        self._flip(path)
        status = [sys.executable, "-m", "bayesvc", "bench", "status", str(out)]
        code, told = finish(status, self.mark, (0, 1, 2))
        if code == 2:
            check(path.name in told, f"the damaged file {path.name} is not named: {told}")
            path.unlink()
        finish(bench_command(out), self.mark)
        check_rows(out, self.study)

    def full_disk(self) -> None:
        """Run on a disk that is too small, then on the same disk with enough room."""
        disk = self.new_place()
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o"]
        size = self.random.randint(20_000, _DISK)
        subprocess.run([*mount, f"size={size}", "tmpfs", str(disk)], check=True)
        try:
            out = disk / "out"
            code, told = finish(select_command(self.table, out), self.mark, (0, 2))
            check("Traceback" not in told, told)
            if code == 2:
                check("space" in told, f"a full disk is not named: {told}")
                complete = not (out / "selection.csv").exists()
                check(complete, f"{out} holds a part of the results")
            subprocess.run([*mount, "remount,size=100m", "tmpfs", str(disk)], check=True)
            self._complete(out, code)
        finally:
            subprocess.run(["umount", str(disk)], check=True)

    def disturbances(self) -> list[Callable[[], None]]:
        """Return what can be done here."""
        found = [self.kill_select, self.kill_overwrite, self.two_runs, self.damage_checkpoint]
        found += [self.kill_bench, self.damage_rows]
        if can_mount(self.folder):
            found.append(self.full_disk)
        return found

    def _go_on(self, out: Path) -> list[str]:
        """Return the command that continues the run in a folder, or starts it."""
        if (out / CHECKPOINT_NAME / RECORD_NAME).exists():
            return select_command(self.table, out, "--resume")
        has_results = (out / "selection.csv").exists()
        return select_command(self.table, out, *(["--overwrite"] if has_results else []))

    def _complete(self, out: Path, code: int) -> None:
        if code != 0:
            finish(self._go_on(out), self.mark)
        check_selection(out, self.selection)

    def _flip(self, path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[self.random.randrange(len(content))] ^= 1 << self.random.randrange(8)
        path.write_bytes(content)


def can_mount(folder: Path) -> bool:
    """Tell whether a tmpfs can be mounted."""
    place = folder / "mount"
    place.mkdir(exist_ok=True)
    try:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True
        )
    except OSError:
        return False
    if done.returncode == 0:
        subprocess.run(["umount", str(place)], check=True)
    return done.returncode == 0


def main() -> None:
    """Disturb runs until the time is over."""
    parser = argparse.ArgumentParser(description="Disturb the command line for a long time.")
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.seconds:g} seconds", flush=True)
    random = Random(options.seed)
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        soak = Soak(Path(name), random)
        soak.prepare()
        chosen = soak.disturbances()
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            disturb = random.choice(chosen)
            try:
                disturb()
                wait_until_gone(soak.mark)
            except Trouble as trouble:
                sys.exit(f"{disturb.__name__}, after {dict(done)}: {trouble}")
            done[disturb.__name__] += 1
            shutil.rmtree(soak.folder / f"run-{soak._number}")
        if soak.full_disk not in chosen:
            print("no disk was filled: a tmpfs cannot be mounted here")
    for what, count in sorted(done.items()):
        print(f"{what}: {count}")
    print("all results equal those of undisturbed runs; no process, lock or temporary file is left")


if __name__ == "__main__":
    main()
