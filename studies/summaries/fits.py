"""Run ten DART and ten BART fits to each problem and keep their tallies; run again to go on.

    python studies/summaries/fits.py random 240 DIR          # random functions, to choose on
    python studies/summaries/fits.py small 80 DIR            # and some with few columns
    python studies/summaries/fits.py study 1080 DIR          # random formulas, to confirm
    python studies/summaries/fits.py other 40 DIR            # problems of other kinds, to confirm

The equations are run by ``bayesvc bench run --keep-draws``; see the README of this folder.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from kept_sets import file_prefix
from problems import OTHER_KINDS, random_function, small_table, study_formula

import bayesvc as bv
from bayesvc.bench.kept import pack
from bayesvc.bench.known_answer import BenchProblem
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.config import check_sampling_config
from bayesvc.sampling.plan import sample_priors
from bayesvc.sampling.replicates import ReplicateCounts

RANDOM = {"random": random_function, "small": small_table, "study": study_formula}
FIRST_OTHER_SEED = 50_000


def run(problem: BenchProblem, path: Path, entropy: int) -> None:
    """Fit both priors and keep what the fits left behind, and which columns are relevant."""
    if path.exists():
        return
    data = read_dataset(problem.X, problem.y, "auto", n_jobs=1)
    needs = {bv.DART(): ReplicateCounts(10, 0), bv.BART(): ReplicateCounts(10, 0)}
    fits = sample_priors(data, needs, check_sampling_config(random_state=entropy, n_jobs=1))
    kept = pack({"dart": fits[bv.DART()], "bart": fits[bv.BART()]})
    np.save(path.with_suffix(".relevant.npy"), problem.relevant)
    whole = path.with_suffix(".part")
    whole.write_bytes(kept)
    whole.rename(path)


def run_random(which: str, seed: int, folder: Path) -> None:
    """Fit one random function."""
    run(RANDOM[which](seed), folder / f"{which}-{seed}.npz", seed)


def run_other(kind: str, number: int, folder: Path) -> None:
    """Fit one problem of another kind."""
    seed = FIRST_OTHER_SEED + number
    name = f"{file_prefix(kind)}-{number}.npz"
    run(OTHER_KINDS[kind](seed), folder / name, seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=[*RANDOM, "other"])
    parser.add_argument("number", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.which in RANDOM:
        work = [
            delayed(run_random)(options.which, i, options.folder) for i in range(options.number)
        ]
    else:
        work = [
            delayed(run_other)(kind, i, options.folder)
            for i in range(options.number)
            for kind in OTHER_KINDS
        ]
    Parallel(n_jobs=options.jobs)(work)


if __name__ == "__main__":
    main()
