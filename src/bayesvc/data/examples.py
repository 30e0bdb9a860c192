"""Data that ships with the package."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ExampleDataset:
    """Columns, response, and which columns the response truly depends on.

    Examples
    --------
    >>> from bayesvc.data.examples import load_feynman
    >>> load_feynman().y.shape
    (1000,)
    """

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    feature_names: tuple[str, ...]
    relevant: tuple[str, ...]
    description: str


def load_feynman() -> ExampleDataset:
    """Load 1,000 rows of the Feynman equation II.11.17 among 300 irrelevant columns.

    The density ``n = n_0 (1 + p_d Ef cos(theta) / (kb T))`` of polar molecules in an electric
    field, with noise of a tenth of its variance. All columns are uniform on [1, 3].

    Examples
    --------
    >>> from bayesvc.data.examples import load_feynman
    >>> data = load_feynman()
    >>> data.X.shape
    (1000, 306)
    >>> data.relevant
    ('n_0', 'kb', 'T', 'theta', 'p_d', 'Ef')
    """
    source = files("bayesvc") / "data" / "feynman_II_11_17.csv.gz"
    lines = gzip.decompress(source.read_bytes()).decode().splitlines()
    names = tuple(lines[0].split(",")[1:])
    table = np.loadtxt(lines[1:], delimiter=",")
    return ExampleDataset(
        X=np.ascontiguousarray(table[:, 1:]),
        y=table[:, 0].copy(),
        feature_names=names,
        relevant=("n_0", "kb", "T", "theta", "p_d", "Ef"),
        description="Feynman II.11.17: n = n_0 (1 + p_d Ef cos(theta) / (kb T)) + noise, SNR 10",
    )
