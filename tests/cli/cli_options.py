"""Options that make a selection short."""

SHORT = ("--burn-in", "60", "--draws", "60", "--fits", "3", "--jobs", "1")
