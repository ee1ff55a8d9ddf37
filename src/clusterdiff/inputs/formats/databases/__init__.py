"""Tables of SQL databases, and what queries find in them: FILE::TABLE, FILE::SELECT …."""
