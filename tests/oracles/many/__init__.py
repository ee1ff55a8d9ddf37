"""Oracles for many clusterings at once, object by object and partition by partition.

Written from the definitions, without the fast code: thresholds by breadth-first search, events by
set operations, renamings and median partitions by trying all of them, bounds in fractions.
"""
