"""Every two of many clusterings: the matrix, what it says, and how it is shown."""
