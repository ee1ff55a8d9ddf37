"""Many clusterings at once: thresholds, releases, runs, and what they agree on."""
