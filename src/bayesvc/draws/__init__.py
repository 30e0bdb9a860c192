"""What replicates leave behind."""
