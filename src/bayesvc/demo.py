"""Ten DART fits to data that ships with the package: ``python -m bayesvc.demo``."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

import bayesvc as bv
from bayesvc.datasets import Dataset, load_feynman


def main() -> None:
    """Run the fits and print the ten variables used most."""
    data = load_feynman()
    n, p = data.X.shape
    print(data.description)
    print(f"{n} rows, {p} columns, of which {len(data.relevant)} matter. Ten DART fits ...")
    started = time.perf_counter()
    draws = bv.sample(data.X, data.y, bv.DART(), n_replicates=10, random_state=0, progress=True)
    seconds = time.perf_counter() - started
    draws = replace(draws, feature_names=data.feature_names)
    print()
    print(top_table(draws, data))
    print()
    print(bv.select_from(draws))
    print()
    print(f"{seconds:.1f} s in all, {draws.seconds.mean():.2f} s per fit. To use your own data:")
    print()
    print("    import bayesvc as bv")
    print("    bv.select(X, y, random_state=0)   # X: array or data frame, y: response")


def top_table(draws: bv.Draws, data: Dataset, n_top: int = 10) -> str:
    """Return the variables used most as a text table; an asterisk marks the relevant ones."""
    mean, low, high = draws.vc.mean(axis=0), draws.vc.min(axis=0), draws.vc.max(axis=0)
    share = draws.mpvip.mean(axis=0)
    lines = ["rank  variable     splits per draw (least - most)   share of draws using it"]
    for rank, j in enumerate(np.argsort(-mean, kind="stable")[:n_top], start=1):
        name = data.feature_names[j]
        label = f"{name} *" if name in data.relevant else name
        spread = f"{mean[j]:8.3f} ({low[j]:.3f} - {high[j]:.3f})"
        lines.append(f"{rank:4d}  {label:<12} {spread:<32} {share[j]:.2f}")
    lines.append("* one of the six variables in the equation; least and most over the fits")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
