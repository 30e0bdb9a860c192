"""Draw the way from `bv.select` to the compiled sampler into docs/pictures/walk.svg.

Run it with `make pictures`. tests/test_walk.py checks that a selection really goes this way.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

# Layer, module, what it does there; from top to bottom, which is the order of the first calls.
WALK = [
    ("selection", "select", "checks the arguments, returns the Selection"),
    ("selection", "methods", "prior, measure and threshold of the method"),
    ("sampling", "config", "length of the chains, seed, threads, checkpoint"),
    ("responses", "read", "X, y, weights and blocks to one Dataset"),
    ("data", "encode", "columns as numbers, with their schema"),
    ("responses", "encode", "y as numbers, with its response model"),
    ("responses", "gaussian", "that model; later it scales y and the priors"),
    ("data", "dataset", "rank codes, linear model, permuted responses"),
    ("selection", "run", "how many replicates of which prior"),
    ("sampling", "plan", "hands each prior to its kind of sampler"),
    ("sampling", "chain", "one task per chain, tallies of their results"),
    ("priors", "calibration", "settings of the compiled sampler"),
    ("sampling", "executor", "threads here, or wherever joblib sends the tasks"),
    ("_core", "fit", "the compiled sampler"),
]
COLOURS = {
    "selection": "#4c72b0",
    "sampling": "#55a868",
    "responses": "#c44e52",
    "priors": "#8172b3",
    "data": "#937860",
    "_core": "#444444",
}
ROW, LEFT, WIDTH = 36, 12, 700


def svg() -> str:
    """Return the picture."""
    height = ROW * len(WALK) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="14" role="img" '
        'aria-label="Modules from bv.select to the compiled sampler">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (layer, module, what) in enumerate(WALK):
        top = 8 + number * ROW
        name = f"bayesvc.{layer}.{module}"
        parts += [
            f'<rect x="{LEFT}" y="{top}" width="250" height="26" rx="4" fill="{COLOURS[layer]}"/>',
            f'<text x="{LEFT + 10}" y="{top + 18}" fill="#ffffff">{escape(name)}</text>',
            f'<text x="{LEFT + 266}" y="{top + 18}" fill="#222222">{escape(what)}</text>',
        ]
        if number + 1 < len(WALK):
            x, y = LEFT + 125, top + 26
            parts.append(f'<path d="M{x} {y} v10 m-4 -4 l4 4 l4 -4" fill="none" stroke="#666666"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("walk.svg").write_text(svg())
