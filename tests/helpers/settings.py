"""Settings of runs that are as short as what they test allows."""

from __future__ import annotations

from typing import Any

import pytest

from bayesvc.sampling import config

# A result of the right shape, no more.
TINY: dict[str, Any] = {"n_trees": 5, "burn_in": 20, "n_draws": 20}
# Trees that split, and move.
SHORT: dict[str, Any] = {"burn_in": 40, "n_draws": 60}
SEEDED: dict[str, Any] = {**SHORT, "random_state": 3}
# Long enough to select what plainly matters.
SETTLED: dict[str, Any] = {"burn_in": 200, "n_draws": 200, "random_state": 1}
# Long enough to compare posterior means and medians.
CONVERGED: dict[str, Any] = {"burn_in": 500, "n_draws": 500, "random_state": 0}

SHORT_OPTIONS = ("--burn-in", "60", "--draws", "60", "--jobs", "1")
# For what has to last until it is interrupted.
LONG_OPTIONS = ("--burn-in", "600", "--draws", "600", "--replicates", "40", "--jobs", "1")


def shorten_default_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let chains be short whose length nobody gives."""
    monkeypatch.setattr(config, "DEFAULT_DRAWS", 500)
