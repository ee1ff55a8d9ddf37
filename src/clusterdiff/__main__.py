"""`python -m clusterdiff` is the command."""

from clusterdiff.cli.main import entry

if __name__ == "__main__":
    entry()
