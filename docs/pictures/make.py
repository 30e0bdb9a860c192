"""Draw the picture in README, a selection among 306 columns: `make pictures`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import bayesvc as bv
from bayesvc.data.examples import load_feynman
from bayesvc.plots.style import new_figure, own_look, save

HERE = Path(__file__).parent


def draw(folder: Path) -> bv.Selection:
    """Draw the picture into a folder and return what it shows."""
    data = load_feynman()
    X = pd.DataFrame(data.X, columns=data.feature_names)
    found = bv.select(X, data.y, "dart-vc", random_state=0)
    with own_look():
        figure = new_figure(10, 4.4)
        left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
        figure.get_layout_engine().set(wspace=0.06)
        bv.plots.scatter(found, n_labels=len(found.names), ax=left)
        bv.plots.importance(found, most=12, ax=right)
        left.set_title(f"{len(found.names)} of {len(found.mask)} columns stand apart", loc="left")
        right.set_title(f"range over {found.draws.n_replicates} replicates", loc="left")
        right.get_legend().remove()  # that of the left panel serves both
        save(figure, folder / "selection.png")
    return found


if __name__ == "__main__":
    draw(HERE)
