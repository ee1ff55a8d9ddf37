"""`python -m clusterdiff` is the command; so is this file, which spark-submit takes."""

import os
import sys

if __name__ == "__main__":
    # A script has its folder in front of all others, and `statistics` here would hide Python's.
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [place for place in sys.path if os.path.abspath(place or ".") != own]

    from clusterdiff.cli.main import entry

    entry()
