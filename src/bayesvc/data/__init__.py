"""From what callers hold to encoded columns and rows."""
