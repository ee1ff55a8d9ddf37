"""The page that `report` writes: one HTML file that works offline."""
