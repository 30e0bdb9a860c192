"""Odd settings of `sample` and `select`."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np

import bayesvc as bv
from tests.odd_inputs.case import Accepted, Case, Refused
from tests.odd_inputs.data import X, Y, sample, select


def bad(argument: str, value: Any, error: type[Exception], *says: str, **others: Any) -> Refused:
    """A setting of `sample` that is refused by name and value."""
    shown = "bv.DART" if value is bv.DART else repr(value).replace("bayesvc.", "")
    return Refused(
        f"`sample(X, y, {argument}={shown})`",
        lambda: bv.sample(X, Y, **{argument: value, **others}),
        error,
        (argument, "DART" if value is bv.DART else repr(value), *says),
    )


def unfit(call: str, settings: dict[str, Any], *says: str, y: Any = Y) -> Refused:
    """Settings of `select` that do not go together, or not with the data."""
    return Refused(call, lambda: bv.select(X, y, **settings), ValueError, says)


def with_memory(n_bytes: int, **settings: Any) -> None:
    with mock.patch("bayesvc._validation.available_memory", return_value=n_bytes):
        bv.sample(X, Y, **settings)


def too_large(settings: dict[str, Any], *says: str) -> Refused:
    written = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    return Refused(
        f"`sample(X, y, {written})` where 1 GB of memory is left",
        lambda: with_memory(10**9, **settings), MemoryError, says,
    )  # fmt: skip


SINGLE: list[Case] = [
    bad("n_replicates", 0, ValueError),
    bad("n_replicates", -1, ValueError),
    bad("n_replicates", 2.5, TypeError),
    bad("n_trees", 0, ValueError),
    bad("n_trees", "20", TypeError),
    bad("burn_in", -1, ValueError),
    bad("n_draws", 0, ValueError),
    bad("n_draws", -5, ValueError),
    bad("n_draws", True, TypeError),
    bad("n_draws", "many", TypeError),
    bad("n_jobs", 0, ValueError),
    bad("n_jobs", 1.5, TypeError),
    bad("n_jobs", True, TypeError),
    bad("random_state", -1, ValueError),
    bad("random_state", 1.5, TypeError),
    bad("random_state", "seed", TypeError),
    bad("response", "ordinal", ValueError),
    bad("response", None, TypeError),
    bad("progress", "yes", TypeError),
    bad("keep_counts", 1, TypeError),
    bad("keep_s", "no", TypeError),
    bad("keep_trees", None, TypeError),
    bad("prior", "dart", TypeError),
    bad("prior", bv.DART, TypeError),
    bad("checkpoint", "fits", ValueError, "`random_state` must be given"),
]
TOGETHER: list[Case] = [
    unfit('`method="dart-cv"`', {"method": "dart-cv"}, "Did you mean 'dart-vc'?"),
    unfit('`goal="fast"`', {"goal": "fast"}, "`goal` must be one of", "'quick'", "Got 'fast'"),
    unfit("a goal and a method", {"goal": "quick", "method": "dart-mpm"}, "`method` and `goal`",
          "'dart-mpm' and 'quick'"),
    unfit('`measure="vip-rank", threshold="gse"`', {"measure": "vip-rank", "threshold": "gse"},
          "'vip-rank' is not compatible with threshold 'gse'", "low values"),
    unfit("`n_permutations` for a method that permutes nothing", {"n_permutations": 50},
          "`n_permutations` must not be given", "Got 50"),
    unfit("too few permutations for the level",
          {"method": "bart-vip-local", "n_permutations": 10}, "at least 19",
          "n_permutations", "alpha=0.05"),
    unfit('`n_replicates="many"`', {"n_replicates": "many"},
          "`n_replicates` must be a positive integer or 'auto'"),
    unfit("`max_seconds` with a number of replicates", {"n_replicates": 3, "max_seconds": 5},
          "`max_seconds` must not be given unless n_replicates='auto'", "Got 5"),
    unfit("`allow_empty=True, signal_test=False`", {"allow_empty": True, "signal_test": False},
          "`signal_test` must be True with allow_empty=True"),
    unfit('`select(X, y, "dart-vc", prior=BART())`', {"method": "dart-vc", "prior": bv.BART()},
          "Method 'dart-vc' uses the DART prior", "kind BART", "Use method 'bart-vc'"),
    unfit("`prior=DART(split_weights=[1, 1])` for three columns",
          {"prior": bv.DART(split_weights=[1, 1])}, "`split_weights`", "column of X, 3",
          "Got 2"),
    unfit("`prior=BART(min_samples_leaf=16)` for 30 rows",
          {"prior": bv.BART(min_samples_leaf=16)}, "`min_samples_leaf`", "at most 15, half",
          "Got 16"),
    unfit("`prior=BART(sigma=1)` for two classes", {"prior": bv.BART(sigma=1)},
          "`sigma` must be None", "binary", "Got 1.0", y=Y > 1),
    unfit("`prior=BART(sigma_hat=1)` for two classes", {"prior": bv.BART(sigma_hat=1)},
          "`sigma_hat` must be None", "binary", "Got 1.0", y=Y > 1),
    unfit('`method="bart-vc"` with `prior=DART()`', {"method": "bart-vc", "prior": bv.DART()},
          "'bart-vc'", "DART"),
    unfit("`n_draws` with `prior=SpikeForest()`", {"prior": bv.SpikeForest(), "n_draws": 5},
          "n_draws=5 is not compatible with prior=SpikeForest"),
    Refused('`BART(k="learn")`', lambda: bv.BART(k="learn"), TypeError,
            ("`k` must be a number in the interval", "or 'learned'", "Got 'learn'")),
    Refused('`SpikeForest(k="learned")`', lambda: bv.SpikeForest(k="learned"), ValueError,
            ("`k` must be a number for SpikeForest", "Got 'learned'", "use BART or DART")),
    unfit('`prior=DART(errors="student")` for two classes', {"prior": bv.DART(errors="student")},
          "`errors` must be 'gaussian' or 'auto'", "binary", "Got 'student'", y=Y > 1),
    unfit('`prior=DART(transform="normal-scores")` for two classes',
          {"prior": bv.DART(transform="normal-scores")}, "`transform` must be None or 'auto'",
          "binary", "Got 'normal-scores'", y=Y > 1),
    Refused('`DART(errors="cauchy")`', lambda: bv.DART(errors="cauchy"), ValueError,
            ("`errors` must be one of", "'student'", "Got 'cauchy'")),
    Refused('`DART(transform="log")`', lambda: bv.DART(transform="log"), ValueError,
            ("`transform` must be one of", "'normal-scores'", "Got 'log'")),
    Refused('`DART(transform="auto", sigma=1)`', lambda: bv.DART(transform="auto", sigma=1),
            ValueError, ("`sigma` must be None with transform='auto'", "Got 1.0", "Leave out")),
    Refused('`SpikeForest(errors="auto")`', lambda: bv.SpikeForest(errors="auto"), ValueError,
            ("`errors` must be 'gaussian' for SpikeForest", "Got 'auto'", "use BART or DART")),
    Refused("`compare(X, y, [])`", lambda: bv.compare(X, Y, []), ValueError,
            ("`methods` must be 'all' or a list of names", "Got an empty list")),
    Refused("`select_from` of what are no draws", lambda: bv.select_from(X), TypeError,
            ("`draws` must be Draws", "Got a ndarray", "Draws.from_counts")),
    Refused("`Permutation(\"gse\", alpha=5)`", lambda: bv.Permutation("gse", alpha=5), ValueError,
            ("alpha", "in the interval (0, 1)")),
    too_large({"n_replicates": 10**9}, "n_replicates=1000000000", "GB", "Use fewer"),
    too_large({"n_draws": 10**12}, "n_draws=1000000000000", "GB", "Use fewer"),
    too_large({"n_trees": 10**12}, "n_trees=1000000000000", "GB", "Use fewer"),
    too_large({"n_replicates": 20, "n_draws": 10**10, "keep_counts": True}, "keep_counts",
              "1,200.0 GB", "20 x 10,000,000,000 x 3", "1.0 GB", "n_draws"),
    too_large({"n_replicates": 20, "n_draws": 10**10, "keep_s": True}, "keep_s", "2,400.0 GB"),
]  # fmt: skip
ACCEPTED: list[Case] = [
    Accepted("one draw after no burn-in", lambda: sample(n_draws=1, burn_in=0),
             "it is done; nobody will want it",
             lambda draws: draws.sigma.shape == (2, 1)),
    Accepted("more threads than there are CPUs or chains", lambda: sample(n_jobs=64),
             "the result is the same, bit for bit",
             lambda draws: (draws.vc == sample().vc).all()),
    Accepted("a seed beyond 64 bits", lambda: sample(random_state=2**100),
             "it is a seed like any other",
             lambda draws: draws.random_state == 2**100),
    Accepted("no seed", lambda: sample(random_state=None),
             "a fresh one is drawn, and the result tells it",
             lambda draws: (draws.vc == sample(random_state=draws.random_state).vc).all()),
    Accepted("a response without any signal",
             lambda: select(X, np.random.default_rng(5).normal(size=len(X)), signal_test=True),
             "the first note of the result says that no signal was found",
             lambda found: found.notes[0].code == "no-signal"),
    Accepted("the same with `allow_empty=True`",
             lambda: select(X, np.random.default_rng(5).normal(size=len(X)), signal_test=True,
                            allow_empty=True),
             "nothing is selected", lambda found: found.names == []),
]  # fmt: skip

CASES: list[Case] = [*SINGLE, *TOGETHER, *ACCEPTED]
