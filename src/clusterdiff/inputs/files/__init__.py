"""Files behind a path: which ones, in which encoding, and how large."""
