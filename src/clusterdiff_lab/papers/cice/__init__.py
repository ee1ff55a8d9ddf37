"""CICE-BCubed (Rosales-Méndez and Ramírez-Cruz 2013)."""
