"""The command `clusterdiff`: one verb per file."""
