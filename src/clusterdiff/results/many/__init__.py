"""Results of many clusterings: sweeps, new ids, events, matrices, consensus."""
