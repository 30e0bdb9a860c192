"""Score rules on kept fits, and rivals on the same tables.

    python studies/world/score.py judge FITS/own --paper FITS/paper --rivals RIVALS --out ROWS
    python studies/world/score.py judge FITS/own --base dart-vc --replicates 5

`rows_of` scores any function of a record; `summaries.py` prints what the plan asks for.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from fits import file_of
from kinds import PARTS
from numpy.typing import NDArray
from records import Record, read, records
from rules import RULES, Answer, Rule, best_threshold
from summaries import report

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]

ORACLE = "best threshold, knowing the truth"
OF_PAPER = ("dart-vc", "first formula", "dart-mpm, one fit")
ALIKE = 0.9  # correlation from which a column counts as a copy, in lenient scores
NOMINAL = (0.05, 0.1, 0.2)
STRENGTHS = (10.0, 30.0, 100.0)  # recall is told apart below, between and above these
BINS = 10


def f1(tp: int, fp: int, fn: int) -> float:
    """Return F1; 0 where nothing is relevant or nothing was found."""
    return 2 * tp / max(2 * tp + fp + fn, 1)


def lenient(mask: BoolArray, record: Record) -> tuple[int, int, int]:
    """Return true and false positives and misses, where near-copies stand for each other."""
    truth, copies = record.truth, record.likeness >= ALIKE
    found = set(np.flatnonzero(mask & truth)) | set(record.like[mask & copies & ~truth].tolist())
    return len(found), int((mask & ~truth & ~copies).sum()), int(truth.sum()) - len(found)


def largest_set(p: FloatArray, rate: float) -> BoolArray:
    """Return the largest set whose expected proportion of false positives is at most `rate`."""
    order = np.argsort(-p, kind="stable")
    errors = np.cumsum(1 - p[order]) / np.arange(1, len(p) + 1)
    number = int(np.flatnonzero(errors <= rate).max(initial=-1)) + 1
    mask = np.zeros(len(p), dtype=bool)
    mask[order[:number]] = True
    return mask


def score_mask(mask: BoolArray, record: Record) -> dict[str, Any]:
    """Score one selection, strictly and leniently, with recall by strength."""
    truth = record.truth
    tp, fp, fn = (int(s.sum()) for s in (mask & truth, mask & ~truth, truth & ~mask))
    soft = lenient(mask, record)
    own = {
        "tp": tp, "fp": fp, "fn": fn, "f1": f1(tp, fp, fn), "tpr": tp / max(tp + fn, 1),
        "exact": fp == 0 and fn == 0, "any": bool(mask.any()), "lenient_f1": f1(*soft),
        "lenient_fp": soft[1],
    }  # fmt: skip
    level = np.searchsorted(STRENGTHS, record.strength)
    for i in range(len(STRENGTHS) + 1):
        own[f"relevant_{i}"] = int((level == i).sum())
        own[f"found_{i}"] = int(mask[record.relevant[level == i]].sum())
    return own


def score_probabilities(p: FloatArray, record: Record) -> dict[str, Any]:
    """Return what calibration is judged by: sums of each tenth, and sets at nominal rates."""
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("Probabilities must be between 0 and 1.")
    truth, tenth = record.truth, np.minimum((p * BINS).astype(int), BINS - 1)
    counts = [np.bincount(tenth, weights, BINS).tolist() for weights in (None, p, truth)]
    own: dict[str, Any] = dict(
        zip(("columns", "stated", "observed"), (np.array(c, float) for c in counts), strict=True)
    )
    clipped = np.clip(p, 1e-6, 1 - 1e-6)
    own["log_loss"] = float(-np.log(np.where(truth, clipped, 1 - clipped)).sum())
    own["half"] = bool((p >= 0.5).any())
    for rate in NOMINAL:
        chosen = largest_set(p, rate)
        own[f"fdp_{rate:g}"] = float((chosen & ~truth).sum() / max(chosen.sum(), 1))
        own[f"tpr_{rate:g}"] = float((chosen & truth).sum() / max(truth.sum(), 1))
    best = best_threshold(record, p)
    own["own_best_f1"] = f1(
        int((best & truth).sum()), int((best & ~truth).sum()), int((truth & ~best).sum())
    )
    return own


def rows_of(record: Record, rules: Mapping[str, Rule]) -> Iterator[dict[str, Any]]:
    """Yield a row for each rule that applies to the record, and one for the best threshold."""
    place = {
        "part": record.part, "kind": record.kind, "number": record.number, "n": record.n,
        "p": record.p, "n_relevant": len(record.relevant), "function": record.about["function"],
        "response": record.about["response"], "dependence": record.about["dependence"],
        "p_value": record.p_value,
    }  # fmt: skip
    for name, rule in rules.items():
        answer: Answer = rule(record)
        if answer is None:
            continue
        more: dict[str, Any] = {}
        mask = np.asarray(answer, dtype=bool)
        if answer.dtype != bool:
            values = np.asarray(answer, dtype=np.float64)
            more, mask = score_probabilities(values, record), values >= 0.5
        yield place | {"rule": name} | score_mask(mask, record) | more
    yield place | {"rule": ORACLE} | score_mask(best_threshold(record), record)


def rival_masks(folder: Path, record: Record) -> dict[str, BoolArray]:
    """Return the selections that rivals left there for this table, by name."""
    found = {}
    for own in sorted(folder.iterdir()):
        path = file_of(own, record.part, record.kind, record.number).with_suffix(".json")
        if not path.exists():
            continue
        for name, chosen in json.loads(path.read_text())["selected"].items():
            found[name] = np.isin(np.arange(record.p), chosen)
    return found


def paper_rows(folder: Path, record: Record, replicates: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of the paper's rules on fits of another folder to the same table."""
    path = file_of(folder, record.part, record.kind, record.number)
    path = path.with_name(path.name + ".npz")
    if path.exists():
        other = read(path)
        other = other.first(replicates) if replicates else other
        for row in rows_of(other, {name: RULES[name] for name in OF_PAPER}):
            yield row | {"rule": f"{row['rule']}, paper's prior"}


def all_rows(given: argparse.Namespace, rules: Mapping[str, Rule]) -> pl.DataFrame:
    """Return the rows of all tables of a half."""
    rows: list[dict[str, Any]] = []
    for whole in records(given.fits, given.part):
        record = whole.first(given.replicates) if given.replicates else whole
        masks = rival_masks(given.rivals, record) if given.rivals else {}
        fixed: dict[str, Rule] = {name: _constant(mask) for name, mask in masks.items()}
        rows += rows_of(record, {**rules, **fixed})
        if given.paper:
            rows += paper_rows(given.paper, record, given.replicates)
    return pl.DataFrame(rows, infer_schema_length=None)


def _constant(mask: BoolArray) -> Rule:
    return lambda record: mask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("fits", type=Path)
    parser.add_argument("--paper", type=Path, help="fits with the paper's prior")
    parser.add_argument("--rivals", type=Path)
    parser.add_argument("--replicates", type=int, default=0, help="the first of them; 0: all")
    parser.add_argument("--base", default="dart-vc", help="the rule to compare the others with")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = all_rows(given, RULES)
    if given.out:
        rows.write_parquet(given.out)
    report(rows, given.base)


if __name__ == "__main__":
    main()
