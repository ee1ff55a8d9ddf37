"""Optimal transport of any measure of partitions to uncertain clusterings; an algorithm a file."""
