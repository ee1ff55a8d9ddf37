"""The command: its verbs, the flags they share, and what they write."""
