"""Damaged files of draws, selections, selectors, checkpoints and the kept fits of a study.

Allowed: ValueError or MemoryError, or a result that can be used. No pickled object may be made.

python fuzz/fuzz_files.py [options of libFuzzer] folder-of-inputs
"""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import sys
import tempfile
import zipfile
from pathlib import Path

import atheris
import harness
import numpy as np

with atheris.instrument_imports(include=["bayesvc"]):
    import bayesvc as bv
    from bayesvc.bench import kept
    from bayesvc.sampling.checkpoint import Checkpoint
    from bayesvc.sampling.config import ChainConfig
    from bayesvc.sampling.replicates import PriorDraws

REFUSALS = (ValueError, MemoryError)
FOLDER = Path(tempfile.mkdtemp())
X = np.random.default_rng(0).uniform(size=(30, 3))
RUN = {"n_replicates": 1, "burn_in": 5, "n_draws": 6, "random_state": 0, "n_jobs": 1}
JSON_VALUES = (
    None,
    -1,
    0,
    1,
    2**70,
    1e308,
    "",
    "x",
    [],
    {},
    [[]],
    True,
    "\u0000",
    {"kind": "BART"},
)
SMALL = 1 << 24  # bytes of an array that a header may promise


def whole_files() -> dict[str, bytes]:
    """Return a sound file of each kind."""
    found = {}
    path = FOLDER / "draws.npz"
    y = X[:, 0] + 0.1
    for name, prior, response in (
        ("draws", bv.DART(), y), ("binary", bv.BART(), y > 0.5),
    ):  # fmt: skip
        bv.sample(X, response, prior, **RUN, keep_trees=True, keep_counts=True).save(path)
        found[name] = path.read_bytes()
    abc = bv.SpikeForest(n_samples=10, burn_in=5)
    bv.sample(X, y, abc, random_state=0, n_jobs=1).save(path)
    found["abc"] = path.read_bytes()
    selector = bv.VariableSelector("bart-vip-local", n_permutations=19, **RUN).fit(X, y)
    bv.select(X, y, **RUN).save(path)
    found["selection"] = path.read_bytes()
    selector.save(path)
    found["selector"] = path.read_bytes()
    bv.sample(X, y, bv.BART(), **RUN, keep_trees=True, checkpoint=FOLDER / "checkpoint")
    found["checkpoint"] = next((FOLDER / "checkpoint").iterdir()).read_bytes()
    found["kept"] = kept.pack({"bart": PriorDraws(bv.sample(X, y, bv.BART(), **RUN))})
    return found


def members(archive: bytes) -> dict[str, bytes]:
    """Return the files of an archive."""
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        return {name: file.read(name) for name in file.namelist()}


WHOLE = whole_files()
MEMBERS = {name: members(archive) for name, archive in WHOLE.items()}
KEY = next((FOLDER / "checkpoint").iterdir()).stem.removeprefix("fit-")


def any_array(fdp: atheris.FuzzedDataProvider) -> bytes:
    """Return an array of another type or shape, or a pickled object, as a file."""
    kind = fdp.ConsumeIntInRange(0, 4)
    buffer = io.BytesIO()
    if kind == 0:  # a pickle where an array should be
        return pickle.dumps(np.random.default_rng)
    if kind == 1:
        np.save(buffer, np.array([np.random.default_rng, None], dtype=object), allow_pickle=True)
        return buffer.getvalue()
    if kind == 2:
        text = fdp.ConsumeUnicodeNoSurrogates(20)
        np.save(buffer, np.array([text, "a"]))
        return buffer.getvalue()
    shape = [fdp.ConsumeIntInRange(0, 4) for _ in range(fdp.ConsumeIntInRange(0, 3))]
    dtype = fdp.PickValueInList(["f8", "f4", "i8", "i4", "u8", "u1", "?", "c16", "U3", "M8[s]"])
    np.save(buffer, np.zeros(shape, dtype))
    return buffer.getvalue()


def changed_json(fdp: atheris.FuzzedDataProvider, text: bytes) -> bytes:
    """Return settings with one value replaced or dropped."""
    settings = json.loads(text)
    part = settings
    for _ in range(2):
        key = fdp.PickValueInList(sorted(part))
        if isinstance(part[key], dict) and part[key] and fdp.ConsumeBool():
            part = part[key]
            continue
        if fdp.ConsumeBool():
            part[key] = fdp.PickValueInList(list(JSON_VALUES))
        else:
            del part[key]
        break
    return json.dumps(settings).encode()


def changed_array(fdp: atheris.FuzzedDataProvider, content: bytes) -> bytes:
    """Return a file with its values, its header or its length changed."""
    kind = fdp.ConsumeIntInRange(0, 4)
    if kind == 0:
        return any_array(fdp)
    if kind == 1:
        return content[: fdp.ConsumeIntInRange(0, len(content))]
    at = fdp.ConsumeIntInRange(0, 120 if kind == 2 else len(content))
    new = fdp.ConsumeBytes(fdp.ConsumeIntInRange(1, 8))
    return content[:at] + new + content[at + len(new) :]


def changed_archive(fdp: atheris.FuzzedDataProvider, kind: str) -> bytes:
    """Return an archive whose check sums are right and whose contents are not."""
    files = dict(MEMBERS[kind])
    for _ in range(fdp.ConsumeIntInRange(1, 3)):
        name = fdp.PickValueInList(sorted(files))
        action = fdp.ConsumeIntInRange(0, 5)
        if action == 0 and len(files) > 1:
            del files[name]
        elif action == 1:
            files["a" + fdp.ConsumeUnicodeNoSurrogates(10)] = files[name]
        elif name.endswith("settings.npy") and action < 5:
            array = np.load(io.BytesIO(MEMBERS[kind][name]))
            buffer = io.BytesIO()
            text = changed_json(fdp, array.tobytes())
            np.save(buffer, np.frombuffer(text, dtype=np.uint8))
            files[name] = buffer.getvalue()
        else:
            files[name] = changed_array(fdp, files[name])
    buffer = io.BytesIO()
    method = fdp.PickValueInList([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


def changed_bytes(fdp: atheris.FuzzedDataProvider, kind: str) -> bytes:
    """Return a sound file with bytes replaced or cut off."""
    content = WHOLE[kind]
    for _ in range(fdp.ConsumeIntInRange(1, 4)):
        # the directory of an archive is at its end
        span = len(content) if fdp.ConsumeBool() else min(len(content), 400)
        at = len(content) - fdp.ConsumeIntInRange(0, span)
        new = fdp.ConsumeBytes(fdp.ConsumeIntInRange(0, 6))
        content = content[:at] + new + content[at + len(new) :]
    return content[: fdp.ConsumeIntInRange(0, len(content))] if fdp.ConsumeBool() else content


def use(kind: str, path: Path) -> None:
    """Read the file and use what is read."""
    if kind == "kept":
        for fits in kept.unpack(path).values():
            assert fits.first(1).vc.shape == fits.first(1).vip.shape
        return
    if kind == "checkpoint":
        Checkpoint(path.parent).find(KEY, 3, ChainConfig(5, 6, keep_trees=True))
        bv.sample(X, X[:, 0] + 0.1, bv.BART(), **RUN, keep_trees=True, checkpoint=path.parent)
        return
    if kind in ("selection", "selector"):
        use_selection(kind, path)
        return
    draws = bv.Draws.load(path)
    repr(draws)
    draws.take([0])
    if draws.forests is not None:
        draws.predict(X[:, : draws.n_features], n_jobs=1)
    if draws.n_features > 1:
        bv.select_from(draws)
    draws.save(FOLDER / "again.npz")


def use_selection(kind: str, path: Path) -> None:
    """Read a selection or a selector and use it."""
    if kind == "selector":
        selector = bv.VariableSelector.load(path)
        selector.get_support()
        found = selector.selection_
    else:
        found = bv.Selection.load(path)
    repr(found)
    found.to_json()
    found.save(FOLDER / "again.npz")


def test_one_input(data: bytes) -> None:
    """One file."""
    fdp = atheris.FuzzedDataProvider(data)
    kind = fdp.PickValueInList(sorted(WHOLE))
    how = fdp.ConsumeIntInRange(0, 7)
    if how == 0:
        content = fdp.ConsumeBytes(fdp.remaining_bytes())
    else:
        content = (changed_bytes if how < 3 else changed_archive)(fdp, kind)
    path = FOLDER / "damaged.npz"
    if kind == "checkpoint":
        path = FOLDER / "checkpoint" / f"fit-{KEY}.npz"
    path.write_bytes(content)
    with contextlib.suppress(REFUSALS):
        use(kind, path)
    assert not unpickled, unpickled


unpickled: list[object] = []


def watch(event: str, args: tuple[object, ...]) -> None:
    """Note every class or function that a pickle asks for."""
    if event == "pickle.find_class":
        unpickled.append(args)


if __name__ == "__main__":
    sys.addaudithook(watch)
    harness.run(test_one_input, [bytes([k, how, *range(60)]) for k in range(7) for how in range(8)])
