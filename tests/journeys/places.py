"""Where the real data sets are, if they are here."""

from pathlib import Path

DATA = Path(__file__).parents[3] / "shared" / "data"
