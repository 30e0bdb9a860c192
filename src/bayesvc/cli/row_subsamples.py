"""`--resample-rows`: the selection repeated on halves of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayesvc.cli.chosen_columns import Chosen
from bayesvc.cli.errors import BadInput
from bayesvc.cli.output import progress_bar
from bayesvc.cli.run_options import Folder

if TYPE_CHECKING:
    from bayesvc.selection.result import Selection


def check_number(n_resamples: int | None) -> None:
    """Refuse a number of halves that do not come in pairs."""
    if n_resamples is not None and n_resamples % 2:
        raise BadInput(
            f"--resample-rows {n_resamples} is odd, but halves come in pairs; give "
            f"{n_resamples + 1}"
        )


def check_rows(data: Chosen, n_resamples: int, settings: dict[str, Any], **how: Any) -> None:
    """Say what is wrong with the data or the settings before the first fit."""
    from bayesvc.selection.subsample_plan import prepare
    from bayesvc.selection.subsamples import SubsampleScheme

    about = {"sample_weight": None, "permute_within": None, "groups": None} | data.about
    of_fits = ("n_trees", "burn_in", "n_draws")
    prepare(
        data.X, data.y, SubsampleScheme(n_resamples, 0.5, pairs=True), selection=None, blocks=None,
        method=how.pop("method"), n_jobs=settings["n_jobs"], **about,
        settings={name: settings[name] for name in of_fits} | how,
        random_state=settings["random_state"], allow_empty=settings["allow_empty"],
    )  # fmt: skip


def with_row_stability(
    found: Selection, data: Chosen, n_resamples: int, settings: dict[str, Any], folder: Folder
) -> tuple[Selection, bool]:
    """Return the selection with the shares of the resamples, and whether all were finished."""
    import bayesvc as bv

    about = {name: value for name, value in data.about.items() if name != "groups"}
    try:
        with progress_bar("other rows", counts=True) as show:
            stable = bv.row_stability(
                data.X, data.y, selection=found, n_resamples=n_resamples, progress=show,
                n_jobs=settings["n_jobs"], allow_empty=settings["allow_empty"],
                checkpoint=folder.checkpoint, **about,
            )  # fmt: skip
    except KeyboardInterrupt:
        return found, False
    return stable.selection, True
