"""All pairs of many clusterings: tables over profiles, agreement, consistency, embedding."""
