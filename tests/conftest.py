"""Shared fixtures: seeds that follow from the name of the test, and small data sets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.register_assert_rewrite("tests.helpers")  # its assertions then tell the values too

from tests.helpers.no_sampling import no_sampling  # noqa: E402

Dataset = tuple[NDArray[np.float64], NDArray[np.float64]]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let golden files be written anew."""
    parser.addoption("--regenerate-golden", action="store_true", help="write golden files anew")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed of the test's own."""
    return int.from_bytes(hashlib.sha256(request.node.name.encode()).digest()[:4], "big")


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """Random numbers of the test's own."""
    return np.random.default_rng(seed)


@pytest.fixture
def regression(rng: np.random.Generator) -> Dataset:
    """60 rows, 5 columns; y depends on columns 1 and 3."""
    X = rng.uniform(size=(60, 5))
    return X, 10 * X[:, 1] + 5 * X[:, 3] ** 2 + rng.normal(size=60)


@pytest.fixture
def classification(rng: np.random.Generator) -> Dataset:
    """80 rows, 4 columns; y is 0 or 1 and depends on column 2."""
    X = rng.uniform(size=(80, 4))
    y = (X[:, 2] + 0.1 * rng.normal(size=80) > 0.5).astype(float)
    y[:2] = 0, 1  # both classes, whatever the random numbers
    return X, y


@pytest.fixture
def nothing_sampled() -> Iterator[None]:
    """Fail if the test samples anything."""
    with no_sampling():
        yield


@pytest.fixture
def collected_widths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many columns each `collect` of a lazy frame of polars asked for."""
    import polars as pl

    found: list[int] = []
    collect = pl.LazyFrame.collect

    def counting(lazy: pl.LazyFrame, *arguments: Any, **settings: Any) -> Any:
        frame = collect(lazy, *arguments, **settings)
        found.append(frame.width)
        return frame

    monkeypatch.setattr(pl.LazyFrame, "collect", counting)
    return found
