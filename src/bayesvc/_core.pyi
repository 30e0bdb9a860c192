"""The compiled sampler. All values of y, sigma and the leaves are on the scaled y."""

from collections.abc import Iterator, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Node = tuple[int, float | tuple[int, int]]
Tree = list[Node]

@final
class Columns:
    def __init__(
        self,
        X: NDArray[np.float64],
        keep_values: bool = False,
        n_categories: Sequence[int] = (),
        groups: Sequence[Sequence[int]] = (),
    ) -> None: ...
    @staticmethod
    def from_blocks(
        blocks: Iterator[NDArray[np.float64]],
        n: int,
        p: int,
        keep_values: bool = False,
        n_categories: Sequence[int] = (),
        groups: Sequence[Sequence[int]] = (),
    ) -> Columns: ...
    @property
    def n(self) -> int: ...
    @property
    def p(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def fingerprint(self) -> tuple[int, int]: ...
    def n_distinct(self) -> NDArray[np.int64]: ...
    def max_ties(self) -> NDArray[np.int64]: ...
    def codes(self, coding: int) -> NDArray[np.uint32]: ...
    def values(self, coding: int) -> NDArray[np.float64]: ...
    def correlations(self, chosen: list[int]) -> NDArray[np.float64]: ...

@final
class LinearModel:
    def __init__(self, X: NDArray[np.float64]) -> None: ...
    @staticmethod
    def from_blocks(blocks: Iterator[NDArray[np.float64]], n: int) -> LinearModel: ...
    @property
    def rank(self) -> int: ...
    @property
    def saturated(self) -> bool: ...
    def residual_ss(self, y: NDArray[np.float64]) -> float: ...

@final
class Settings:
    n_trees: int
    gamma: float
    beta: float
    min_samples_leaf: int
    moves: tuple[float, float, float, float, float]
    leaf_sd: float
    learn_leaf_sd: bool
    leaf_sd_limit: float
    nu: float
    lambda_: float
    sigma: float
    response: str
    offset: float
    splitting: str
    weights: NDArray[np.float64]
    row_weights: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    alpha: float
    a: float
    b: float
    rho: float
    likelihood: bool
    precision: str
    kernel: str
    def __init__(self) -> None: ...

@final
class Chain:
    sigma: float
    df: float
    alpha: float
    leaf_sd: float
    def __init__(
        self,
        columns: Columns,
        y: NDArray[np.float64],
        settings: Settings,
        seed: NDArray[np.uint64],
    ) -> None: ...
    def sweep(self, k: int = 1) -> None: ...
    @property
    def n_splits(self) -> int: ...
    @property
    def acceptance(self) -> dict[str, tuple[int, int]]: ...
    def set_y(self, y: NDArray[np.float64]) -> None: ...
    def fitted(self) -> NDArray[np.float64]: ...
    def precisions(self) -> NDArray[np.float64]: ...
    def latents(self) -> NDArray[np.float64]: ...
    def counts(self) -> NDArray[np.int64]: ...
    def split_probabilities(self) -> NDArray[np.float64]: ...
    def trees(self) -> list[Tree]: ...
    def set_trees(self, trees: list[Tree]) -> None: ...
    def leaf_ids(self, t: int) -> NDArray[np.integer[Any]]: ...
    def ghosts(self) -> dict[tuple[int, int], dict[int, int]]: ...
    def record_proposals(self, on: bool) -> None: ...
    def proposals(self) -> list[dict[str, Any]]: ...

@final
class Control:
    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    @property
    def sweeps_done(self) -> int: ...
    @property
    def cancelled(self) -> bool: ...

@final
class SavedForests:
    @property
    def n_draws(self) -> int: ...
    @property
    def n_trees(self) -> int: ...
    def every(self, step: int) -> SavedForests: ...
    def to_arrays(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def from_arrays(arrays: dict[str, NDArray[Any]]) -> SavedForests: ...
    def predict(
        self,
        X: NDArray[np.float64],
        n_threads: int = 1,
        held: Sequence[int] = (),
        using_held: bool = True,
    ) -> NDArray[np.float64]: ...

@final
class AbcSampler:
    def __init__(
        self,
        *,
        columns: Columns,
        X: NDArray[np.float64],
        y: NDArray[np.float64],
        settings: Settings,
        burn_in: int,
        n_train: int,
        a0: float,
        b0: float,
        sigma_hat: float,
        corrected: bool,
        lambda_unit: float,
        offsets: NDArray[np.float64],
        design: Sequence[Sequence[int]] = (),
    ) -> None: ...
    def sample(self, seed: NDArray[np.uint64], control: Control) -> dict[str, Any]: ...

def fit(
    columns: Columns,
    y: NDArray[np.float64],
    settings: Settings,
    seed: NDArray[np.uint64],
    burn_in: int,
    n_draws: int,
    keep_counts: bool,
    keep_s: bool,
    keep_trees: bool,
    control: Control,
    keep_fitted: bool = False,
) -> dict[str, Any]: ...
def available_kernels() -> list[str]: ...
def average_linkage(
    points: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def variance_shares(
    forests: SavedForests,
    X: NDArray[np.float64],
    variable_of: Sequence[int],
    numeric: Sequence[int],
    weights: NDArray[np.float64],
    first_draw: int = 0,
    n_threads: int = 1,
    others: SavedForests | None = None,
    first_other: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
