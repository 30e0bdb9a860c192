"""Types that annotations share."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]
PathLike = str | os.PathLike[str]
ColumnName = str | int
