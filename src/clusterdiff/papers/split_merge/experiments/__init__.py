"""The experiment of the split-merge paper."""
