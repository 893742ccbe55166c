"""The claims on a visitor's own data: whether confidence follows the stars of their reviews, and
whether shared words fool a model on their pairs.
"""

from collections.abc import Callable
from functools import partial

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.stars import drawn, read_stars
from bertsent.data.task_files import read_bytes_for_task
from bertsent.probing.registry import BUILTIN, shipped
from bertsent.probing.three_tasks.claims import TestedClaim, overlap, scrambled, stars
from bertsent.progress import Progress, part
from bertsent.tasks.catalogue import PARAPHRASE
from bertsent.ui.fine_tune.three_tasks_models import models_of, weights_of
from bertsent.ui.shared import JobRequest, loaded_model, outcome, upload
from bertsent.ui.shared.jobs import session_secret

MOST = 1_000  # rows that are asked
_INCOMPLETE = {"stars": "a text or stars", "pairs": "a text or a label"}
_STARS_HELP = (
    "Columns “text” and “stars” (or “rating”), on any scale. The reviews of IMDb by Maas et al. "
    "(2011, ai.stanford.edu/~amaas/data/sentiment) have 1 to 4 and 7 to 10 stars, in the names of "
    "their files; copies with two labels alone do not say them. The built-in model learned from "
    "some of their training part: their test part is new to it."
)
_PAIRS_HELP = (
    "Columns “text1”, “text2” and “label”: 1 where they say the same, 0 where not. PAWS (Zhang, "
    "Baldridge and He 2019, github.com/google-research-datasets/paws) is made of such pairs that "
    "share their words; its columns “sentence1” and “sentence2” are understood."
)


def ask_own_data(chosen: str) -> list[TestedClaim]:
    """Draw a box for each kind of file; gives back what was found on those that are there.

    Args:
        chosen: the model of three tasks that is asked about pairs.
    """
    st.markdown("**On your own data**")
    left, right = st.columns(2, gap="medium")
    rated: Reviews | None = None
    with left:
        if shipped():
            rated = upload(
                "Reviews with stars",
                read_stars,
                key="three-own-stars",
                incomplete=_INCOMPLETE["stars"],
                help=_STARS_HELP,
            )
    with right:
        pairs: Reviews | None = upload(
            "Pairs with 0 or 1",
            partial(read_bytes_for_task, task=PARAPHRASE),
            key="three-own-pairs",
            incomplete=_INCOMPLETE["pairs"],
            help=_PAIRS_HELP,
        )
    found: list[TestedClaim] = []
    if rated is not None:
        found += _asked(rated, "reviews", loaded_model(BUILTIN).key, _ask_stars)
    if pairs is not None:
        found += _asked(pairs, "pairs", weights_of(chosen), partial(_ask_pairs, chosen))
    return found


def _asked(
    reviews: Reviews,
    what: str,
    weights: str,
    ask: Callable[[Reviews, Progress], list[TestedClaim]],
) -> list[TestedClaim]:
    """What was found on a file, once its work is done; nobody else is shown it."""
    some = drawn(reviews, MOST)
    if len(some) < len(reviews):
        st.caption(f"{MOST:,} of {len(reviews):,} {what}, drawn at random, always the same.")
    key = cache_key("three-own", session_secret(), weights, some.sha256, what)
    title = f"Asking about {len(some):,} {what}"
    request = JobRequest(key, partial(ask, some), title, f"Ask about {len(some):,} {what}")
    found: list[TestedClaim] | None = outcome(request)
    return found or []


def _ask_stars(reviews: Reviews, progress: Progress) -> list[TestedClaim]:
    return [stars(loaded_model(BUILTIN), reviews, progress)]


def _ask_pairs(chosen: str, pairs: Reviews, progress: Progress) -> list[TestedClaim]:
    model = models_of(chosen)[PARAPHRASE.name]
    found = [overlap(model, pairs, part(progress, 0.0, 0.5))]
    if 1 in pairs.labels:
        found.append(scrambled(model, pairs))
    return found
