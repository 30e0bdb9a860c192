"""Finished fits in a folder, so that a run that was stopped can go on.

The name of a file tells the data, the settings and the seed of its fit, on which alone its result
depends. So a folder may serve any number of runs, and a fit is found again by whoever needs it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import bayesvc
from bayesvc._archive import DamagedFile, add_prefix, atomic_file, read_arrays, with_prefix
from bayesvc._core import Columns
from bayesvc.draws.file import saved_forests
from bayesvc.sampling.joblib_backend import settings_to_dict

if TYPE_CHECKING:
    from bayesvc._typing import PathLike
    from bayesvc.sampling.executor import ChainConfig, FitTask

_FORESTS = "forests/"


class Checkpoint:
    """A folder of finished fits.

    Parameters
    ----------
    folder : path
        Made if there is none.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(50, 3))
    >>> settings = dict(burn_in=50, n_draws=50, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     two = bv.sample(X, X[:, 0], n_replicates=2, checkpoint=folder, **settings)
    ...     three = bv.sample(X, X[:, 0], n_replicates=3, checkpoint=folder, **settings)
    >>> bool((two.vc == three.vc[:2]).all())
    True
    """

    def __init__(self, folder: PathLike) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(
                f"checkpoint={str(folder)!r} is no folder; pass one, which is made if it is missing"
            )
        self.folder.mkdir(parents=True, exist_ok=True)

    def find(self, key: str, n_features: int, length: ChainConfig) -> dict[str, Any] | None:
        """Return the result with this key, if the fit was finished."""
        path = self._path(key)
        try:
            return _result(read_arrays(path), n_features, length)
        except FileNotFoundError:
            return None
        except (DamagedFile, OSError) as error:
            raise ValueError(
                f"checkpoint file {str(path)!r} is damaged ({error}); delete it, and its fit is "
                "run again"
            ) from None

    def keep(self, key: str, result: dict[str, Any]) -> None:
        """Write the result of a finished fit: the whole file or none."""
        arrays = {n: np.asarray(part) for n, part in result.items() if part is not None}
        forests = arrays.pop("forests", None)
        if forests is not None:
            arrays |= add_prefix(_FORESTS, result["forests"].to_arrays())
        with atomic_file(self._path(key)) as file:
            np.savez(file, allow_pickle=False, **arrays)

    def _path(self, key: str) -> Path:
        return self.folder / f"fit-{key}.npz"


def open_checkpoint(folder: PathLike | None, random_state: Any) -> Checkpoint | None:
    """Return the checkpoint in a folder; without a seed nothing in it could be found again."""
    if folder is None:
        return None
    if random_state is None:
        raise ValueError(
            f"checkpoint={str(folder)!r} needs a random_state, or no run could go on from it; "
            "pass one such as random_state=0"
        )
    return Checkpoint(folder)


def _result(
    arrays: dict[str, NDArray[Any]], n_features: int, length: ChainConfig
) -> dict[str, Any]:
    """Return the result of a fit if it is all there."""
    from bayesvc.draws.draws import tally_layout  # which knows of all that a fit leaves behind

    absent = {"counts": not length.keep_counts, "s": not length.keep_s}
    layout = tally_layout(n_features, length.n_draws) | {
        "n_batches": ((), np.int64),
        "batch_size": ((), np.int64),
    }
    for name, (shape, dtype) in layout.items():
        if not absent.get(name) and (
            name not in arrays or arrays[name].shape != shape or arrays[name].dtype != dtype
        ):
            raise DamagedFile(f"{name!r} is not what a fit leaves behind")
    found: dict[str, Any] = {n: a for n, a in arrays.items() if not n.startswith(_FORESTS)}
    found["forests"] = None
    if length.keep_trees:
        found["forests"] = saved_forests(with_prefix(_FORESTS, arrays), length.n_draws)
    return found


def fit_key(columns: Columns, fit: FitTask, length: ChainConfig) -> str:
    """Return a fingerprint of all that the result of a fit depends on.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc._core import Columns, SavedForests, Settings
    >>> from bayesvc.sampling.checkpoint import fit_key
    >>> from bayesvc.sampling.executor import FitTask, ChainConfig, fit_seed
    >>> columns = _core.Columns(np.eye(3))
    >>> fits = [FitTask(np.arange(3.0), _core.Settings(), fit_seed(0, 0, r)) for r in (0, 1)]
    >>> len({fit_key(columns, fit, ChainConfig(10, 10)) for fit in fits})
    2
    """
    about = {
        "bayesvc": bayesvc.__version__,
        "columns": repr(columns.fingerprint),
        "settings": {
            name: _plain(value)
            for name, value in settings_to_dict(fit.settings).items()
            if name != "kernel"  # which gives the same bits on every CPU
        },
        "length": vars(length),
    }
    digest = hashlib.blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=16)
    for array in (fit.y, fit.seed):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | list | tuple):
        array: NDArray[Any] = np.asarray(value)
        return hashlib.blake2b(array.tobytes(), digest_size=16).hexdigest()
    return value if isinstance(value, bool | int | float | str | None) else repr(value)
