"""One way to run tasks: on threads of this machine, or wherever joblib sends them.

Every replicate of the package, on the data or on a permuted response, of any prior, passes through
`execute`. A task depends on the data, its settings and its seed alone, so that it gives the same
bits wherever it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from bayesvc._background import SECONDS_BETWEEN_LOOKS
from bayesvc._core import Columns, Control
from bayesvc._typing import FloatArray
from bayesvc.data.column_layout import ColumnLayout
from bayesvc.data.dataset import EncodedData
from bayesvc.sampling import joblib_backend
from bayesvc.sampling.checkpoint import Checkpoint
from bayesvc.sampling.config import SamplingConfig
from bayesvc.sampling.progress import Progress

Store = Callable[[int, Any], None]


@dataclass(frozen=True, eq=False)
class Inputs:
    """The columns that every task of a run reads."""

    columns: Columns
    values: Callable[[], FloatArray]
    """Returns X as a matrix, which may have to be made."""
    layout: ColumnLayout


class Task(Protocol):
    """A piece of work of the sampler. It can be pickled, and so sent to a worker."""

    @property
    def n_iterations(self) -> int:
        """How many iterations it takes."""
        ...

    @property
    def needs_matrix(self) -> bool:
        """Whether it reads X as a matrix, besides the encoded columns."""
        ...

    def without_response(self) -> tuple[Task, FloatArray | None]:
        """Return the task and, apart from it, the response that it shares with others."""
        ...

    def with_response(self, y: FloatArray) -> Task:
        """Return the task with a response that was sent apart from it."""
        ...

    def run(self, inputs: Inputs, control: Control) -> Any:
        """Do the work."""
        ...

    def key(self, columns: Columns) -> str | None:
        """Return a fingerprint of all that the result depends on; None if it is not kept."""
        ...

    def load(self, checkpoint: Checkpoint, key: str, columns: Columns) -> Any:
        """Return the result that a checkpoint holds, or None."""
        ...

    def pack(self, result: Any) -> Any:
        """Return the result in a form that can be sent back."""
        ...

    def unpack(self, packed: Any) -> Any:
        """Return the result that `pack` packed."""
        ...


Work = Sequence[tuple[EncodedData, Task]]
"""Tasks, each with the data that it reads."""


def execute(data: EncodedData, tasks: Sequence[Task], store: Store, config: SamplingConfig) -> None:
    """Run the tasks and hand each result, with its index, to `store`, maybe on another thread.

    What the checkpoint holds is not run again. An interrupt or an error stops all tasks before it
    is raised again.
    """
    execute_each([(data, task) for task in tasks], store, config)


def execute_each(work: Work, store: Store, config: SamplingConfig) -> None:
    """Run tasks as `execute` does, each with the data that it is paired with."""
    if config.checkpoint is not None:
        work, store = _skip_finished(work, store, config.checkpoint)
    report = Progress(config.progress, total=sum(task.n_iterations for _, task in work))
    if not work:
        report.finish()
    elif joblib_backend.is_active():
        _run_with_joblib(work, store, report)
    else:
        _run_on_threads(work, store, report, config.n_jobs)


def _skip_finished(work: Work, store: Store, checkpoint: Checkpoint) -> tuple[Work, Store]:
    """Store what the checkpoint holds; return the other tasks, and how to store and keep these."""
    left: list[tuple[int, str | None]] = []
    for i, (data, task) in enumerate(work):
        key = task.key(data.columns)
        result = None if key is None else task.load(checkpoint, key, data.columns)
        if result is None:
            left.append((i, key))
        else:
            store(i, result)

    def store_and_keep(number: int, result: Any) -> None:
        i, key = left[number]
        if key is not None:
            checkpoint.keep(key, result)
        store(i, result)

    return [work[i] for i, _ in left], store_and_keep


def _run_on_threads(work: Work, store: Store, report: Progress, n_jobs: int) -> None:
    """Run the tasks on threads that share the columns."""
    control = Control()

    def run(i: int) -> None:
        data, task = work[i]
        inputs = Inputs(data.columns, lambda: data.values, data.layout)
        store(i, task.run(inputs, control))

    executor = ThreadPoolExecutor(max_workers=max(1, min(n_jobs, len(work))))
    numbers = iter(range(len(work)))
    pending: set[Future[None]] = set()
    try:
        while True:
            # few wait at a time: looking at thousands would cost more than a short task
            for i in islice(numbers, 2 * n_jobs - len(pending)):
                pending.add(executor.submit(run, i))
            if not pending:
                break
            done, pending = wait(pending, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
            for future in done:
                future.result()
            report.update(control.sweeps_done)
    except BaseException:
        report.abandon()
        control.cancel()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
    report.finish()


def _run_with_joblib(work: Work, store: Store, report: Progress) -> None:
    """Run the tasks where joblib sends them. What several read travels once to each worker."""
    calls = []
    for data, task in work:
        columns = joblib_backend.shared(data.columns, data.columns)
        values = joblib_backend.shared(data.X, data.values) if task.needs_matrix else None
        calls.append((_run_remotely, (*task.without_response(), columns, values, data.layout)))
    done = 0

    def store_unpacked(i: int, packed: Any) -> None:
        nonlocal done
        _, task = work[i]
        store(i, task.unpack(packed))
        done += task.n_iterations
        report.update(done)

    try:
        joblib_backend.run_calls(calls, store_unpacked)
    except BaseException:
        report.abandon()
        raise
    report.finish()


def _run_remotely(
    task: Task,
    y: FloatArray | None,
    columns: Columns,
    values: FloatArray | None,
    layout: ColumnLayout,
) -> Any:
    """Run a task on a worker."""
    if y is not None:
        task = task.with_response(y)

    def matrix() -> FloatArray:
        assert values is not None  # sent where a task needs it
        return values

    return task.pack(task.run(Inputs(columns, matrix, layout), Control()))
