"""Of the variables with a stated probability of about x, what share is relevant?

    python studies/summaries/reliability.py CONFIRM OTHER

The equations of the second half and the problems of other kinds, none of which the probability was
learned on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from kept_sets import KeptSet, kept_sets

from bayesvc.bench import feynman
from bayesvc.measures import relevance

RESULTS = Path(__file__).parent / "results" / "reliability.json"
EDGES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
FITS = (2, 10)


def bins_of(sets: Iterator[KeptSet], source: str) -> list[dict[str, Any]]:
    """Return, for each prior, number of fits and bin, how many variables and how many relevant.

    The units of the standard error of their share are classes of equations, and other data sets.
    """
    parts = []
    classes = {name: law.equiv_class for name, law in feynman.equations().items()}
    for kept in sets:
        unit = classes.get(kept.problem, f"{kept.problem} {kept.seed}")
        for prior, fits in kept.fits.items():
            truth = np.isin(np.arange(fits.vc.shape[1]), kept.relevant)
            for number in FITS:
                p = relevance(fits.first(number))
                place = np.clip(np.searchsorted(EDGES, p, side="right") - 1, 0, len(EDGES) - 2)
                about = {"prior": prior, "fits": number, "unit": unit}
                parts.append(pl.DataFrame({"bin": place, "stated": p, "relevant": truth}).select(
                    *(pl.lit(value).alias(name) for name, value in about.items()), pl.all()
                ))  # fmt: skip
    keys = ["prior", "fits", "bin"]
    sums = pl.concat(parts).group_by(*keys, "unit").agg(
        pl.len().alias("variables"), pl.col("stated", "relevant").sum()
    )  # fmt: skip
    share = pl.col("relevant").sum() / pl.col("variables").sum()
    residual = pl.col("relevant") - share * pl.col("variables")
    units = pl.len()
    found = sums.group_by(keys).agg(
        pl.col("variables", "relevant").sum(),
        stated=pl.col("stated").sum() / pl.col("variables").sum(),
        share=share,
        se=((residual**2).sum() * units / (units - 1)).sqrt() / pl.col("variables").sum(),
    )
    edges = pl.DataFrame({"bin": range(len(EDGES) - 1), "from": EDGES[:-1], "to": EDGES[1:]})
    ordered = found.join(edges, on="bin").sort(keys, descending=[True, False, False])
    return ordered.select(
        pl.lit(source).alias("source"), "prior", "fits", "from", "to", "variables", "stated",
        "relevant", "share", pl.col("se").fill_nan(None),
    ).to_dicts()  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("confirm", type=Path)
    parser.add_argument("other", type=Path)
    options = parser.parse_args()
    found = bins_of(kept_sets("second", options.confirm), "equations")
    found += bins_of(kept_sets("other", options.other), "other kinds")
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
