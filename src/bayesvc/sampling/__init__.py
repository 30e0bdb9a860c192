"""From data and a prior to draws."""
