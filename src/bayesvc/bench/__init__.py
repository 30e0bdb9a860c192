"""The paper's study: its problems, a grid of runs, and their results against the published ones."""
