"""From a record to probabilities or to a mask. A rule of your own is a function added to `RULES`.

A rule returns floats, which are taken for probabilities and compared with one half, or booleans.
None means that it does not apply to this record.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from records import Record

from bayesvc.measures import _relevance_dart, relevance, vc_measure
from bayesvc.thresholds import clustering

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Answer = FloatArray | BoolArray | None
Rule = Callable[[Record], Answer]

LEVEL = 0.05


def vc(record: Record) -> BoolArray:
    """Cluster the VC-measure, as the paper does."""
    if record.p == 1:
        return np.ones(1, dtype=bool)
    return np.asarray(clustering(vc_measure(record.fit)))


def first_formula(record: Record) -> FloatArray:
    """Return the probability of relevance by the first formula, which `bart-relevance` has."""
    return relevance(record.fit, version=1)


def probability(record: Record) -> FloatArray:
    """Return the probability of relevance from draws alone."""
    return relevance(record.fit)


def given_signal(record: Record) -> FloatArray:
    """Return the probability of relevance in the light of the signal test, as `select` does."""
    return _relevance_dart.given_signal(probability(record), record.p_value)


def most_probable(values: FloatArray) -> BoolArray:
    """Select what has one half or more, or else the most probable."""
    return np.asarray(values >= min(0.5, float(values.max())))


def at_half(probabilities: Callable[[Record], FloatArray]) -> Rule:
    """Select by the threshold "most-probable"."""
    return lambda record: most_probable(probabilities(record))


def inclusion(record: Record) -> BoolArray:
    """Select what is in half of the draws."""
    return np.asarray(record.fit.mpvip.mean(axis=0) >= 0.5)


def one_fit(record: Record) -> BoolArray:
    """Select what is in half of the draws of the first replicate."""
    return np.asarray(record.fit.mpvip[0] >= 0.5)


def if_signal(rule: Rule) -> Rule:
    """Select nothing where the signal test is not significant."""

    def withheld(record: Record) -> Answer:
        if record.p_value <= LEVEL:
            return rule(record)
        return np.zeros(record.p, dtype=bool)

    return withheld


RULES: dict[str, Rule] = {
    "dart-vc": vc,
    "P(relevant), draws alone": probability,
    "P(relevant), with signal test": given_signal,
    "dart-relevance, no signal test": at_half(probability),
    "dart-relevance, never empty": at_half(given_signal),
    "dart-relevance, the default": if_signal(at_half(given_signal)),
    "first formula": at_half(first_formula),
    "mean inclusion": inclusion,
    "dart-mpm, one fit": one_fit,
}


def best_threshold(record: Record, values: FloatArray | None = None) -> BoolArray:
    """Cut the ranking, that of the mean count by default, where F1 is highest."""
    ranked = record.fit.vc.mean(axis=0) if values is None else values
    order = np.argsort(-ranked, kind="stable")
    hits = np.cumsum(record.truth[order])
    f1 = 2 * hits / (np.arange(1, record.p + 1) + max(len(record.relevant), 1))
    mask = np.zeros(record.p, dtype=bool)
    if len(record.relevant):
        mask[order[: int(f1.argmax()) + 1]] = True
    return mask
