"""How results are shown: text, Markdown, LaTeX, CSV, JSON, frames, files."""
