"""How to sample: one definition for every entry point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayesvc._typing import PathLike
from bayesvc._validation import (
    check_flag,
    check_integer,
    resolve_n_jobs,
    resolve_random_state,
)
from bayesvc.sampling.checkpoint import Checkpoint, open_checkpoint
from bayesvc.sampling.progress import ProgressCallback, check_progress

DEFAULT_DRAWS = 5000  # burn-in, and kept
AUTO_LENGTHS = (1000, 2000, 5000)  # what "auto" tries, in this order


@dataclass(frozen=True)
class ChainConfig:
    """How long a chain runs, and what it keeps besides the tallies."""

    burn_in: int
    n_draws: int
    keep_counts: bool = False
    keep_s: bool = False
    keep_trees: bool = False
    keep_fitted: bool = False  # the mean over the draws of the sum of trees at each row

    @property
    def n_iterations(self) -> int:
        """Burn-in and kept draws together."""
        return self.burn_in + self.n_draws


@dataclass(frozen=True)
class SamplingConfig:
    """Settings of a run that do not depend on the prior, checked.

    `shorter` holds the chains to try before `chain` where lengths are automatic, from the shortest
    on; see `bayesvc.sampling.lengths`.
    """

    n_trees: int
    chain: ChainConfig
    entropy: int
    n_jobs: int
    progress: bool | ProgressCallback | None = None
    checkpoint: Checkpoint | None = None
    shorter: tuple[ChainConfig, ...] = ()


def check_sampling_config(
    n_trees: Any = 20,
    burn_in: Any = None,
    n_draws: Any = None,
    random_state: Any = None,
    n_jobs: Any = -1,
    progress: Any = None,
    checkpoint: PathLike | None = None,
    **keep: Any,
) -> SamplingConfig:
    """Check the arguments that `sample`, `select` and `compare` share.

    Examples
    --------
    >>> from bayesvc.sampling.config import check_sampling_config
    >>> check_sampling_config(burn_in=100, random_state=0).chain.n_iterations
    5100
    """
    check_progress(progress)
    n_trees = check_integer("n_trees", n_trees, 1)
    kept = {name: check_flag(name, value) for name, value in keep.items()}
    lengths = check_lengths(burn_in, n_draws)
    *shorter, chain = (ChainConfig(*length, **kept) for length in lengths)
    return SamplingConfig(
        n_trees=n_trees,
        chain=chain,
        shorter=tuple(shorter),
        n_jobs=resolve_n_jobs(n_jobs),
        progress=progress,
        entropy=resolve_random_state(random_state),
        checkpoint=open_checkpoint(checkpoint, random_state),  # last: it makes the folder
    )


def check_lengths(burn_in: Any, n_draws: Any) -> list[tuple[int, int]]:
    """Return the pairs of `burn_in` and `n_draws` to try, from the shortest chain on.

    Examples
    --------
    >>> from bayesvc.sampling.config import check_lengths
    >>> check_lengths(None, 200), check_lengths("auto", "auto")
    ([(5000, 200)], [(1000, 1000), (2000, 2000), (5000, 5000)])
    """
    discarded, kept = _lengths("burn_in", burn_in, 0), _lengths("n_draws", n_draws, 1)
    most = max(len(discarded), len(kept))
    return list(zip(discarded * (most // len(discarded)), kept * (most // len(kept)), strict=True))


def _lengths(name: str, value: Any, least: int) -> tuple[int, ...]:
    if isinstance(value, str) and value == "auto":
        return AUTO_LENGTHS
    number = DEFAULT_DRAWS if value is None else value
    return (check_integer(name, number, least, alternative="'auto'"),)
