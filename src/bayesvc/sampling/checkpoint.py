"""Finished chains in a folder, so that a run that was stopped can go on.

The name of a file tells the data, the settings and the seed of its chain, on which alone the result
depends. So a folder may serve any number of runs, and a chain is found again by whoever needs it.
The file holds this key too: one that was copied or renamed, or that has no key, is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._archive import add_prefix, atomic_file
from bayesvc._core import Columns, Settings
from bayesvc._npz import DamagedFile, Header, StoredArrays, open_arrays
from bayesvc._typing import FloatArray, PathLike
from bayesvc._version import __version__
from bayesvc.draws.file import saved_forests
from bayesvc.draws.tallies import learned_traces, tally_layout

if TYPE_CHECKING:
    from bayesvc.sampling.config import ChainConfig

_FORESTS = "forests/"
CHAIN_FILES = f"fit-{'[0-9a-f]' * 32}.npz"
# Settings that chains have in their key only where they are set, so that others keep theirs.
_ONLY_IF_SET = ("learn_leaf_sd", "leaf_sd_limit", "lower", "upper")
_OWN_FILES = (CHAIN_FILES, f".{CHAIN_FILES}.{'[0-9a-f]' * 8}.tmp")


class Checkpoint:
    """A folder of finished chains.

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
        if os.path.lexists(self.folder) and not self.folder.is_dir():
            raise ValueError(
                f"`checkpoint` must be a folder, which is made if it is missing. Got the file "
                f"{str(folder)!r} instead."
            )
        self.folder.mkdir(parents=True, exist_ok=True)

    def find(
        self, key: str, n_features: int, chain: ChainConfig, learned: Collection[str] = ()
    ) -> dict[str, Any] | None:
        """Return the result with this key, if the chain was finished."""
        path = self._path(key)
        try:
            with open_arrays(path) as arrays:
                _check_key(arrays, key)
                return _result(arrays, n_features, chain, learned)
        except FileNotFoundError:
            return None
        except (DamagedFile, OSError) as error:
            raise ValueError(
                f"The checkpoint file {str(path)!r} is damaged ({error}). Delete it, and its "
                "chain is run again."
            ) from None

    def keep(self, key: str, result: dict[str, Any]) -> None:
        """Write the result of a finished chain: the whole file or none."""
        arrays = {n: np.asarray(part) for n, part in result.items() if part is not None}
        forests = arrays.pop("forests", None)
        if forests is not None:
            arrays |= add_prefix(_FORESTS, result["forests"].to_arrays())
        with atomic_file(self._path(key)) as file:
            np.savez(file, allow_pickle=False, key=np.array(key), **arrays)

    @property
    def has_chains(self) -> bool:
        """Whether any chain is finished."""
        return any(self.folder.glob(CHAIN_FILES))

    def clear(self) -> None:
        """Delete all chains, and the folder if it is empty then; keep files of other origin."""
        for pattern in _OWN_FILES:
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)
        self.remove_if_empty()

    def remove_if_empty(self) -> None:
        """Delete the folder if there is one and nothing is in it; a link stays."""
        if self.folder.is_symlink() or not self.folder.is_dir():
            return
        if not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _path(self, key: str) -> Path:
        return self.folder / f"fit-{key}.npz"


def open_checkpoint(folder: PathLike | None, random_state: Any) -> Checkpoint | None:
    """Return the checkpoint in a folder; without a seed nothing in it could be found again."""
    if folder is None:
        return None
    if random_state is None:
        raise ValueError(
            f"`random_state` must be given with checkpoint={str(folder)!r}, so that a later run "
            "can continue from it. Got None instead. Pass an integer such as random_state=0."
        )
    return Checkpoint(folder)


def _check_key(arrays: StoredArrays, key: str) -> None:
    """Raise an error if a file does not hold the chain that its name tells."""
    if "key" not in arrays:
        raise DamagedFile("it does not say which chain it holds")
    if arrays.headers["key"] != Header((), np.dtype(f"<U{len(key)}")) or str(arrays["key"]) != key:
        raise DamagedFile("it holds another chain than its name says")


def _result(
    arrays: StoredArrays, n_features: int, chain: ChainConfig, learned: Collection[str]
) -> dict[str, Any]:
    """Return the result of a chain if it is all there; nothing is unpacked before that is known."""
    absent = {"counts": not chain.keep_counts, "s": not chain.keep_s}
    absent |= {name: name not in learned for name in learned_traces(True, True)}
    layout = tally_layout(n_features, chain.n_draws) | {
        "n_batches": ((), np.int64),
        "batch_size": ((), np.int64),
    }
    for name, (shape, dtype) in layout.items():
        if not absent.get(name) and arrays.headers.get(name) != Header(shape, np.dtype(dtype)):
            raise DamagedFile(f"{name!r} is not what a chain leaves behind")
    names = [*layout, "fitted"] if chain.keep_fitted else [*layout]
    found: dict[str, Any] = {name: arrays[name] for name in names if name in arrays}
    found["forests"] = None
    if chain.keep_trees:
        found["forests"] = saved_forests(arrays.under(_FORESTS), chain.n_draws)
    return found


def settings_to_dict(settings: Settings) -> dict[str, Any]:
    """Return settings of the compiled sampler by name."""
    names = [name for name in dir(settings) if not name.startswith("_")]
    return {name: getattr(settings, name) for name in names}


def chain_key(
    columns: Columns,
    y: FloatArray,
    settings: Settings,
    seed: NDArray[np.uint64],
    chain: ChainConfig,
) -> str:
    """Return a fingerprint of all that the result of a chain depends on.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc._core import Columns, Settings
    >>> from bayesvc.sampling.checkpoint import chain_key
    >>> from bayesvc.sampling.config import ChainConfig
    >>> from bayesvc.sampling.seeds import Role, chain_seed
    >>> about = Columns(np.eye(3)), np.arange(3.0), Settings()
    >>> seeds = [chain_seed(0, Role.REPLICATE, number) for number in (0, 1)]
    >>> len({chain_key(*about, seed, ChainConfig(10, 10)) for seed in seeds})
    2
    """
    defaults = Settings()
    about = {
        "bayesvc": __version__,
        "columns": repr(columns.fingerprint),
        "settings": {
            name: _plain(value)
            for name, value in settings_to_dict(settings).items()
            if name != "kernel"  # which gives the same bits on every CPU
            if name not in _ONLY_IF_SET or not np.array_equal(value, getattr(defaults, name))
        },
        "length": vars(chain),
    }
    digest = hashlib.blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=16)
    for array in (y, seed):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | list | tuple):
        array: NDArray[Any] = np.asarray(value)
        return hashlib.blake2b(array.tobytes(), digest_size=16).hexdigest()
    return value if isinstance(value, bool | int | float | str | None) else repr(value)
