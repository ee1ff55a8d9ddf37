"""Measures of overlapping clusterings: Extended BCubed, CICE, omega, ONMI, F1."""
