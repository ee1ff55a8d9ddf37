"""The catalogue of measures, and the table of conditions."""
