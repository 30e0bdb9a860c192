"""`--subsamples`: the selection repeated on random halves of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayesvc.cli.chosen_columns import ChosenColumns
from bayesvc.cli.output import progress_bar
from bayesvc.cli.results_folder import ResultsFolder

if TYPE_CHECKING:
    from bayesvc.selection.result import Selection


def check_subsamples(
    data: ChosenColumns, n_subsamples: int, settings: dict[str, Any], **how: Any
) -> None:
    """Raise an error about the data or the settings before anything is sampled."""
    from bayesvc.selection.subsample_plan import plan_subsamples
    from bayesvc.selection.subsamples import SubsampleScheme

    about = {"sample_weight": None, "permute_within": None, "groups": None} | data.about
    chain = ("n_trees", "burn_in", "n_draws")
    plan_subsamples(
        data.X, data.y_or_times, SubsampleScheme(n_subsamples, 0.5, pairs=True),
        selection=None, blocks=None, method=how.pop("method"), n_jobs=settings["n_jobs"], **about,
        settings={name: settings[name] for name in chain} | how,
        random_state=settings["random_state"], allow_empty=bool(settings["allow_empty"]),
    )  # fmt: skip


def add_row_stability(
    found: Selection,
    data: ChosenColumns,
    n_subsamples: int,
    settings: dict[str, Any],
    folder: ResultsFolder,
) -> tuple[Selection, bool]:
    """Return the selection with selection frequencies, and whether all subsamples finished."""
    import bayesvc as bv

    about = {name: value for name, value in data.about.items() if name != "groups"}
    try:
        with progress_bar("subsamples", counts=True) as show:
            stable = bv.row_stability(
                data.X, data.y_or_times, selection=found, n_subsamples=n_subsamples, progress=show,
                n_jobs=settings["n_jobs"], allow_empty=settings["allow_empty"],
                time_order=settings["time_order"], checkpoint=folder.checkpoint, **about,
            )  # fmt: skip
    except KeyboardInterrupt:
        return found, False
    return stable.selection, True
