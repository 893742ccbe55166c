"""What the later stages learn from: how much of each source, in one table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mixture:
    """Of each source every so-manieth row or pair; 1 is all of it, 0 is none. The built-in training
    part is in every mixture once.
    """

    imdb: tuple[int, int]  # whole reviews: from which on, and every how many-th
    lines: int = 1  # pairs of one-liners
    times: int = 1  # how often each of these is read
    mock: int = 0  # how often more those with mock praise are
    sentences: bool = False  # of SST
    dense: int = 0  # revisions
    sparse: int = 0  # revisions that leave most words standing
    hurried: int = 0  # how often revisions made in haste are read
    short: int = 0  # the first two kinds of revisions, without some of what their sides share
    pairs: int = 0  # counterfactual ones


MIXTURES = {
    # verdicts of one line and of one word, with enough of whole reviews and older pairs that those
    # are not unlearned
    "quick": Mixture(imdb=(5, 16), times=2, sentences=True, dense=1, pairs=2),
    # the same with the one-liners once and other reviews of IMDb
    "again": Mixture(imdb=(9, 16), sentences=True, dense=1, pairs=2),
    # whole reviews, so that they are answered as before, with some of all that is short
    "whole": Mixture(imdb=(2, 5), lines=3, dense=8),
    # verdicts that small words undo while the praise around them stands
    "sparse": Mixture(imdb=(7, 10), lines=2, dense=2, sparse=1, pairs=2),
    # all kinds together
    "wide": Mixture(imdb=(1, 5), sentences=True, dense=4, sparse=1, pairs=2),
    # the same with the weight on whole reviews
    "settled": Mixture(imdb=(0, 4), lines=3, sparse=1, pairs=2),
    # one line once more, mock praise above all, which the whole reviews wash out
    "brief": Mixture(imdb=(3, 12), mock=2, sparse=8),
    # what turns a verdict, with more and with less of the review around it
    "close": Mixture(imdb=(4, 10), lines=3, short=1, pairs=2),
    # all verdicts of one line, with some of the rest
    "lines": Mixture(imdb=(6, 10), times=2, short=4),
    # reviews turned in haste, where much of the old verdict still stands
    "haste": Mixture(imdb=(2, 8), lines=3, hurried=2, pairs=3),
    # the newest of both, whole reviews and one line
    "last": Mixture(imdb=(5, 10), hurried=1),
}
