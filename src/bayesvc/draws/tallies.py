"""The sums that a replicate leaves behind, and the arrays that hold those of several."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._core import SavedForests

MOVE_NAMES = ("birth", "death", "change", "swap", "perturb")


def tally_layout(n_features: int, n_draws: int) -> dict[str, tuple[tuple[int, ...], type]]:
    """Return name -> (shape of one replicate, dtype) of everything a replicate leaves behind."""
    p, draws = (n_features,), (n_draws,)
    return {
        "vc": (p, np.float64),
        "vip": (p, np.float64),
        "vip_of_sums": (p, np.float64),
        "mpvip": (p, np.float64),
        "mi": (p, np.float64),
        "sigma": (draws, np.float64),
        "n_splits": (draws, np.int32),
        "alpha": (draws, np.float64),
        "count_half_sums": ((2, n_features), np.float64),
        "count_half_squares": ((2, n_features), np.float64),
        "count_batch_squares": (p, np.float64),
        "accepted": ((len(MOVE_NAMES),), np.int64),
        "proposed": ((len(MOVE_NAMES),), np.int64),
        "tree_depth": ((), np.float64),
        "seconds": ((), np.float64),
        "counts": ((n_draws, n_features), np.uint16),
        "s": ((n_draws, n_features), np.float32),
        "leaf_sd": (draws, np.float64),
        "df": (draws, np.float64),
    }


def learned_traces(learns_leaf_sd: bool, learns_df: bool) -> tuple[str, ...]:
    """Return the names of the traces that not every chain leaves behind."""
    learned = {"leaf_sd": learns_leaf_sd, "df": learns_df}
    return tuple(name for name, is_learned in learned.items() if is_learned)


class Tallies:
    """Arrays for the results of several replicates, filled as they finish, in any order."""

    def __init__(
        self,
        n_replicates: int,
        n_features: int,
        n_draws: int,
        sigma_unit: float,
        *,
        keep_counts: bool = False,
        keep_s: bool = False,
        keep_trees: bool = False,
        learned: Collection[str] = (),
    ) -> None:
        absent = {"counts": not keep_counts, "s": not keep_s}
        absent |= {name: name not in learned for name in learned_traces(True, True)}
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.empty((n_replicates, *shape), dtype)
            for name, (shape, dtype) in tally_layout(n_features, n_draws).items()
            if not absent.get(name)
        }
        self._forests: list[SavedForests | None] = [None] * n_replicates
        self._keep_trees = keep_trees
        self._batches = (0, 0)
        self._sigma_unit = sigma_unit

    def store(self, i: int, result: dict[str, Any]) -> None:
        """Take over the result of replicate `i`."""
        for name, array in self._arrays.items():
            array[i] = result[name]
        self._arrays["sigma"][i] *= self._sigma_unit
        self._forests[i] = result["forests"]
        self._batches = (int(result["n_batches"]), int(result["batch_size"]))

    def contents(self) -> dict[str, Any]:
        """Return everything by the names it has in `Draws`."""
        forests = tuple(self._forests) if self._keep_trees else None
        n_batches, batch_size = self._batches
        return {
            **self._arrays,
            "forests": forests,
            "n_batches": n_batches,
            "batch_size": batch_size,
        }
