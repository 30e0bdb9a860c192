"""Work on a cluster: wherever `joblib.parallel_config` sends it.

Threads and processes of this machine are not taken over from joblib: the package's own threads
share one copy of the data. Nor does a task of a cluster, such as a fold of a cross-validation, send
tasks of its own: they would wait for workers that wait for them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakKeyDictionary

from bayesvc._validation import is_cluster_task

Call = tuple[Callable[..., Any], tuple[Any, ...]]

_ON_THIS_MACHINE = {
    "LokyBackend",
    "MultiprocessingBackend",
    "SequentialBackend",
    "ThreadingBackend",
}


def is_active() -> bool:
    """Tell whether joblib was told to run its work elsewhere, for example on Dask.

    Examples
    --------
    >>> from bayesvc.sampling import joblib_backend
    >>> joblib_backend.is_active()
    False
    """
    joblib = sys.modules.get("joblib")  # who never imported it did not configure it
    if joblib is None or is_cluster_task():
        return False
    backend, _ = joblib.parallel.get_active_backend()
    return type(backend).__name__ not in _ON_THIS_MACHINE


def run_calls(calls: Iterable[Call], store: Callable[[int, Any], None]) -> None:
    """Make the calls where joblib says; hand each result, with its number, to `store`."""
    import joblib

    # Arguments are passed one by one: a backend sends an array that all calls share only once.
    jobs = (
        joblib.delayed(_numbered)(i, call, *arguments) for i, (call, arguments) in enumerate(calls)
    )
    for i, result in joblib.Parallel(return_as="generator_unordered")(jobs):
        store(i, result)


def _numbered(i: int, call: Callable[..., Any], *arguments: Any) -> tuple[int, Any]:
    return i, call(*arguments)


_sent: WeakKeyDictionary[Any, tuple[Any, Any]] = WeakKeyDictionary()


def shared(owner: Any, data: Any) -> Any:
    """Return what stands for large data in the arguments of calls.

    On a Dask cluster this is a future, the same one as long as their owner exists, so that they
    travel once to each worker, whatever the number of calls. Other backends are given the data
    themselves.

    Examples
    --------
    >>> from bayesvc.sampling import joblib_backend
    >>> joblib_backend.shared(object(), "some data")
    'some data'
    """
    import joblib

    client: Any = getattr(joblib.parallel.get_active_backend()[0], "client", None)
    if not hasattr(client, "scatter"):
        return data
    known = _sent.get(owner)
    if known is None or known[0] is not client or known[1].status != "finished":
        known = _sent[owner] = client, client.scatter(data, hash=False)
    return known[1]
