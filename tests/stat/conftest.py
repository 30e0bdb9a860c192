"""Seeds that follow from the name of the test, with more bits than the quick tests need."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from numpy.typing import NDArray


def _digest(request: pytest.FixtureRequest) -> bytes:
    return hashlib.sha256(request.node.name.encode()).digest()


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Seed of the random numbers of the test itself."""
    return int.from_bytes(_digest(request), "big")


@pytest.fixture
def chain_seed(request: pytest.FixtureRequest) -> NDArray[np.uint64]:
    """Seed of the compiled chain."""
    return np.frombuffer(_digest(request), dtype=np.uint64).copy()
