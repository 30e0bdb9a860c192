"""Run one task of a study: generate the data, sample each prior once, score all entries."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import counted
from bayesvc._typing import BoolArray
from bayesvc.bench.entries import KEPT_ARGUMENTS, Entry, load_function
from bayesvc.bench.grid import StudySettings, Task
from bayesvc.bench.kept import KeptTallies, describe_kept, kept_name, pack
from bayesvc.bench.known_answer import BenchProblem
from bayesvc.bench.scores import as_mask, score
from bayesvc.priors.base import TreePrior
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import ChainConfig, SamplingConfig
from bayesvc.sampling.replicates import PriorDraws
from bayesvc.selection.apply import apply_method
from bayesvc.selection.run import sample_methods

Row = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """Result rows of a task, and the tallies of its replicates if they are kept."""

    task: Task
    rows: list[Row]
    tallies: bytes | None


def run_task(
    task: Task, entries: tuple[Entry, ...], settings: StudySettings, keep_draws: bool = False
) -> Outcome:
    """Run one task on one thread. Errors are recorded in the rows, not raised."""
    try:
        problem = task.load()
    except Exception as error:
        return Outcome(task, [_failed(task, entry, 0, 0, error) for entry in entries], None)
    with_fits = [entry for entry in entries if entry.method is not None]
    shape = (len(problem.feature_names), len(problem.relevant))
    rows: list[Row] = []
    fits: dict[TreePrior, PriorDraws] = {}
    try:
        if with_fits:
            fits = sample_task(task, problem, with_fits, settings)
    except Exception as error:
        rows = [_failed(task, entry, *shape, error) for entry in with_fits]
        entries = tuple(entry for entry in entries if entry.method is None)
    for entry in entries:
        try:
            mask, seconds = _answer(task, problem, entry, fits)
            rows.append(result_row(task, entry, mask, problem.relevant, seconds))
        except Exception as error:
            rows.append(_failed(task, entry, *shape, error))
    named = {kept_name(prior): own for prior, own in fits.items() if prior.sigma is None}
    return Outcome(task, rows, pack(named) if keep_draws and named else None)


def rescore_task(
    task: Task,
    entries: Iterable[Entry],
    kept: Mapping[str, KeptTallies],
    relevant: NDArray[np.intp],
) -> list[Row]:
    """Score methods on tallies that were kept.

    A function receives the mapping from the name of a prior to its tallies, and returns a mask.
    """
    rows = []
    n_features = next(iter(kept.values())).vc.shape[1]
    for entry in entries:
        try:
            started = time.perf_counter()
            if entry.function is not None:
                answer = load_function(entry.function, KEPT_ARGUMENTS)(kept)
                mask = as_mask(answer, n_features, entry.name)
                seconds = time.perf_counter() - started
            else:
                mask, seconds = _from_kept(entry, kept)
            rows.append(result_row(task, entry, mask, relevant, seconds))
        except Exception as error:
            rows.append(_failed(task, entry, n_features, len(relevant), error))
    return rows


def lacking(entry: Entry, kept: Mapping[str, KeptTallies]) -> str | None:
    """Say what a method needs if the kept tallies do not suffice.

    Examples
    --------
    >>> from bayesvc.bench.entries import entries_of
    >>> from bayesvc.bench.task_run import lacking
    >>> lacking(entries_of(["bart-vc"])[0], {})
    'bart-vc needs 10 replicates of bart'
    """
    if entry.method is None:
        return None
    assert entry.method.prior is not None
    if entry.knows_sigma:
        return f"{entry.name} needs replicates with known sigma, which are never kept"
    prior = kept_name(entry.method.prior)
    own = kept.get(prior)
    if own is None or own.n_replicates < entry.n_replicates:
        count = counted(entry.n_replicates, "replicate") if entry.n_replicates else "replicates"
        return f"{entry.name} needs {count} of {prior}"
    if own.n_permuted < entry.n_permutations:
        return f"{entry.name} needs {entry.n_permutations} null replicates of {prior}"
    return None


def result_row(
    task: Task, entry: Entry, mask: BoolArray, relevant: NDArray[np.intp], seconds: float
) -> Row:
    """Return the result row of an entry."""
    row = _row(task, entry, len(mask), len(relevant), np.flatnonzero(mask).tolist(), seconds, None)
    return row | score(mask, relevant)._asdict()


def _failed(task: Task, entry: Entry, p: int, p0: int, error: Exception) -> Row:
    text = f"{type(error).__name__}: {error}"
    nothing = {"tp": 0, "fp": 0, "fn": p0, "tpr": 0.0, "fpr": 0.0, "f1": 0.0}
    return _row(task, entry, p, p0, [], 0.0, text[:1000]) | nothing


def _row(
    task: Task,
    entry: Entry,
    p: int,
    p0: int,
    selected: list[int],
    seconds: float,
    error: str | None,
) -> Row:
    return {
        "data": task.data, "problem": task.problem, "n": task.n, "snr": task.snr,
        "seed": task.seed, "p": p, "p0": p0, "method": entry.name,
        "n_replicates": entry.n_replicates, "n_permutations": entry.n_permutations,
        "selected": selected, "n_selected": len(selected), "seconds": seconds, "error": error,
    }  # fmt: skip


def _entropy(task: Task, settings: StudySettings) -> int:
    """Return the seed of a task's replicates, which does not depend on the other tasks."""
    number = zlib.crc32(task.key.encode())
    words = np.random.SeedSequence((settings.random_state, number)).generate_state(2, np.uint64)
    return int(words[0]) << 64 | int(words[1])


def sample_task(
    task: Task, problem: BenchProblem, entries: Iterable[Entry], settings: StudySettings
) -> dict[TreePrior, PriorDraws]:
    """Sample the replicates that these entries need, each prior once."""
    methods = [
        replace(
            entry.method,
            prior=entry.prior(problem.noise_sd),
            n_replicates=entry.n_replicates,
            n_permutations=entry.n_permutations,
        )
        for entry in entries
        if entry.method is not None
    ]
    data = read_dataset(problem.X, problem.y, "continuous")
    chain = ChainConfig(settings.burn_in, settings.n_draws)
    config = SamplingConfig(settings.n_trees, chain, _entropy(task, settings), n_jobs=1)
    return sample_methods(data, methods, config)


def _answer(
    task: Task, problem: BenchProblem, entry: Entry, fits: dict[TreePrior, PriorDraws]
) -> tuple[BoolArray, float]:
    started = time.perf_counter()
    if entry.method is None:
        assert entry.function is not None
        answer = load_function(entry.function)(problem.X.copy(), problem.y.copy(), task.seed)
        mask = as_mask(answer, problem.X.shape[1], entry.name)
        return mask, time.perf_counter() - started
    own = fits[entry.prior(problem.noise_sd)]
    draws = own.first(entry.n_replicates)
    sampling = float(draws.seconds.sum()) if draws.abc is None else draws.abc.seconds
    if own.permuted is not None:
        sampling += float(own.permuted.seconds[: entry.n_permutations].sum())
    started = time.perf_counter()
    null = own.null(entry.method.measure, entry.n_permutations)
    mask, _, _ = apply_method(entry.method, draws, null)
    return mask, sampling + time.perf_counter() - started


def _from_kept(entry: Entry, kept: Mapping[str, KeptTallies]) -> tuple[BoolArray, float]:
    method = entry.method
    assert method is not None
    assert method.prior is not None
    lack = lacking(entry, kept)
    if lack is not None:
        raise ValueError(f"{lack}. Available: {describe_kept(kept)}.")
    own = kept[kept_name(method.prior)]
    null = None
    if entry.n_permutations:
        assert own.permuted is not None
        null = method.measure.per_replicate(own.permuted)[: entry.n_permutations]
    fits = own.first(entry.n_replicates)
    seconds = float(fits.seconds.sum())
    if own.permuted is not None:
        seconds += float(own.permuted.seconds[: entry.n_permutations].sum())
    mask, _, _ = apply_method(method, fits, null)
    return mask, seconds
