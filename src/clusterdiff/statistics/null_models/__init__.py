"""Random guesses: how they are drawn, and how likely two objects are together in them."""
