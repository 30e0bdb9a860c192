"""Tables with known relevant columns: `make(kind, number, part)`.

    python studies/world/tables.py judge          # one line for each kind, for a look

A column is relevant if it is an argument of the noiseless function and permuting it changes that
function on the table. The size of that change is kept: `share` is the total effect of a column,
E (f(Z) - f(Z with the column permuted))^2 / (2 Var f).
"""

from __future__ import annotations

import argparse
import zlib
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from designs import (
    DEPENDENCES,
    MARGINS,
    Column,
    FloatArray,
    Rng,
    add_missing,
    as_table,
)
from functions import FIXED_NUMBER, FUNCTIONS, LEAST_NUMBER, MOST_NUMBER, MULTIPLE_OF, Function
from kinds import (
    CLEAR,
    KINDS,
    NOISE_COLUMNS,
    ONLY_WHERE_NAMED,
    PARTS,
    PLAIN_MARGINS,
    POOLS,
    Kind,
    Names,
    kinds_of,
)
from numpy.typing import NDArray
from responses import BINARY, draw
from scipy.special import ndtri
from scipy.stats import kurtosis, rankdata, skew

ENTROPY = {"learn": 20270131, "judge": 20270717}
MOST_ATTEMPTS = 100
_MOST_SCORE = 4.0  # in standard deviations; the functions are flat beyond
_EFFECT_ROWS, _EFFECT_ORDERS, _LEAST_SHARE = 1000, 2, 1e-8
_SHARE_OF_RANKS = 0.5  # of the numeric columns that the function reads as normal scores
MOST_RELEVANT, ROWS_PER_RELEVANT = 100, 8  # of the mixture


@dataclass(frozen=True)
class Spec:
    """What was drawn for a table before its numbers were."""

    kind: str
    number: int
    part: str
    attempt: int
    n: int
    p: int
    n_arguments: int
    r2: float
    function: str
    dependence: str
    margins: tuple[str, ...]  # one, or one for each column
    response: str
    missing: float


@dataclass(frozen=True, eq=False)
class Table:
    """A table, the answer, and what helps to understand results.

    `share` has the total effect of each relevant column; `likeness` of every column its largest
    absolute correlation (of ranks) with a relevant one, 1 for relevant ones, and `like` which one.
    """

    X: FloatArray | pd.DataFrame
    y: FloatArray
    relevant: NDArray[np.intp]
    response: str  # "continuous" or "binary"
    share: FloatArray
    likeness: FloatArray
    like: NDArray[np.intp]
    types: tuple[str, ...]
    gaps: FloatArray
    spec: Spec
    facts: dict[str, float]


def make(kind: str, number: int, part: str) -> Table:
    """Make a table; the same arguments give the same one."""
    if part not in PARTS or KINDS[kind].only not in (None, part):
        raise ValueError(f"There are no tables of the kind {kind!r} in the part {part!r}.")
    key = [zlib.crc32(kind.encode()), number]
    for attempt in range(MOST_ATTEMPTS):
        sequence = np.random.SeedSequence(ENTROPY[part], spawn_key=[*key, attempt])
        rng = np.random.default_rng(sequence)
        table = _try(_draw_spec(kind, number, part, attempt, rng), rng)
        if table is not None:
            return table
    raise RuntimeError(f"No table of the kind {kind!r} came out, number {number}.")


# ---- what to make ------------------------------------------------------------------
def _whole(rng: Rng, low: float, high: float) -> int:
    """Return a whole number, uniform on the logarithmic scale."""
    return round(float(np.exp(rng.uniform(np.log(low), np.log(high)))))


def _draw_spec(name: str, number: int, part: str, attempt: int, rng: Rng) -> Spec:
    kind, pool = KINDS[name], POOLS[part]
    n, p = _whole(rng, *kind.n), _whole(rng, *kind.p)
    if name == "noise":
        p = NOISE_COLUMNS[number % len(NOISE_COLUMNS)]
    wanted = _number_relevant(name, kind, n, p, rng)
    open_choice = pool.functions if name == "mixture" else CLEAR[part]
    function, k = _choose_function(kind.functions or open_choice, wanted, p, rng)
    own = tuple(y for y in kind.responses or pool.responses if y in pool.responses)
    response = str(rng.choice(own))
    margins = _margins(kind, part, p, rng)
    return Spec(
        name, number, part, attempt, n, p, k, float(rng.uniform(*kind.r2)), function,
        _dependence(name, kind, part, rng), margins, response, kind.missing,
    )  # fmt: skip


def _number_relevant(name: str, kind: Kind, n: int, p: int, rng: Rng) -> int:
    if name == "mixture":
        most = max(1, min(p, n // ROWS_PER_RELEVANT, MOST_RELEVANT))
        if rng.random() < 0.03:
            return 0
        even = rng.random() < 0.5
        return int(rng.integers(1, most + 1)) if even and p <= 60 else _whole(rng, 1, most)
    if kind.relative:
        return int(np.clip(round(rng.uniform(*kind.relevant) * p), 1, p))
    return min(int(rng.integers(int(kind.relevant[0]), int(kind.relevant[1]) + 1)), p)


def _takes(function: str, k: int, p: int) -> bool:
    """Tell whether a function can have `k` arguments of `p` columns."""
    if function in FIXED_NUMBER:
        return k == FIXED_NUMBER[function]
    least, most = LEAST_NUMBER.get(function, 1), MOST_NUMBER.get(function, p)
    return least <= k <= min(most, p) and k % MULTIPLE_OF.get(function, 1) == 0


def _choose_function(names: Names, wanted: int, p: int, rng: Rng) -> tuple[str, int]:
    """Return a function and its number of arguments, the wanted one if any function takes it."""
    if wanted == 0:
        return "none", 0
    able = [name for name in names if _takes(name, wanted, p)]
    if able:
        return str(rng.choice(able)), wanted
    numbers = sorted(range(1, p + 1), key=lambda k: abs(k - wanted))
    for k in numbers:
        able = [name for name in names if _takes(name, k, p)]
        if able:
            return str(rng.choice(able)), k
    raise ValueError(f"None of {names} can be a function of {p} columns.")


def _dependence(name: str, kind: Kind, part: str, rng: Rng) -> str:
    if kind.dependences is not None:
        return str(rng.choice(kind.dependences))
    others = POOLS[part].dependences
    if name != "mixture":
        others = tuple(own for own in others if own not in ONLY_WHERE_NAMED)
    return "independent" if rng.random() < 0.5 else str(rng.choice(others))


def _margins(kind: Kind, part: str, p: int, rng: Rng) -> tuple[str, ...]:
    pool = POOLS[part].margins
    special = {
        "levels": tuple(name for name in pool if "levels" in name),
        "skewed": tuple(name for name in pool if name in ("t", "zero-inflated", "lognormal")),
        "all": pool,
    }
    names = kind.margins or PLAIN_MARGINS[part]
    names = special.get(names[0], names)
    if kind.margins_per_column:
        some = rng.choice(names, int(rng.integers(1, min(5, len(names)) + 1)), replace=False)
        return tuple(str(name) for name in rng.choice(some, p))
    return (str(rng.choice(names)),)


# ---- making it ---------------------------------------------------------------------
def _try(spec: Spec, rng: Rng) -> Table | None:
    """Return a table, or None if the function or y came out constant."""
    G = DEPENDENCES[spec.dependence](rng, spec.n, spec.p)
    margins = spec.margins * spec.p if len(spec.margins) == 1 else spec.margins
    columns = [_column(name, g, rng) for name, g in zip(margins, G.T, strict=True)]
    arguments = np.sort(rng.choice(spec.p, spec.n_arguments, replace=False)).astype(np.intp)
    Z = np.empty((spec.n, spec.p))
    for j, column in enumerate(columns):
        Z[:, j] = _score(column, rng)
    f, share = None, np.zeros(0)
    if len(arguments):
        order = rng.permutation(arguments)  # which argument a column is must not follow its place
        function = FUNCTIONS[spec.function](rng, Z[:, order])
        values = function(Z[:, order])
        if not (np.isfinite(values).all() and values.std() > 1e-9):
            return None
        effects = total_effects(function, Z[:, order], rng)
        f, share = (values - values.mean()) / values.std(), effects[np.argsort(order)]
    y = draw(spec.response, f, spec.n, spec.r2, rng)
    kept = share > _LEAST_SHARE
    if not np.isfinite(y).all() or np.ptp(y) == 0 or (f is not None and not kept.any()):
        return None
    relevant, share = arguments[kept], share[kept]
    values, gaps = np.column_stack([column.values for column in columns]), np.zeros(spec.p)
    if spec.missing:
        values, gaps = add_missing(POOLS[spec.part].missing, values, G, spec.missing, rng)
    likeness, like = _likeness(Z, relevant)
    return Table(
        as_table(values, columns), y, relevant,
        "binary" if spec.response in BINARY else "continuous", share, likeness, like,
        tuple(column.type for column in columns), gaps, spec, _facts(y, f, spec),
    )  # fmt: skip


def _column(margin: str, g: FloatArray, rng: Rng) -> Column:
    column = MARGINS[margin](g, rng)
    return column if np.ptp(column.values) > 0 else Column(g, "continuous")


def _score(column: Column, rng: Rng) -> FloatArray:
    """Return what the function sees of a column: mean 0, sd 1, at most 4 in size.

    Levels have effects of their own; numbers come as they are or as normal scores.
    """
    values, n = column.values, len(column.values)
    if column.n_levels:
        values = rng.standard_normal(column.n_levels)[values.astype(int)]
    elif column.type == "continuous" and rng.random() < _SHARE_OF_RANKS:
        values = ndtri((rankdata(values) - 0.5) / n)
    sd = values.std()
    return np.asarray(
        np.clip((values - values.mean()) / (sd if sd > 0 else 1), -_MOST_SCORE, _MOST_SCORE)
    )


def total_effects(function: Function, Z: FloatArray, rng: Rng) -> FloatArray:
    """Return for each column what permuting it does to the function, as a part of Var f."""
    rows = rng.permutation(len(Z))[:_EFFECT_ROWS]
    Z = Z[rows].copy()
    f = function(Z)
    effects = np.zeros(Z.shape[1])
    for j in range(Z.shape[1]):
        own = Z[:, j].copy()
        for _ in range(_EFFECT_ORDERS):
            Z[:, j] = rng.permutation(own)
            effects[j] += ((function(Z) - f) ** 2).mean() / (2 * _EFFECT_ORDERS)
        Z[:, j] = own
    return np.asarray(effects / max(float(f.var()), 1e-300))


def _likeness(Z: FloatArray, relevant: NDArray[np.intp]) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return of each column the largest correlation with a relevant one, and which that is."""
    p = Z.shape[1]
    if not len(relevant):
        return np.zeros(p), np.full(p, -1, dtype=np.intp)
    ranks = rankdata(Z, axis=0)
    ranks -= ranks.mean(axis=0)
    ranks /= np.maximum(np.sqrt((ranks**2).sum(axis=0)), 1e-12)
    own = np.abs(ranks.T @ ranks[:, relevant])
    own[relevant, np.arange(len(relevant))] = 1
    return own.max(axis=1), relevant[own.argmax(axis=1)]


def _facts(y: FloatArray, f: FloatArray | None, spec: Spec) -> dict[str, float]:
    return {
        "skew": float(skew(y)), "kurtosis": float(kurtosis(y)),
        "distinct": len(np.unique(y)), "mean": float(y.mean()), "sd": float(y.std()),
        "correlation_with_f": 0.0 if f is None else float(np.corrcoef(f, y)[0, 1]),
    }  # fmt: skip


def about(table: Table) -> dict[str, Any]:
    """Return what is known of a table apart from its columns, for JSON."""
    spec = asdict(table.spec) | {"margins": sorted(set(table.spec.margins))}
    return spec | {"y": table.response, "n_relevant": len(table.relevant), "facts": table.facts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--number", type=int, default=0)
    options = parser.parse_args()
    for kind in kinds_of(options.part):
        table = make(kind, options.number, options.part)
        spec = table.spec
        print(
            f"{kind:32} n={spec.n:5} p={spec.p:5} relevant={len(table.relevant):3} "
            f"r2={spec.r2:.2f} {spec.function}, {spec.dependence}, {spec.response}; least share "
            f"{min(table.share, default=0):.3f}"
        )


if __name__ == "__main__":
    main()
