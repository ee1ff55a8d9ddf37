"""Where clusterings disagree: `explain`, `diff` and `objects`, for every kind of clustering."""
