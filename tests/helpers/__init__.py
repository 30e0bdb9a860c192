"""What several test modules share: settings, data, comparisons and guards."""
