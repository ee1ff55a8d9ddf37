"""The CICE-BCubed paper: covers that differ, and measures that do not see it."""
