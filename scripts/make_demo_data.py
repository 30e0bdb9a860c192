"""Make the data set that ships with the package: src/bayesvc/data/feynman_II_11_17.csv.gz.

Equation II.11.17 of the Feynman lectures, n = n_0 (1 + p_d Ef cos(theta) / (kb T)), all six
variables uniform on [1, 3]; 50 irrelevant columns per relevant one from the same distribution;
noise with a tenth of the signal's variance; columns in random order; six significant digits.

    python scripts/make_demo_data.py
"""

import gzip
from pathlib import Path

import numpy as np

N_ROWS = 1000
RELEVANT = ("n_0", "kb", "T", "theta", "p_d", "Ef")
IRRELEVANT_PER_RELEVANT = 50
SIGNAL_TO_NOISE = 10.0
SEED = 111_701
TARGET = Path(__file__).parents[1] / "src" / "bayesvc" / "data" / "feynman_II_11_17.csv.gz"


def main() -> None:
    rng = np.random.default_rng(SEED)
    n_noise = IRRELEVANT_PER_RELEVANT * len(RELEVANT)
    names = np.array(RELEVANT + tuple(f"noise_{i:03d}" for i in range(1, n_noise + 1)))
    X = rng.uniform(1, 3, size=(N_ROWS, names.size))
    n_0, kb, T, theta, p_d, Ef = X[:, : len(RELEVANT)].T
    signal = n_0 * (1 + p_d * Ef * np.cos(theta) / (kb * T))
    y = signal + rng.normal(scale=np.sqrt(signal.var() / SIGNAL_TO_NOISE), size=N_ROWS)
    order = rng.permutation(names.size)
    table = np.column_stack([y, X[:, order]])
    lines = [",".join(["n", *names[order]])]
    lines += [",".join(f"{value:.6g}" for value in row) for row in table]
    text = "\n".join(lines) + "\n"
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    # without a time stamp, so that the same data make the same file
    TARGET.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{TARGET.name}: {N_ROWS} rows, {names.size} columns, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
