"""The ways to change a tree that are compared; all leave the posterior as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bayesvc as bv
import bayesvc.sampling.chain as chain_module

BASE = "as it was"
USUAL = {"birth": 0.25, "death": 0.25, "change": 0.4, "swap": 0.1}

# Settings of the compiled sampler. Without other_moves.patch it knows the first two alone.
SETTINGS: dict[str, dict[str, Any]] = {
    BASE: {"moves": USUAL},
    "perturb": {"moves": USUAL | {"change": 0.2, "perturb": 0.2}},
    "perturb, any cutpoint between": {
        "moves": USUAL | {"change": 0.2, "perturb": 0.2},
        "window": 1.0,
    },
    "perturb, window of a tenth": {
        "moves": USUAL | {"change": 0.2, "perturb": 0.2},
        "window": 0.1,
    },
    "change that keeps the variable": {"moves": USUAL | {"change": 0.2, "recut": 0.2}},
    "rebuild of the tree": {"moves": USUAL | {"change": 0.3, "rebuild": 0.1}, "whole": True},
    "rotation": {"moves": USUAL | {"change": 0.3, "rotate": 0.1}},
    "tempered burn-in": {"moves": USUAL, "temper": 10.0},
}


@contextmanager
def _wanted(setting: str) -> Iterator[None]:
    """Give every chain the moves of a setting."""
    usual = chain_module.core_settings

    def altered(*arguments: Any, **named: Any) -> Any:
        settings = usual(*arguments, **named)
        names = ("birth", "death", "change", "swap", "perturb", "recut", "rebuild", "rotate")
        n_moves = len(settings.moves)
        for name, value in SETTINGS[setting].items():
            if name == "moves":
                value = tuple(value.get(move, 0.0) for move in names[:n_moves])
            setattr(settings, name, value)
        return settings

    chain_module.core_settings = altered
    try:
        yield
    finally:
        chain_module.core_settings = usual


def sample(setting: str, X: Any, y: Any, **arguments: Any) -> bv.Draws:
    """Sample with DART and this setting, on one thread."""
    with _wanted(setting):
        return bv.sample(X, y, n_jobs=1, **arguments)
