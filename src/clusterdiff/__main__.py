"""`python -m clusterdiff` is the command."""

from clusterdiff.cli.main import run

if __name__ == "__main__":
    run()
