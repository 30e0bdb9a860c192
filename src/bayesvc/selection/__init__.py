"""From data to the selected variables."""
