"""Evaluating and Comparing Soft Clusterings (Campagner, Ciucci and Denœux 2023)."""
