"""Settings of short runs."""

from __future__ import annotations

SHORT = {"burn_in": 40, "n_draws": 60}
SHORT_OPTIONS = ("--burn-in", "60", "--draws", "60", "--fits", "3", "--jobs", "1")
