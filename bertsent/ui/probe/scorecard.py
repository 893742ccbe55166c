"""Scorecard: which expectations a model fails, by capability, beside bags of words, over a run's
checkpoints, and how its answers differ between groups of people.
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
    expectations,
    history,
    score,
    summary_table,
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
from bertsent.ui.probe.subgroups import show_subgroups
from bertsent.ui.shared import (
    LINKED,
    JobRequest,
    altair_chart,
    asking_table,
    choose,
    choosing_table,
    download_menu,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    outcome,
    result,
    settings,
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
    "p_positive": st.column_config.NumberColumn("P(positive)", format="%.1f %%"),
    "text": st.column_config.TextColumn("text", width="medium"),
    "expected": st.column_config.TextColumn("expected"),
}
SUMMARY = {
    "kind": st.column_config.TextColumn(
        "test",
        help="MFT: minimum functionality test, finds the label. INV: invariance, keeps its label. "
        "DIR: direction, P(positive) moves the right way. ORDER: shuffled words.",
    ),
    "interval": st.column_config.TextColumn("95 % interval", width="small"),
    "n": st.column_config.NumberColumn("tests", width="small"),
    "majority": st.column_config.NumberColumn(
        "majority",
        format="%.1f %%",
        width="small",
        help="Failure rate of always answering the more frequent label",
    ),
}
ALL = "all"  # capabilities
TALL, LINES = 480, 66  # pixels of the table of rates, and of a test: three lines of its text
FAILS = {
    "MFT": "MFT: a test fails when the label is wrong.",
    "INV": "INV: a change that must not matter; the test fails when the label changes.",
    "DIR": "DIR: praise or blame was added; the test fails when P(positive) does not follow.",
    "ORDER": "ORDER: the words were shuffled; the test fails when the label changes, which is no "
    "fault.",
}


def show_scorecard(name: str) -> None:
    """Draw the scorecard of the model of that registry name.

    Raises:
        BertsentError: the model does not answer, or the suite cannot be read.
    """
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        beside = st.toggle(
            "Beside bags of words",
            key="suite_counted",
            help="BOW + SVM and TF-IDF + LR, trained on the same reviews as in Others say",
            **LINKED,
        )
        with settings():
            kind = choose("Suite", (BUILT_IN, OWN), "suite_kind")
    with result("scorecard"):
        suite, salt = (
            (builtin_suite(), "") if kind == BUILT_IN else (_own_suite(), session_secret())
        )
        cards = _cards(name, suite, salt, beside=beside) if suite else {}
        if suite is None or not cards:
            return
        card, model = cards[next(iter(cards))], next(iter(cards))
        st.caption(escape_markdown(f"{card.sentence(model)} {comparison_sentence(cards)}".strip()))
        left, right = st.columns([3, 2], gap="medium")
        with left:
            _show_summary(cards)
        with right:
            _show_cases(cards)
    _show_rates(cards)
    with show_errors():
        _show_history(name, suite, salt)
    with show_errors():
        show_subgroups(name)


def _cards(name: str, suite: Suite, salt: str, *, beside: bool) -> Cards:
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
        return {}
    return {model.name: card, **(_bags_of_words(name, suite, salt) if beside else {})}


def _own_suite() -> Suite | None:
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
    return own


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


def _show_summary(cards: Cards) -> None:
    """One row a capability; one that is clicked has its tests shown beside."""
    table = summary_table(cards)
    rates = {
        name: st.column_config.ProgressColumn(
            name if len(cards) > 1 else "failure rate",
            format="%.1f %%",
            min_value=0,
            max_value=100,
            help=f"Share of the tests that {name} fails",
        )
        for name in cards
    }
    choosing_table(
        table[["capability", "kind", *cards, "interval", "n", "majority"]],
        "suite_rates",
        list(zip(table["capability"], table["kind"], strict=True)),
        _choose_capability,
        height=TALL,
        column_config={**rates, **SUMMARY},
    )


def _choose_capability(chosen: tuple[str, str]) -> None:
    name, _ = chosen  # the two sides of pairs belong to many capabilities
    st.session_state["suite_capability"] = ALL if name == PAIRS else name


def _show_cases(cards: Cards) -> None:
    """The tests of one capability, at first of the one with the most failures."""
    rates = next(iter(cards.values())).table()
    names = list(dict.fromkeys(rates["capability"].where(rates["capability"] != PAIRS).dropna()))
    if st.session_state.get("suite_capability") not in (ALL, *names):
        worst = rates[rates["capability"].isin(names)].sort_values("failed").iloc[-1]
        st.session_state["suite_capability"] = worst["capability"]
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        capability = st.selectbox(
            "Capability", [ALL, *names], key="suite_capability", label_visibility="collapsed"
        )
        failed = st.toggle("Only failures", value=True, key="suite_failed")
    who = next(iter(cards))
    if len(cards) > 1:
        who = st.selectbox("Model", list(cards), key="suite_who", label_visibility="collapsed")
    rows = cards[who].rows()
    rows = rows[(rows["capability"] == capability) | (capability == ALL)]
    fails = " ".join(FAILS[kind] for kind in dict.fromkeys(rows["kind"]))
    rows = rows[~rows["passed"]] if failed else rows
    st.caption(escape_markdown(f"{len(rows):,} {'failing ' if failed else ''}tests. {fails}"))
    shown = rows.assign(expected=expectations(rows), p_positive=100 * rows["p_positive"])
    asking_table(
        shown[["text", "p_positive", "expected"]],
        "suite_items",
        column_config=COLUMNS,
        height=TALL - 90,
        row_height=LINES,
    )


def _show_rates(cards: Cards) -> None:
    table = pd.concat(
        [card.table().assign(model=name) for name, card in cards.items()], ignore_index=True
    )
    drawn = {kind: rows for kind, rows in table.groupby("kind", sort=False)}
    cases = pd.concat(
        [card.rows().assign(model=name) for name, card in cards.items()], ignore_index=True
    )
    downloads_and_help(
        "scorecard",
        lambda: [failure_rate_chart(rows, TITLES[kind]) for kind, rows in drawn.items()],
        "scorecard",
        ("probe", "scorecard"),
        tables={"Rates": table, "Tests": cases},
        finding=_rates_sentence(cards),
    )
    with st.expander("Failure rates with their intervals"):
        for kind, rows in drawn.items():
            altair_chart(
                failure_rate_chart(rows, TITLES[kind]),
                key=f"suite-chart-{kind}",
                alt=f"Failure rates. {TITLES[kind]}",
            )
        columns = ["model", *(column for column in table if column != "model")]
        st.dataframe(table[columns], hide_index=True, key="suite_table", column_config=COLUMNS)


def _rates_sentence(cards: Cards) -> str:
    """How many tests each model fails, in all."""
    passed = {name: card.rows()["passed"] for name, card in cards.items()}
    return " ".join(f"{n} fails {(~p).sum():,} of {len(p):,} tests." for n, p in passed.items())


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
    altair_chart(
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
