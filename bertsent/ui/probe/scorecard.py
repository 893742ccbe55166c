"""Scorecard: which expectations a model fails, by capability, beside bags of words, over a run's
checkpoints.
"""

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.figures.failure_rates import failure_rate_chart, failure_rate_history
from bertsent.probing.baselines.bag_of_words import fit_bag_of_words
from bertsent.probing.baselines.pipelines import BAGS_OF_WORDS
from bertsent.probing.checklist.builtin_suite import builtin_suite
from bertsent.probing.checklist.scoring import (
    Scorecard,
    comparison_sentence,
    history,
    score,
)
from bertsent.probing.checklist.suite import EXAMPLE, MOST_CASES, SCHEMA, Suite, read_suite
from bertsent.probing.loaded_model import load_folder
from bertsent.probing.registry import RegisteredModel, find_model, run_models
from bertsent.probing.slices import PAIRS
from bertsent.progress import Progress
from bertsent.space.animation import spread_checkpoints
from bertsent.training.checkpoints import kept_checkpoints
from bertsent.training.runs.run import find_run
from bertsent.ui.probe.others_say_training import setup_of
from bertsent.ui.shared import (
    LINKED,
    JobRequest,
    asking_table,
    choose,
    download_menu,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    outcome,
    show_errors,
    upload,
)
from bertsent.ui.shared.jobs import session_secret
from bertsent.ui.shared.uploads import uploaded

Cards = dict[str, Scorecard]  # by the name of the model
BUILT_IN, OWN = "Built-in suite", "A suite of yours"
MOST_CHECKPOINTS = 8
OVER = ("sarcasm", "sincere", "negation", "contrast", "understatement", PAIRS)
TITLES = {
    "MFT": "MFT: finds the label",
    "INV": "INV: keeps its label when it should",
    "DIR": "DIR: P(positive) moves in the expected direction",
    "ORDER": "ORDER: keeps its label when the words are shuffled (not a merit)",
}
INTERVAL = "of the 95 % interval"
COLUMNS = {
    "failure": st.column_config.NumberColumn("failure rate", format="percent"),
    "low": st.column_config.NumberColumn("from", format="percent", help=INTERVAL),
    "high": st.column_config.NumberColumn("to", format="percent", help=INTERVAL),
    "majority": st.column_config.NumberColumn(
        "majority class",
        format="percent",
        help="Failure rate of always answering the more frequent label",
    ),
    "p_positive": st.column_config.NumberColumn("P(positive)", format="percent"),
    "p_base": st.column_config.NumberColumn("P before the change", format="percent"),
}


def show_scorecard(name: str) -> None:
    """Draw the scorecard of the model of that registry name.

    Raises:
        BertsentError: the model does not answer, or the suite cannot be read.
    """
    suite, salt = _suite()
    if suite is None:
        return
    model = loaded_model(name)

    card = outcome(
        JobRequest(
            f"suite-{cache_key(model.key, model.max_length, suite.sha256, salt)}",
            lambda progress: score(
                suite, model.probabilities(suite.texts, progress=progress)[:, 1]
            ),
            f"Running {len(suite):,} tests",
            "Run the tests",
            18 * len(suite.texts),
        )
    )
    if card is None:
        return
    beside = st.toggle(
        "Beside bags of words",
        key="suite_counted",
        help="BOW + SVM and TF-IDF + LR, trained on the same reviews as in Others say",
        **LINKED,
    )
    cards: Cards = {model.name: card, **(_bags_of_words(name, suite, salt) if beside else {})}
    _show_rates(cards)
    _show_cases(cards)
    with show_errors():
        _show_history(name, suite, salt)


def _suite() -> tuple[Suite | None, str]:
    """The suite, and what keeps work on this session's own apart from others'."""
    if choose("Suite", (BUILT_IN, OWN), "suite_kind") == BUILT_IN:
        return builtin_suite(), ""
    with st.expander("What the file looks like", expanded=not uploaded("suite_file")):
        st.table(pd.Series(SCHEMA, name="what it holds").rename_axis("column").to_frame())
        st.code(EXAMPLE, language=None)
        download_menu(
            "suite_example", None, "suite", files={"This example": ("suite.csv", EXAMPLE.encode)}
        )
    own: Suite | None = upload(
        "A suite as CSV",
        read_suite,
        key="suite_file",
        types=("csv", "tsv"),
        help=f"Up to {MOST_CASES:,} tests. Nobody else sees it.",
    )
    tests = f"{own.name}, {len(own):,} tests." if own else "The scorecard appears here."
    st.caption(escape_markdown(tests))
    return own, session_secret()


def _bags_of_words(name: str, suite: Suite, salt: str) -> Cards:
    reviews = setup_of(name).trainer.reviews

    def work(progress: Progress) -> Cards:
        found: Cards = {}
        for number, each in enumerate(BAGS_OF_WORDS, start=1):
            found[each] = score(suite, fit_bag_of_words(each, reviews).p_positive(suite.texts))
            progress(number / len(BAGS_OF_WORDS))
        return found

    request = JobRequest(
        f"suite-counted-{cache_key(reviews.sha256, suite.sha256, salt)}",
        work,
        "Training the bags of words",
        "Train the bags of words",
        10_000,
    )
    return outcome(request) or {}


def _show_rates(cards: Cards) -> None:
    table = pd.concat(
        [card.table().assign(model=name) for name, card in cards.items()], ignore_index=True
    )
    name, first = next(iter(cards.items()))
    st.caption(escape_markdown(f"{first.sentence(name)} {comparison_sentence(cards)}".strip()))
    drawn = {kind: rows for kind, rows in table.groupby("kind", sort=False)}
    for kind, rows in drawn.items():
        st.altair_chart(
            failure_rate_chart(rows, TITLES[kind]),
            key=f"suite-chart-{kind}",
            alt=f"Failure rates. {TITLES[kind]}",
        )
    columns = ["model", *(column for column in table if column != "model")]
    st.dataframe(table[columns], hide_index=True, key="suite_table", column_config=COLUMNS)
    cases = pd.concat(
        [card.rows().assign(model=name) for name, card in cards.items()], ignore_index=True
    )
    downloads_and_help(
        "scorecard",
        lambda: [failure_rate_chart(rows, TITLES[kind]) for kind, rows in drawn.items()],
        "scorecard",
        ("probe", "scorecard"),
        tables={"Rates": table, "Tests": cases},
    )


def _show_cases(cards: Cards) -> None:
    st.markdown("**Test by test**")
    left, middle, right = st.columns([2, 2, 1], gap="medium", vertical_alignment="bottom")
    rows = cards[left.selectbox("Model", list(cards), key="suite_who")].rows()
    capability = middle.selectbox(
        "Capability", ["all", *dict.fromkeys(rows["capability"])], key="suite_capability"
    )
    failed = right.toggle("Only failures", value=True, key="suite_failed")
    rows = rows[(rows["capability"] == capability) | (capability == "all")]
    rows = rows[~rows["passed"]] if failed else rows
    st.caption(f"{len(rows):,} tests. Select a row to ask about it.")
    asking_table(rows, "suite_items", column_config=COLUMNS, height=300)


def _show_history(name: str, suite: Suite, salt: str) -> None:
    models = _checkpoints(name)
    if len(models) < 2:
        return
    st.markdown("**Over the checkpoints of the run**")

    def work(progress: Progress) -> pd.DataFrame:
        opened = (
            (model.step or 0, lambda model=model: load_folder(model.folder)) for model in models
        )
        return history(suite, opened, len(models), progress=progress)

    kept = [(model.name, model.folder.stat().st_mtime) for model in models]
    found = outcome(
        JobRequest(
            f"suite-history-{cache_key(kept, suite.sha256, salt)}",
            work,
            f"Testing {len(models)} checkpoints",
            "Test every checkpoint",
            18 * len(suite.texts) * len(models) + 60_000,  # never without being asked
        )
    )
    if found is None:
        return
    names = list(dict.fromkeys(found["capability"]))
    usual = [each for each in OVER if each in names] or names[:6]
    shown = st.multiselect("Capabilities", names, usual, key="suite_over") or usual
    st.altair_chart(
        failure_rate_history(found, shown),
        key="suite_history",
        alt="Failure rates over the checkpoints of the run",
    )
    download_menu(
        "scorecard-history",
        lambda: [failure_rate_history(found, shown)],
        "scorecard-history",
        tables={"Rates": found},
    )


def _checkpoints(name: str) -> list[RegisteredModel]:
    """At most ``MOST_CHECKPOINTS`` of the run behind that name, evenly spread from the first to the
    newest, oldest first.
    """
    model = find_model(name, folders=False)
    if not model.run:
        return []
    run = find_run(model.run)
    kept = set(kept_checkpoints(run.checkpoints))
    found = [each for each in reversed(run_models(run)) if each.folder in kept]
    few = set(spread_checkpoints([each.folder for each in found], MOST_CHECKPOINTS))
    return [each for each in found if each.folder in few]
