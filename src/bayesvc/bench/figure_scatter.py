"""Sample the replicates of figures 9 and 13: equation II.11.17 with 1,000 rows and SNR 1."""

from __future__ import annotations

import numpy as np

from bayesvc.bench.entries import entries_of
from bayesvc.bench.figures import Scatter, ScatterPanel
from bayesvc.bench.grid import ONE_SEED, StudySettings, Task
from bayesvc.bench.task_run import sample_task
from bayesvc.selection.apply import apply_method


def sample_scatter(settings: StudySettings | None = None) -> Scatter:
    """Sample ten replicates each of BART and DART on the authors' data, and select from them.

    Examples
    --------
    >>> from bayesvc.bench.grid import StudySettings
    >>> from bayesvc.bench.figure_scatter import sample_scatter
    >>> panels = sample_scatter(StudySettings("seed", burn_in=100, n_draws=100))
    >>> panels.dart.label, panels.dart.values.shape
    ('DART VC', (10, 306))
    """
    task = Task("authors", "feynman_II_11_17", 1000, 1.0, ONE_SEED)
    problem = task.load()
    entries = entries_of(["bart-vc", "dart-vc", "dart-vip-measure"])
    fits = sample_task(task, problem, entries, settings or StudySettings("seed"))
    relevant = np.isin(np.arange(problem.X.shape[1]), problem.relevant)
    panels = []
    for entry, label, tally in zip(
        entries, ("BART VC", "DART VC", "DART VIP"), ("vc", "vc", "vip"), strict=True
    ):
        assert entry.method is not None
        draws = fits[entry.prior(problem.noise_sd)].draws
        mask, _, _ = apply_method(entry.method, draws, None)
        panels.append(ScatterPanel(label, getattr(draws, tally), relevant, mask))
    return Scatter(*panels)
