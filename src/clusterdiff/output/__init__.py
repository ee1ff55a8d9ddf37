"""From results to text, tables, Markdown, LaTeX, CSV, JSON, data frames and figures."""
