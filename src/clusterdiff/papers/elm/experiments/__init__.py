"""The ELM paper: BCubed and ELM on page streams, for fixed guesses and for one that reads."""
