"""The contingency table: how many objects each true cluster shares with each guess cluster."""
