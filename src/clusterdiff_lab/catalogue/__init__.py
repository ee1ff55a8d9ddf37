"""The catalogue of measures: as text, as JSON, and as the pages of the documentation."""
