"""Two page streams, and what the two extreme guesses score on them."""

STREAMS = "stream,page,document\ns,1,a\ns,2,a\ns,3,b\nt,1,a\nt,2,b\n"

EXTREMES = {
    ("all singletons", "bcubed_precision"): (1, 0),
    ("all singletons", "bcubed_recall"): (5 / 6, 1 / 6),
    ("all singletons", "bcubed_f"): (8 / 9, 1 / 9),
    ("all singletons", "elm_precision"): (1, 0),
    ("all singletons", "elm_recall"): (2 / 3, 1 / 3),
    ("all singletons", "elm_f"): (2 / 3, 1 / 3),
    ("all in one cluster", "bcubed_precision"): (19 / 36, 1 / 36),
    ("all in one cluster", "bcubed_recall"): (1, 0),
    ("all in one cluster", "bcubed_f"): (41 / 60, 1 / 60),
    ("all in one cluster", "elm_precision"): (1 / 6, 1 / 6),
    ("all in one cluster", "elm_recall"): (1, 0),
    ("all in one cluster", "elm_f"): (2 / 9, 2 / 9),
}
"""Mean and standard deviation over the two streams, by hand."""
