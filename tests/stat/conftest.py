"""Shared fixtures: seeds that follow from the name of the test."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))  # whatever the import mode of the test run is


def _digest(request: pytest.FixtureRequest) -> bytes:
    return hashlib.sha256(request.node.name.encode()).digest()


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers of the test itself."""
    return np.random.default_rng(int.from_bytes(_digest(request), "big"))


@pytest.fixture
def chain_seed(request: pytest.FixtureRequest) -> NDArray[np.uint64]:
    """Seed of the compiled chain."""
    return np.frombuffer(_digest(request), dtype=np.uint64).copy()
