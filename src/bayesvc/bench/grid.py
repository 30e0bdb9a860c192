"""Grids of data sets and methods that make up a study."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bayesvc._validation import check_choice
from bayesvc.bench import feynman
from bayesvc.bench.authors_data import SEEDS
from bayesvc.bench.entries import PAPER_METHODS, REPLICATE_COUNTS, Entry, entries_of
from bayesvc.bench.known_answer import BenchProblem
from bayesvc.selection.methods import RECIPES

SIZES = (500, 1000, 1500, 2000)
SNRS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, math.inf)
ONE_SEED = 860

_FEW_SNRS = (0.25, 1.0, 5.0, math.inf)
_SMOKE_PROBLEMS = (
    "I.6.2a", "I.12.1", "I.25.13", "I.14.3", "I.34.1", "I.8.14", "I.39.22", "II.15.4", "II.27.18",
    "III.15.12",
)  # fmt: skip


@dataclass(frozen=True)
class Task:
    """One data set; `data` is "authors" or "fresh"."""

    data: str
    problem: str
    n: int
    snr: float
    seed: int

    @property
    def key(self) -> str:
        """Text that identifies the task."""
        return f"{self.data}/{self.problem}/{self.n}/{self.snr:g}/{self.seed}"

    def load(self) -> BenchProblem:
        """Generate the data."""
        load = feynman.load_authors if self.data == "authors" else feynman.load
        return load(self.problem, self.n, self.snr, self.seed)


@dataclass(frozen=True)
class StudySettings:
    """Settings of every replicate of a study, stored with its results."""

    grid: str
    n_trees: int = 20
    burn_in: int = 5000
    n_draws: int = 5000
    random_state: int = 20260


@dataclass(frozen=True)
class Grid:
    """Tasks, each with the entries to score on it."""

    settings: StudySettings
    tasks: dict[Task, tuple[Entry, ...]]


@dataclass(frozen=True)
class _Block:
    """All combinations of sizes, SNRs, seeds and problems, with their methods."""

    sizes: Sequence[int]
    snrs: Sequence[float]
    methods: Sequence[str]
    n_replicates: Sequence[int] = ()
    problems: Sequence[str] | None = None
    seeds: Sequence[int] = (ONE_SEED,)
    data: str = "authors"

    def tasks(self) -> Iterable[Task]:
        names = list(feynman.equations()) if self.problems is None else self.problems
        for seed in self.seeds:
            for n in self.sizes:
                for snr in self.snrs:
                    for name in names:
                        yield Task(self.data, feynman.equation(name).name, n, snr, seed)


_CLUSTERED = (
    "dart-vc", "dart-mpm", "dart-vip-measure", "bart-vc", "bart-vip-rank", "bart-vip-measure",
    "bart-mpm", "dart/vc/clustering@1",
)  # fmt: skip
_PERMUTED = ("bart-vip-local", "bart-vip-gse", "bart-vip-gmax", "bart-mi-local", "abc-mpm")
_WHOLE = (*PAPER_METHODS, "bart-vip-measure", "bart-mpm", "dart/vc/clustering@1")

_GRIDS: dict[str, tuple[_Block, ...]] = {
    "paper": (_Block(SIZES, SNRS, _WHOLE, REPLICATE_COUNTS, seeds=SEEDS),),
    "seed": (_Block(SIZES, SNRS, _WHOLE, REPLICATE_COUNTS),),
    "slice": (
        _Block((500,), SNRS, _CLUSTERED, REPLICATE_COUNTS),
        _Block((500,), _FEW_SNRS, _PERMUTED),
        _Block((1000,), SNRS, _CLUSTERED, REPLICATE_COUNTS[:-1]),
        _Block((1500, 2000), _FEW_SNRS, ("dart-vc", "dart-mpm", "bart-vc")),
    ),
    "smoke": (_Block((500,), (1.0, math.inf), tuple(RECIPES), problems=_SMOKE_PROBLEMS),),
}
GRID_NAMES = tuple(_GRIDS)


def make_grid(
    name: str,
    methods: Sequence[str] | None = None,
    n_replicates: Sequence[int] = (),
    *,
    sizes: Sequence[int] = (),
    snrs: Sequence[float] = (),
    seeds: Sequence[int] = (),
    problems: Sequence[str] = (),
) -> Grid:
    """Make a grid by name, with its own methods or with others.

    Parameters
    ----------
    name : {"paper", "seed", "slice", "smoke"}
        All 36,000 data sets of the paper; those of one seed; a part of these; or ten small
        problems with few iterations.
    methods : list of str, optional
        Names as in `bayesvc.bench.entries.entries_of`; by default the grid's own methods.
    n_replicates : list of int, optional
        Further numbers of replicates for these methods.
    sizes, snrs, seeds : lists of numbers, optional
        Restrict the grid to these numbers of rows, signal-to-noise ratios or seeds.
    problems : list of str, optional
        Restrict the grid to these equations.

    Examples
    --------
    >>> from bayesvc.bench.grid import make_grid
    >>> len(make_grid("seed", ["dart-vc"]).tasks)
    3600
    >>> len(make_grid("seed", ["dart-vc"], sizes=[500], snrs=[1, 5]).tasks)
    200
    >>> len(make_grid("seed", ["dart-vc"], problems=["I.6.2a", "II.11.17"]).tasks)
    72
    """
    check_choice("grid", name, _GRIDS)
    if n_replicates and methods is None:
        counts = ",".join(map(str, n_replicates))
        raise ValueError(
            f"`n_replicates` must come with `methods`. Got n_replicates={counts} alone. "
            "Name the methods with `methods`."
        )
    wanted: dict[Task, dict[tuple[str, int], Entry]] = {}
    for block in _GRIDS[name]:
        entries = entries_of(
            block.methods if methods is None else methods,
            block.n_replicates if methods is None else n_replicates,
        )
        for task in block.tasks():
            here = wanted.setdefault(task, {})
            here.update({entry.key: entry for entry in entries if _is_defined(entry, task)})
    names = [_short(problem) for problem in problems]
    for part, chosen in (("n", sizes), ("snr", snrs), ("seed", seeds), ("problem", names)):
        wanted = _only(wanted, name, part, chosen)
    settings = StudySettings(name)
    if name == "smoke":
        settings = StudySettings(name, burn_in=1000, n_draws=1000)
    return Grid(settings, {task: tuple(here.values()) for task, here in wanted.items() if here})


def _only(
    wanted: dict[Task, Any], grid: str, part: str, chosen: Sequence[float] | Sequence[str]
) -> dict[Task, Any]:
    """Keep the tasks whose `part` (n, snr, seed or problem) is one of the chosen values."""
    parts = {task: _part(task, part) for task in wanted}
    there = sorted(set(parts.values()))
    for value in chosen:
        if value not in there:
            raise ValueError(
                f"`{part}` must be one of the values in the grid {grid!r}: "
                f"{', '.join(map(_plain, there))}. Got {_plain(value)} instead."
            )
    return {task: own for task, own in wanted.items() if not chosen or parts[task] in chosen}


def _part(task: Task, part: str) -> Any:
    return _short(task.problem) if part == "problem" else getattr(task, part)


def _short(problem: str) -> str:
    """Return the number of an equation in Feynman's lectures, such as I.6.2a."""
    return problem.removeprefix("feynman_").replace("_", ".")


def _plain(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_defined(entry: Entry, task: Task) -> bool:
    return not entry.knows_sigma or math.isfinite(task.snr)
