"""Bad and odd inputs, and what happens: the source of tests and of docs/odd-inputs.md."""

from __future__ import annotations

from tests.odd_inputs import (
    commands,
    estimators,
    files,
    predictors,
    resamples,
    responses,
    rows,
    settings,
    survival,
)
from tests.odd_inputs.case import Case

SECTIONS: dict[str, list[Case]] = {
    "X": predictors.CASES,
    "y": responses.CASES,
    "Survival times": survival.CASES,
    "Groups, weights and blocks": rows.CASES,
    "Settings": settings.CASES,
    "Subsamples of rows": resamples.CASES,
    "Estimators and predictions": estimators.CASES,
    "Files": files.CASES,
    "Tables on the command line": [*commands.TARGETS, *commands.COLUMNS, *commands.FILES],
    "Options on the command line": [*commands.OPTIONS, *commands.BENCH],
}
