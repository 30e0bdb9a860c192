"""What fits leave behind."""
