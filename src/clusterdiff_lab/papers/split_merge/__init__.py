"""A Split-Merge Framework for Comparing Clusterings (Xiang et al. 2012)."""
