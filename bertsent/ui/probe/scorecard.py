"""The scorecard: which expectations a model fails, by capability, beside counted words, over a
run's checkpoints.
"""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.errors import BertsentError
from bertsent.probing.registry import RegisteredModel, find_model
from bertsent.probing.slices import PAIRS
from bertsent.training.checkpoints import kept_checkpoints
from bertsent.training.runs.run import find_run
from bertsent.ui.shared.downloads import altair_files, download_menu
from bertsent.ui.shared.errors import escape_markdown, show_error, show_errors
from bertsent.ui.shared.jobs import JobRequest, outcome, session_secret
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.shared.review_bar import ask_about

if TYPE_CHECKING:
    from bertsent.probing.checklist.scoring import Scorecard
    from bertsent.probing.checklist.suite import Suite

BUILT_IN, OWN = "Built-in suite", "A suite of yours"
MOST_CHECKPOINTS = 8
OVER = ("sarcasm", "sincere", "negation", "contrast", "understatement", "pairs, both right")
_KINDS = {
    "MFT": "Finds the label",
    "INV": "Keeps its label when it should",
    "DIR": "Moves the right way",
    "ORDER": "Words shuffled: keeps its label (only who does not read the order always does)",
}
_COLUMNS = {
    "failure": st.column_config.NumberColumn("failure rate", format="percent"),
    "low": st.column_config.NumberColumn(
        "from", format="percent", help="95 % interval (Wilson 1927)"
    ),
    "high": st.column_config.NumberColumn(
        "to", format="percent", help="95 % interval (Wilson 1927)"
    ),
    "p_positive": st.column_config.NumberColumn("P(positive)", format="percent"),
    "p_base": st.column_config.NumberColumn("P before the change", format="percent"),
}
_HOW = """
After CheckList (Ribeiro, Wu, Guestrin and Singh 2020, “Beyond Accuracy”).

- **MFT**: the test reviews of the built-in set by phenomenon. It fails when the label is wrong. *Pairs, both right* counts the minimal
  pairs whose two sides are both right (Gardner et al. 2020).
- **INV**: a change that does not matter (a typo, a contraction, capitals, a neutral sentence, other names). It fails when the label turns.
- **DIR**: praise or blame is added at the end. It fails when P(positive) does not move that way, unless it was over 95 % on that side
  and stays there.
- **ORDER** is no virtue: a model that only counts words passes all of it.

Intervals are Wilson's (1927) at 95 %.
"""


def show_scorecard(name: str) -> None:
    """Draw the scorecard of the model of that registry name.

    Raises:
        BertsentError: the model does not answer, or the suite cannot be read.
    """
    suite, own = _suite()
    if suite is None:
        return
    model = loaded_model(name)
    salt = session_secret() if own else ""

    def work(progress):  # noqa: ANN001, ANN202
        from bertsent.probing.checklist.scoring import probabilities_of_model, score

        return score(suite, probabilities_of_model(model), progress=progress)

    from bertsent.data.cache import cache_key

    key = f"suite-{cache_key(model.key, model.max_length, suite.sha256, salt)}"
    card = outcome(
        JobRequest(key, work, f"Judging by {len(suite):,} tests", "Judge it", 18 * len(suite.texts))
    )
    if card is None:
        return
    cards = {model.name: card, **(_counted(name, suite, salt) if _wants_counted() else {})}
    _shown(cards)
    _items(cards)
    with show_errors():
        _over_checkpoints(name, suite, salt)
    with st.expander("How is this computed?"):
        st.markdown(_HOW)


def _suite() -> "tuple[Suite | None, bool]":
    """The suite that is judged by, and whether it is this session's own."""
    from bertsent.probing.checklist.builtin_suite import builtin_suite
    from bertsent.probing.checklist.suite_file import EXAMPLE, SCHEMA, read_suite

    kind = st.segmented_control(
        "Suite",
        [BUILT_IN, OWN],
        default=BUILT_IN,
        required=True,
        key="suite_kind",
        bind="query-params",
        persist_state="session",
    )
    if kind == BUILT_IN:
        return builtin_suite(), False
    with st.expander("What the file looks like", expanded="suite_own" not in st.session_state):
        st.table(
            pd.DataFrame({"column": SCHEMA.keys(), "what it holds": SCHEMA.values()}).set_index(
                "column"
            )
        )
        st.code(EXAMPLE, language=None)
        st.download_button(
            "This example as a file",
            EXAMPLE,
            "suite.csv",
            "text/csv",
            key="suite_example",
            on_click="ignore",
        )
    file = st.file_uploader(
        "A suite as CSV",
        type=["csv", "tsv"],
        key="suite_file",
        help="Up to 5,000 tests. Nobody else sees it.",
    )
    if file is not None and st.session_state.get("suite_file_id") != file.file_id:
        st.session_state["suite_file_id"] = file.file_id
        st.session_state.pop("suite_error", None)
        try:
            st.session_state["suite_own"] = read_suite(file.getvalue(), file.name)
        except BertsentError as error:
            st.session_state["suite_error"] = error
    if file is not None and (error := st.session_state.get("suite_error")):
        show_error(error)
    found = st.session_state.get("suite_own")
    st.caption(
        escape_markdown(f"In use: {found.name}, {len(found):,} tests.")
        if found
        else "The scorecard will be here, as soon as there is a file."
    )
    return found, True


def _wants_counted() -> bool:
    return st.toggle(
        "Beside counted words",
        key="suite_counted",
        bind="query-params",
        persist_state="session",
        help="BOW + SVM and TF-IDF + logistic regression, trained on the same reviews as in Others "
        "say.",
    )


def _counted(name: str, suite: "Suite", salt: str) -> "dict[str, Scorecard]":
    """The scorecards of the two word counters, trained once for everybody."""
    from bertsent.data.cache import cache_key
    from bertsent.probing.baselines.pipelines import BAG_OF_WORDS_PIPELINES
    from bertsent.ui.probe.others_say_training import setup_of

    reviews = setup_of(name).trainer.reviews

    def work(progress):  # noqa: ANN001, ANN202
        from bertsent.probing.baselines.bag_of_words import fit_bag_of_words
        from bertsent.probing.checklist.scoring import probabilities_of_classifier, score

        found = {}
        for number, each in enumerate(BAG_OF_WORDS_PIPELINES, start=1):
            found[each] = score(
                suite, probabilities_of_classifier(fit_bag_of_words(each, reviews).p_positive)
            )
            progress(number / len(BAG_OF_WORDS_PIPELINES))
        return found

    key = f"suite-counted-{cache_key(reviews.sha256, suite.sha256, salt)}"
    return outcome(JobRequest(key, work, "Counting words", "Count words", 10_000)) or {}


def _shown(cards: "dict[str, Scorecard]") -> None:
    from bertsent.figures.failure_rates import failure_rate_chart

    tables = {who: card.table() for who, card in cards.items()}
    whole = pd.concat([table.assign(model=who) for who, table in tables.items()], ignore_index=True)
    first = next(iter(tables.values()))
    st.caption(escape_markdown(sentence(first, next(iter(cards)))))
    drawn = {kind: whole[whole["kind"] == kind] for kind in first["kind"].unique()}
    for kind, rows in drawn.items():
        st.altair_chart(
            failure_rate_chart(rows, _KINDS[kind]),
            key=f"suite-chart-{kind}",
            alt=f"Failure rates, {_KINDS[kind].lower()}",
        )
    st.dataframe(
        whole[["model", *first.columns]], hide_index=True, key="suite_table", column_config=_COLUMNS
    )
    items = pd.concat(
        [card.rows().assign(model=who) for who, card in cards.items()], ignore_index=True
    )
    download_menu(
        "scorecard",
        altair_files(
            lambda: [failure_rate_chart(rows, _KINDS[kind]) for kind, rows in drawn.items()]
        ),
        "scorecard",
        tables={"Rates": whole, "Tests": items},
    )


def sentence(table: pd.DataFrame, who: str) -> str:
    """Where it fails most and least, and whether it reads the order of words."""
    counted = table[
        (table["kind"] != "ORDER") & (table["n"] >= 10) & (table["capability"] != PAIRS)
    ]
    counted = counted if len(counted) else table
    worst, best = counted.loc[counted["failure"].idxmax()], counted.loc[counted["failure"].idxmin()]
    said = [
        f"{who} fails {_rate(worst)} and {_rate(best)}."
        if len(counted) > 1
        else f"{who} fails {_rate(worst)}."
    ]
    order = table[table["kind"] == "ORDER"]
    if len(order):
        changed, total = int(order["failed"].sum()), int(order["n"].sum())
        reads = "so it reads their order" if changed else "so it may be blind to their order"
        said.append(f"When words are shuffled, {changed} of {total} answers change, {reads}.")
    return " ".join(said)


def _rate(row: pd.Series) -> str:
    return (
        f"{row['failed']} of {row['n']} of “{row['capability']}” ({row['failure']:.1%}, "
        f"{row['low']:.1%} to {row['high']:.1%})"
    )


def _items(cards: "dict[str, Scorecard]") -> None:
    """The tests one by one; a chosen one can be asked about."""
    st.markdown("**Test by test**")
    left, middle, right = st.columns([2, 2, 1], gap="medium", vertical_alignment="bottom")
    who = left.selectbox("Model", list(cards), key="suite_who")
    rows = cards[who].rows()
    capability = middle.selectbox(
        "Capability", ["all", *dict.fromkeys(rows["capability"])], key="suite_capability"
    )
    failed = right.toggle("Only failures", value=True, key="suite_failed")
    rows = rows[(rows["capability"] == capability) | (capability == "all")]
    rows = rows[~rows["passed"]] if failed else rows
    st.caption(f"{len(rows):,} tests. Select a row to ask about it.")
    chosen = st.dataframe(
        rows,
        hide_index=True,
        key="suite_items",
        on_select="rerun",
        selection_mode="single-row",
        column_config=_COLUMNS,
        height=300,
    ).selection.rows
    if chosen and chosen[0] < len(rows):
        text = rows["text"].iloc[chosen[0]]
        st.text(text)
        ask_about(text, "suite_take")


def _over_checkpoints(name: str, suite: "Suite", salt: str) -> None:
    """The same suite over the checkpoints of the run that answers."""
    models = _checkpoints(name)
    if len(models) < 2:
        return
    st.markdown("**Over the checkpoints of the run**")

    def work(progress):  # noqa: ANN001, ANN202
        from bertsent.probing.checklist.scoring import history, probabilities_of_model
        from bertsent.probing.loaded_model import load_folder

        opened = (
            (model.step, lambda model=model: probabilities_of_model(load_folder(model.folder)))
            for model in models
        )
        return history(suite, opened, len(models), progress=progress)

    from bertsent.data.cache import cache_key

    key = f"suite-history-{cache_key([model.name for model in models], suite.sha256, salt)}"
    tokens = 18 * len(suite.texts) * len(models) + 60_000  # never without being asked
    found = outcome(
        JobRequest(
            key, work, f"Judging {len(models)} checkpoints", "Judge every checkpoint", tokens
        )
    )
    if found is None:
        return
    from bertsent.figures.failure_rates import failure_rate_history

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
        altair_files(lambda: [failure_rate_history(found, shown)]),
        "scorecard-history",
        tables={"Rates": found},
    )


def _checkpoints(name: str) -> list[RegisteredModel]:
    """At most ``MOST_CHECKPOINTS`` of the run behind that name, the first and the newest among
    them, oldest first.
    """
    model = find_model(name, folders=False)
    if not model.run:
        return []
    from bertsent.probing.registry import run_models

    run = find_run(model.run)
    stay = set(kept_checkpoints(run.checkpoints))
    found = [each for each in reversed(run_models(run)) if each.folder in stay]
    if len(found) <= MOST_CHECKPOINTS:
        return found
    last = MOST_CHECKPOINTS - 1
    return [found[round(i * (len(found) - 1) / last)] for i in range(MOST_CHECKPOINTS)]
