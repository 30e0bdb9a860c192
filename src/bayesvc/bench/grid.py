"""Which data sets and methods a study consists of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bayesvc._validation import check_choice
from bayesvc.bench import feynman
from bayesvc.bench.authors_data import SEEDS
from bayesvc.bench.entries import LREP, PAPER_METHODS, Entry, entries_of
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
    """One data set: `data` is "authors" or "fresh"."""

    data: str
    problem: str
    n: int
    snr: float
    seed: int

    @property
    def key(self) -> str:
        """Text that no other task has."""
        return f"{self.data}/{self.problem}/{self.n}/{self.snr:g}/{self.seed}"

    def load(self) -> BenchProblem:
        """Draw the data."""
        load = feynman.load_authors if self.data == "authors" else feynman.load
        return load(self.problem, self.n, self.snr, self.seed)


@dataclass(frozen=True)
class Settings:
    """How every fit of a study is run; stored with its results."""

    grid: str
    n_trees: int = 20
    burn_in: int = 5000
    n_draws: int = 5000
    random_state: int = 20260


@dataclass(frozen=True)
class Grid:
    """Tasks, each with what is to be scored on it."""

    settings: Settings
    tasks: dict[Task, tuple[Entry, ...]]


@dataclass(frozen=True)
class _Block:
    """Tasks of all combinations."""

    sizes: Sequence[int]
    snrs: Sequence[float]
    methods: Sequence[str]
    lrep: Sequence[int] = ()
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
    "paper": (_Block(SIZES, SNRS, _WHOLE, LREP, seeds=SEEDS),),
    "seed": (_Block(SIZES, SNRS, _WHOLE, LREP),),
    "slice": (
        _Block((500,), SNRS, _CLUSTERED, LREP),
        _Block((500,), _FEW_SNRS, _PERMUTED),
        _Block((1000,), SNRS, _CLUSTERED, LREP[:-1]),
        _Block((1500, 2000), _FEW_SNRS, ("dart-vc", "dart-mpm", "bart-vc")),
    ),
    "smoke": (_Block((500,), (1.0, math.inf), tuple(RECIPES), problems=_SMOKE_PROBLEMS),),
}
GRID_NAMES = tuple(_GRIDS)


def make_grid(
    name: str,
    methods: Sequence[str] | None = None,
    lrep: Sequence[int] = (),
    *,
    sizes: Sequence[int] = (),
    snrs: Sequence[float] = (),
    seeds: Sequence[int] = (),
    problems: Sequence[str] = (),
) -> Grid:
    """Return a grid by name, with its own methods or with others.

    Parameters
    ----------
    name : {"paper", "seed", "slice", "smoke"}
        All 36,000 data sets of the paper; those of one seed; a part of these; ten small problems
        with short chains.
    methods : list of str, optional
        As in `bayesvc.bench.entries.entries_of`.
    lrep : list of int, optional
        Further numbers of fits for these methods.
    sizes, snrs, seeds : lists of numbers, optional
        Only the tasks with one of these.
    problems : list of str, optional
        Only these equations.

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
    if lrep and methods is None:
        numbers = ",".join(map(str, lrep))
        raise ValueError(f"lrep={numbers} was given alone; name the methods it is for (methods)")
    wanted: dict[Task, dict[tuple[str, int], Entry]] = {}
    for block in _GRIDS[name]:
        mine = (block.methods, block.lrep) if methods is None else (methods, lrep)
        entries = entries_of(*mine)
        for task in block.tasks():
            here = wanted.setdefault(task, {})
            here.update({entry.key: entry for entry in entries if _makes_sense(entry, task)})
    names = [_short(problem) for problem in problems]
    for part, chosen in (("n", sizes), ("snr", snrs), ("seed", seeds), ("problem", names)):
        wanted = _only(wanted, name, part, chosen)
    settings = Settings(name, burn_in=1000, n_draws=1000) if name == "smoke" else Settings(name)
    return Grid(settings, {task: tuple(here.values()) for task, here in wanted.items() if here})


def _only(
    wanted: dict[Task, Any], grid: str, part: str, chosen: Sequence[float] | Sequence[str]
) -> dict[Task, Any]:
    """Keep the tasks with one of the chosen values of a part of theirs."""
    parts = {task: _part(task, part) for task in wanted}
    there = sorted(set(parts.values()))
    for value in chosen:
        if value not in there:
            raise ValueError(
                f"{part}={_plain(value)} is not in the grid {grid!r}; it has "
                f"{', '.join(map(_plain, there))}"
            )
    return {task: own for task, own in wanted.items() if not chosen or parts[task] in chosen}


def _part(task: Task, part: str) -> Any:
    return _short(task.problem) if part == "problem" else getattr(task, part)


def _short(problem: str) -> str:
    """Return the name of an equation as Feynman's lectures number it, such as I.6.2a."""
    return problem.removeprefix("feynman_").replace("_", ".")


def _plain(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _makes_sense(entry: Entry, task: Task) -> bool:
    return not entry.knows_sigma or math.isfinite(task.snr)
