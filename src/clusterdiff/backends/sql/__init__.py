"""What all SQL backends share: join, align, count, fetch."""
