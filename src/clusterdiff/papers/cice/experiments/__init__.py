"""The experiments of the CICE-BCubed paper."""
