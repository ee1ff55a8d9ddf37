"""The ELM paper: BCubed and ELM on page streams, for fixed guesses and for one that reads."""

from functools import partial

from clusterdiff_lab.papers.experiments import Experiment

STREAMS = "page streams: columns stream, page, document"
_of_streams = partial(Experiment, "elm", data=STREAMS)
_of_texts = partial(Experiment, "elm", data=f"{STREAMS}, text")
EXPERIMENTS = (
    _of_streams("extremes", "Table 1", "each page alone, and all pages together"),
    _of_streams("sizes", "Figure 1", "documents of 1 to 15 pages guessed everywhere"),
    _of_streams("densities", "Figure 2", "how the scores of streams spread, for the extremes"),
    _of_texts("hierarchical", "Table 2, Figure 3", "neighbouring pages joined if they read alike"),
    _of_texts("difference", "Figure 4", "what ELM takes off, by the mean length of documents"),
)
