"""Reports: many measures, many guesses, many samples, and how they are shown."""
