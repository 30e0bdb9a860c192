"""Are the effects of `Selection.effects` right, and do their intervals cover?

    python studies/effects.py shares --problems friedman ishigami g --n 1000 --data-sets 100
    python studies/effects.py direction
    python studies/effects.py loss
    python studies/effects.py optimism
    python studies/effects.py summary

Every data set is one line of `build/effects/<study>.jsonl`; a run that was stopped goes on from
there. `summary` writes `studies/results/effects.json`.

shares     Sobol indices against their analytic values, for three functions of independent uniform
           columns, by number of rows and trees.
direction  Directions of monotone and of other functions, five to a table, at R2 = 0.8.
loss       Loss of R2 against its limit (the total index of an independent column times R2) and
           against forests on all rows that predict 5,000 others; one column is irrelevant.
optimism   Effects on the rows that selected the variables, less those on as many other rows.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import bayesvc as bv
from bayesvc.draws.thinned import thinned
from bayesvc.estimators.base import DEFAULT_PRIOR
from bayesvc.explain.shares import variance_shares

ROOT = Path(__file__).parent.parent
STORE = ROOT / "build" / "effects"
RESULTS = Path(__file__).parent / "results" / "effects.json"
G = np.array([0.0, 1.0, 4.5, 9.0])
TEST_ROWS = 5000

Function = Callable[[np.ndarray], np.ndarray]


def friedman(u: np.ndarray) -> np.ndarray:
    product = 10 * np.sin(np.pi * u[:, 0] * u[:, 1])
    return product + 20 * (u[:, 2] - 0.5) ** 2 + 10 * u[:, 3] + 5 * u[:, 4]


def ishigami(u: np.ndarray) -> np.ndarray:
    x = np.pi * (2 * u - 1)
    return np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def g_function(u: np.ndarray) -> np.ndarray:
    return np.prod((np.abs(4 * u - 2) + G) / (1 + G), axis=1)


PROBLEMS: dict[str, tuple[Function, int]] = {
    "friedman": (friedman, 5),
    "ishigami": (ishigami, 3),
    "g": (g_function, 4),
}


def true_indices(problem: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Return first-order and total indices and the variance, known in closed form but for a
    quadrature in one dimension."""
    if problem == "g":
        own = 1 / (3 * (1 + G) ** 2)
        whole = np.prod(1 + own)
        return own / (whole - 1), own * whole / (1 + own) / (whole - 1), float(whole - 1)
    if problem == "ishigami":
        a, b = 7, 0.1
        first = 0.5 * (1 + b * np.pi**4 / 5) ** 2
        both = b**2 * np.pi**8 * (1 / 18 - 1 / 50)
        variance = first + a**2 / 8 + both
        alone = np.array([first, a**2 / 8, 0]) / variance
        return alone, np.array([first + both, a**2 / 8, both]) / variance, float(variance)
    at, weights = np.polynomial.legendre.leggauss(200)
    at, weights = (at + 1) / 2, weights / 2
    surface = 10 * np.sin(np.pi * np.outer(at, at))
    mean = weights @ surface @ weights
    pair = weights @ surface**2 @ weights - mean**2
    first = weights @ (surface @ weights) ** 2 - mean**2
    others = np.array([400 * (1 / 80 - 1 / 144), 100 / 12, 25 / 12])
    variance = pair + others.sum()
    alone = np.array([first, first, *others]) / variance
    total = np.array([pair - first, pair - first, *others]) / variance
    return alone, total, float(variance)


def all_selected(d: int) -> bv.Selection:
    """Return a selection of all columns, made without data."""
    found = bv.select_from(bv.Draws.from_counts(np.ones((1, 10, d), dtype=int)), "dart-mpm")
    assert found.mask.all()
    return found


def noisy(f: np.ndarray, r2: float, rng: np.random.Generator, sd: float | None = None) -> Any:
    sd = float(f.std()) if sd is None else sd
    return f + sd * np.sqrt(1 / r2 - 1) * rng.normal(size=len(f))


def in_order(effects: bv.Effects, values: np.ndarray) -> list[float]:
    """Return numbers by variable in the order of the columns."""
    place = {name: k for k, name in enumerate(effects.labels)}
    return [float(values[place[f"x{j}"]]) for j in range(len(place))]


def shares(
    problem: str, n: int, n_trees: int, r2: float, seed: int, correct: bool = True
) -> dict[str, Any]:
    function, d = PROBLEMS[problem]
    rng = np.random.default_rng([seed, n])
    u = rng.uniform(size=(n, d))
    y = noisy(function(u), r2, rng)
    draws = bv.sample(
        u, y, DEFAULT_PRIOR, n_replicates=4, n_trees=n_trees, burn_in=1000, n_draws=1000,
        random_state=seed, keep_trees=True, n_jobs=1,
    )  # fmt: skip
    found = variance_shares(
        thinned(draws, 400), u, seed, correct=correct
    )  # as `Selection.effects` does
    row: dict[str, Any] = {}
    for name in ("first_order", "total"):
        samples = getattr(found, name)
        row[name] = samples.mean(axis=0).tolist()
        low, high = np.quantile(samples, (0.05, 0.95), axis=0)
        row[f"{name}_low"], row[f"{name}_high"] = low.tolist(), high.tolist()
    return row


MONOTONE: dict[str, Function] = {
    "linear": lambda u: u,
    "square": lambda u: u**2,
    "root": lambda u: np.sqrt(u),
    "exponential": lambda u: np.exp(3 * u),
    "logistic": lambda u: 1 / (1 + np.exp(-15 * (u - 0.5))),
    "step": lambda u: (u > 0.6) * 1.0,
    "logarithm": lambda u: np.log(0.05 + u),
}
OTHERS: dict[str, Function] = {
    "parabola": lambda u: (u - 0.5) ** 2,
    "tilted parabola": lambda u: (u - 0.4) ** 2,
    "sine": lambda u: np.sin(2 * np.pi * u),
    "tent": lambda u: np.abs(u - 0.5),
}


def direction(n: int, kind: str, weights: str, seed: int) -> dict[str, Any]:
    """Find the directions of five effects of equal size, or from 1 to 2 in standard deviation."""
    rng = np.random.default_rng([seed, n, len(kind)])
    u = rng.uniform(size=(n, 5))
    family = MONOTONE if kind == "monotone" else OTHERS
    chosen = [str(name) for name in rng.choice(list(family), 5)]
    signs = rng.choice([-1.0, 1.0], 5)
    sizes = np.ones(5) if weights == "equal" else np.linspace(1, 2, 5)
    parts = [family[name](u[:, j]) for j, name in enumerate(chosen)]
    f = sum(s * z * p / p.std() for s, z, p in zip(signs, sizes, parts, strict=True))
    effects = all_selected(5).effects(
        u, noisy(f, 0.8, rng), loss=False, random_state=seed, n_jobs=1
    )
    found = dict(zip(effects.labels, effects.directions, strict=True))
    rows = [found[f"x{j}"] for j in range(5)]
    up, down = ("increasing", "decreasing") if kind == "monotone" else ("not monotone",) * 2
    truth = [up if sign > 0 else down for sign in signs]
    return {
        "functions": chosen,
        "truth": truth,
        "found": [own.text for own in rows],
        "probability": [own.probability for own in rows],
    }


def loss(n: int, r2: float, seed: int) -> dict[str, Any]:
    """Compare with forests on all rows that predict others, without each column; Friedman."""
    rng = np.random.default_rng([seed, n])
    _, _, variance = true_indices("friedman")
    sd = np.sqrt(variance)
    u, more = rng.uniform(size=(n, 6)), rng.uniform(size=(TEST_ROWS, 6))
    y, truth = noisy(friedman(u), r2, rng, sd), friedman(more)
    effects = all_selected(6).effects(u, y, random_state=seed, n_jobs=1)
    errors = []
    for j in (None, *range(6)):
        kept = [k for k in range(6) if k != j]
        model = bv.BARTRegressor(n_trees=50, n_replicates=1, burn_in=500, n_draws=500,
                                 random_state=seed)  # fmt: skip
        predicted = model.fit(u[:, kept], y).predict(more[:, kept])
        errors.append(float(np.mean((predicted - truth) ** 2)))
    unit = variance / r2
    row = {"direct": [(e - errors[0]) / unit for e in errors[1:]]}
    for name in ("loss", "loss_low", "loss_high"):
        row[name] = in_order(effects, effects.columns[name])
    assert effects.loss is not None
    return {**row, "r2": effects.loss.score[0]}


def optimism(n: int, p: int, r2: float, seed: int) -> dict[str, Any]:
    """Compare the effects on the rows of the selection with those on other rows."""
    rng = np.random.default_rng([seed, n, p])
    u = rng.uniform(size=(2 * n, p))
    _, _, variance = true_indices("friedman")
    y = noisy(friedman(u), r2, rng, float(np.sqrt(variance)))
    found = bv.select(
        u[:n], y[:n], n_replicates=4, burn_in=1000, n_draws=1000, random_state=seed, n_jobs=1,
        row_stability=False, signal_test=False,
    )  # fmt: skip
    row: dict[str, Any] = {"selected": found.indices.tolist()}
    for name, rows in (("same", slice(0, n)), ("other", slice(n, 2 * n))):
        effects = found.effects(u[rows], y[rows], random_state=seed, n_jobs=1)
        place = {label: k for k, label in enumerate(effects.labels)}
        order = [place[str(label)] for label in found.names]
        own = {key: effects.columns[key][order].tolist() for key in ("first_order", "loss")}
        size = np.abs(effects.columns["change"][order]).tolist()
        assert effects.loss is not None
        row[name] = {**own, "change": size, "r2": effects.loss.score[0]}
    return row


STUDIES = {"shares": shares, "direction": direction, "loss": loss, "optimism": optimism}


def stored(study: str) -> list[dict[str, Any]]:
    path = STORE / f"{study}.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]


def run(study: str, settings: Iterator[dict[str, Any]]) -> None:
    STORE.mkdir(parents=True, exist_ok=True)
    done = {json.dumps(row["settings"], sort_keys=True) for row in stored(study)}
    with (STORE / f"{study}.jsonl").open("a") as out:
        for one in settings:
            if json.dumps(one, sort_keys=True) in done:
                continue
            row = {"settings": one, **STUDIES[study](**one)}
            out.write(json.dumps(row) + "\n")
            out.flush()


def settings_of(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for seed in range(options.data_sets):
        for n in options.n:
            if options.study == "shares":
                for problem in options.problems:
                    for n_trees in options.trees:
                        one = {"problem": problem, "n": n, "n_trees": n_trees, "r2": options.r2}
                        yield {**one, "seed": seed, **({"correct": False} if options.raw else {})}
            elif options.study == "direction":
                for kind in ("monotone", "other"):
                    for weights in ("equal", "unequal"):
                        yield {"n": n, "kind": kind, "weights": weights, "seed": seed}
            elif options.study == "loss":
                yield {"n": n, "r2": options.r2, "seed": seed}
            else:
                yield {"n": n, "p": 100, "r2": options.r2, "seed": seed}


def grouped(study: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows by their settings without the seed."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in stored(study):
        key = ", ".join(f"{k}={v}" for k, v in row["settings"].items() if k != "seed")
        found.setdefault(key, []).append(row)
    return found


def rounded(values: Any) -> Any:
    return np.round(values, 4).tolist()


def summarise_shares() -> dict[str, Any]:
    out = {}
    for key, rows in grouped("shares").items():
        alone, total, _ = true_indices(rows[0]["settings"]["problem"])
        out[key] = {"data_sets": len(rows)}
        for name, truth in (("first_order", alone), ("total", total)):
            value, low, high = (
                np.array([row[f"{name}{end}"] for row in rows]) for end in ("", "_low", "_high")
            )
            covered = (low <= truth) & (truth <= high)
            out[key][name] = {
                "truth": rounded(truth),
                "mean": rounded(value.mean(axis=0)),
                "coverage": rounded(covered.mean(axis=0)),
                "mean_coverage": rounded(covered.mean()),
                "width": rounded((high - low).mean(axis=0)),
                "root_mean_squared_error": rounded(np.sqrt(((value - truth) ** 2).mean(axis=0))),
            }
    return out


def summarise_direction() -> dict[str, Any]:
    out = {}
    for key, rows in grouped("direction").items():
        cases = [
            case
            for row in rows
            for case in zip(row["functions"], row["truth"], row["found"], strict=True)
        ]
        right = [truth == found for _, truth, found in cases]
        names = sorted({name for name, _, _ in cases})
        wrong_way = [{truth, found} == {"increasing", "decreasing"} for _, truth, found in cases]
        out[key] = {
            "effects": len(cases),
            "right": rounded(np.mean(right)),
            "opposite": rounded(np.mean(wrong_way)),
            "right_by_function": {
                name: rounded(np.mean([ok for ok, case in zip(right, cases, strict=True)
                                       if case[0] == name]))
                for name in names
            },
        }  # fmt: skip
    return out


def summarise_loss() -> dict[str, Any]:
    out = {}
    _, total, _ = true_indices("friedman")
    for key, rows in grouped("loss").items():
        limit = np.append(total * rows[0]["settings"]["r2"], 0.0)
        direct, value, low, high = (
            np.array([row[name] for row in rows])
            for name in ("direct", "loss", "loss_low", "loss_high")
        )
        aims = {"limit": limit, "direct_mean": direct.mean(axis=0)}
        out[key] = {
            "data_sets": len(rows),
            "limit": rounded(limit),
            "direct_mean": rounded(direct.mean(axis=0)),
            "mean": rounded(value.mean(axis=0)),
            "error_of_difference": rounded((value - direct).std(axis=0) / np.sqrt(len(rows))),
            "r2": rounded(np.mean([row["r2"] for row in rows])),
            "coverage": {
                name: rounded(((low <= aim) & (aim <= high)).mean(axis=0))
                for name, aim in aims.items()
            },
        }
    return out


def summarise_optimism() -> dict[str, Any]:
    out = {}
    for key, rows in grouped("optimism").items():
        parts: dict[str, dict[str, list[Any]]] = {"relevant": {}, "irrelevant": {}}
        for row in rows:
            for k, j in enumerate(row["selected"]):
                kind = parts["relevant" if j < 5 else "irrelevant"]
                for name in ("first_order", "loss", "change"):
                    pair = (row["same"][name][k], row["other"][name][k])
                    kind.setdefault(name, []).append(pair)
        out[key] = {
            "data_sets": len(rows),
            "r2": {
                where: rounded(np.mean([row[where]["r2"] for row in rows]))
                for where in ("same", "other")
            },
            **{
                kind: {name: paired(np.array(pairs)) for name, pairs in found.items()}
                for kind, found in parts.items()
            },
        }
    return out


def paired(pairs: np.ndarray) -> dict[str, Any]:
    difference = pairs[:, 0] - pairs[:, 1]
    return {
        "n": len(pairs),
        "same": rounded(pairs[:, 0].mean()),
        "other": rounded(pairs[:, 1].mean()),
        "difference": rounded(difference.mean()),
        "standard_error": rounded(difference.std(ddof=1) / np.sqrt(len(pairs)))
        if len(pairs) > 1
        else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=[*STUDIES, "summary"])
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=list(PROBLEMS))
    parser.add_argument("--n", nargs="+", type=int, default=[1000])
    parser.add_argument("--trees", nargs="+", type=int, default=[50])
    parser.add_argument("--r2", type=float, default=0.8)
    parser.add_argument("--raw", action="store_true", help="shares without their correction")
    parser.add_argument("--data-sets", type=int, default=100)
    options = parser.parse_args()
    if options.study != "summary":
        run(options.study, settings_of(options))
        return
    found = {
        "shares": summarise_shares(),
        "direction": summarise_direction(),
        "loss": summarise_loss(),
        "optimism": summarise_optimism(),
    }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
