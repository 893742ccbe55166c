"""A/B runs of the Compare tab: the curves of both arms, whether they differ, reports beside the
published ones, slices, and the reviews whose answer changed.
"""

import hashlib
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.examples import Reviews, Splits
from bertsent.data.paired_splits import held_out
from bertsent.figures.paired_runs import paired_run_curves, slice_intervals
from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.ab_comparison import (
    BROKEN,
    CORRECTED,
    ABComparison,
    answers_of_models,
    changed_answers,
    compare_arms,
    compare_arms_by_slice,
    slice_table,
)
from bertsent.probing.registry import find_model
from bertsent.statistics import majority_class_sentence
from bertsent.training.groups.ab import ArmPair, arm_pairs
from bertsent.training.groups.published import PUBLISHED, SLIPS, PublishedRun
from bertsent.training.groups.run_group import ARMS, MemberState, RunGroup
from bertsent.training.runs.epoch_table import epoch_lines, epoch_rows
from bertsent.training.runs.report import evaluation_report
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune.run_data import created
from bertsent.ui.fine_tune.run_report import confusion_chart
from bertsent.ui.shared.downloads import altair_files, download_menu
from bertsent.ui.shared.errors import escape_markdown, show_errors
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.jobs import JobRequest, outcome
from bertsent.ui.shared.live_runs import run_reader

CHANGE, SIGNIFICANT = "change", "significant"  # columns
Answers = tuple[np.ndarray, np.ndarray]  # P(positive) without and with, (S, n) each

VALIDATION, TEST = "validation reviews", "built-in test reviews"
# two reports fit side by side, and a whole line of the log fits beside the menu
_SMALL = (
    "<style>.st-key-ab-reports pre, .st-key-ab-epochs pre {font-size: 0.68rem; padding: 0.6rem} "
    ".st-key-ab-reports pre code, .st-key-ab-epochs pre code {font-size: inherit}</style>"
)
_PERCENT, _POINTS = (st.column_config.NumberColumn(format=form) for form in ("%.1f %%", "%+.1f"))
_DIFFERENCES = dict.fromkeys(("without", "with"), _PERCENT) | dict.fromkeys(
    ("difference", "low", "high"), _POINTS
)


ALT = {
    "loss": "Training loss of both arms by epoch",
    "val_loss": "Validation loss of both arms by epoch",
    "accuracy": "Training accuracy of both arms by epoch",
    "val_accuracy": "Validation accuracy of both arms by epoch",
}
_COLUMNS = {
    "validation accuracy": st.column_config.NumberColumn(format="%.1f %%"),
    "progress": st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="percent"),
}


def ab_progress(group: RunGroup, states: list[MemberState]) -> None:
    """Draw the table and the curves as they stand."""
    st.dataframe(
        _table(states), hide_index=True, key=f"ab-table-{group.name}", column_config=_COLUMNS
    )
    shown = st.checkbox(
        "Show the published figures", group.source == "toy", key=f"ab-published-{group.name}"
    )
    printed = None
    if shown:
        printed = pd.concat([run.rows().assign(arm=arm) for arm, run in PUBLISHED.items()])
        printed = printed[printed["epoch"] <= group.epochs]
    charts = paired_run_curves(curve_rows(states), epochs=group.epochs, published=printed)
    left, right = st.columns(2, gap="medium")
    for measure, place in zip(charts, (left, right, left, right), strict=True):
        place.altair_chart(
            charts[measure], width="stretch", key=f"ab-{measure}-{group.name}", alt=ALT[measure]
        )
    words = "The grey line marks guessing. Epoch 0 is the untrained head."
    if shown:
        words = f"Dashed lines with open marks: the published runs, on other data. {words}"
    if len(group.seeds) > 1:
        words = f"Thick line: mean of the seeds; band: lowest to highest. {words}"
    st.caption(words)


def curve_rows(states: list[MemberState]) -> pd.DataFrame:
    """One row per epoch and run, with arm and seed."""
    frames = [
        epoch_rows(state.history).assign(arm=state.member.arm, seed=state.member.seed)
        for state in states
    ]
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled, ignore_index=True) if filled else frames[0]


def _table(states: list[MemberState]) -> pd.DataFrame:
    rows = []
    for state in states:
        history, status = state.history, state.status
        last = history.evaluations[-1] if history.evaluations else None
        asked = f", asked to {status.requested}" if status.live and status.requested else ""
        rows.append(
            {
                "arm": state.member.arm,
                "seed": state.member.seed,
                "run": state.run.id,
                "state": f"{status.state}{asked}",
                "progress": history.step / history.started.total_steps if history.started else 0.0,
                "validation accuracy": 100 * last.accuracy if last else None,
            }
        )
    return pd.DataFrame(rows)


def ab_answers(group: RunGroup, states: Sequence[MemberState]) -> None:
    """Draw the comparison of the seeds whose two runs have an epoch in common."""
    pairs = arm_pairs(states)
    if not pairs:
        st.caption("The comparison appears here once both runs of a seed have finished an epoch.")
        return
    reviews = _splits(pairs[0].runs[0]).validation
    unseen = held_out(_splits(pairs[0].runs[1]))
    answers = _differences(pairs, reviews, unseen)
    place = _choose_seed(pairs)
    pair = pairs[place]
    if pair.epoch < group.epochs:
        st.caption(
            f"Compared after epoch {pair.epoch} of {group.epochs}: the last one that both runs "
            "have finished."
        )
    st.html(_SMALL)
    with st.container(key="ab-reports"):
        _reports(reviews, pair)
    _sentinels(states)
    if TEST in answers:
        _slices(unseen, answers[TEST], place)
    _changed({VALIDATION: reviews, TEST: unseen}, answers, pairs)
    _epochs(states, pair, group)


def _differences(pairs: list[ArmPair], reviews: Reviews, unseen: Reviews) -> dict[str, Answers]:
    """Say whether the arms differ; gives back the answers to each set of reviews that are there."""
    answers = {VALIDATION: _stack([pair.answers for pair in pairs])}
    st.subheader("Without and with contrastive reviews", anchor=False)
    asked = st.container()
    found = compare_arms(reviews, *answers[VALIDATION])
    baseline = majority_class_sentence(reviews.labels)
    st.markdown(escape_markdown(f"{found.sentence(VALIDATION)} {baseline}"))
    with asked, show_errors():
        test_answers = _test_answers(pairs, unseen)
        if test_answers is not None:
            answers[TEST] = test_answers
            shown = compare_arms(unseen, *test_answers)
            st.markdown(f"**{escape_markdown(shown.sentence(TEST))}**")
            st.caption(f"{_counts(shown)} {majority_class_sentence(unseen.labels)}")
    show_help("fine_tune", "ab_comparison")
    return answers


def _choose_seed(pairs: list[ArmPair]) -> int:
    seeds = [pair.seed for pair in pairs]
    if len(seeds) == 1:
        return 0
    seed = st.segmented_control(
        "Seed shown below", seeds, default=seeds[0], key="ab-seed", required=True
    )
    return seeds.index(seed) if seed in seeds else 0


def _stack(answers: Sequence[Answers]) -> Answers:
    without, having = zip(*answers, strict=True)
    return np.stack(without), np.stack(having)


def _splits(run: Run) -> Splits:
    return _read(str(run.folder), created(run), run)


@st.cache_resource(max_entries=8, show_spinner="Reading the reviews …")
def _read(folder: str, created: int, _run: Run) -> Splits:
    return _run.splits()


def _test_answers(pairs: list[ArmPair], unseen: Reviews) -> Answers | None:
    """Both arms' answers to the held-out reviews, (S, n) each; None while the models are being
    asked.
    """
    models = [find_model(name, folders=False) for pair in pairs for name in pair.models]
    hashes = [weights_hash(model.folder / WEIGHTS) for model in models]
    key = hashlib.sha256(" ".join([*hashes, unseen.sha256]).encode()).hexdigest()[:24]
    work = partial(answers_of_models, [model.name for model in models], unseen.texts)
    title = f"Asking {len(models)} models about {len(unseen):,} {TEST}"
    found = outcome(JobRequest(f"ab-answers-{key}", work, title, "Ask them", unasked=True))
    return None if found is None else _stack(list(zip(found[0::2], found[1::2], strict=True)))


def _counts(found: ABComparison) -> str:
    seeds = f" over {len(found.by_seed)} seeds" if len(found.by_seed) > 1 else ""
    return (
        f"{found.corrected:,} answers corrected, {found.broken:,} broken{seeds}; McNemar's exact p "
        f"= {found.p_value:.2g}, each review and each minimal pair counted once."
    )


def _reports(reviews: Reviews, pair: ArmPair) -> None:
    for place, arm, p in zip(st.columns(2, gap="medium"), ARMS, pair.answers, strict=True):
        found = evaluation_report(reviews, p)
        with place:
            st.markdown(
                f"**These runs, {arm}** · seed {pair.seed}, {found.rows:,} validation reviews"
            )
            st.code(found.text, language=None)
            confusion_chart(found, f"ab-matrix-{arm}", f"ab-{arm}-confusion", arm)
    published_pair()


def _sentinels(states: Sequence[MemberState]) -> None:
    """P(positive) of the sentinels at the end, by arm; the published model without contrastive
    reviews failed on the first.
    """
    rows = [
        (text, state.member.arm, p)
        for state in states
        if state.history.sentinels
        for text, p in state.history.sentinels[-1].scores.items()
    ]
    if not rows:
        return
    table = pd.DataFrame(rows, columns=["sentence", "arm", "p"])
    table = table.pivot_table(index="sentence", columns="arm", values="p", sort=False)
    table = table.reindex(columns=list(ARMS)).reset_index()
    st.markdown(
        "**P(positive) of the sentinels** · mean of the seeds; without contrastive reviews the "
        "published model failed on the first"
    )
    columns = {
        str(arm): st.column_config.NumberColumn(f"{arm}, P(positive)", format="%.1f %%")
        for arm in ARMS
    }
    st.dataframe(_percent(table, ARMS), hide_index=True, key="ab-sentinels", column_config=columns)


def _slices(reviews: Reviews, answers: Answers, place: int) -> None:
    table = slice_table(
        reviews, {arm: each[place] for arm, each in zip(ARMS, answers, strict=True)}
    )
    st.markdown(f"**By phenomenon** · {len(reviews):,} {TEST}, in neither arm")
    left, right = st.columns([3, 4], gap="medium")
    with left:
        st.altair_chart(
            slice_intervals(table),
            width="stretch",
            key="ab-slices",
            alt="Accuracy of both arms by phenomenon with intervals",
        )
    differences = compare_arms_by_slice(reviews, *answers)
    with right:
        st.dataframe(
            _percent(differences.drop(columns=SIGNIFICANT), _DIFFERENCES),
            hide_index=True,
            height="content",
            key="ab-differences",
            column_config=_DIFFERENCES,
        )
        clear = differences[differences[SIGNIFICANT] & (differences["slice"] != "all")]
        named = ", ".join(clear["slice"]) or "no slice"
        st.caption(
            escape_markdown(
                "Differences are means over all seeds in points, with 95 % intervals over the "
                f"reviews. The difference is significant on {named}."
            )
        )
        charts = altair_files(lambda: [slice_intervals(table)])
        tables = {"Slices": table, "Differences": differences}
        download_menu("ab-slices", charts, "ab-slices", tables=tables)


def _changed(
    reviews: dict[str, Reviews], answers: dict[str, Answers], pairs: list[ArmPair]
) -> None:
    st.markdown("**Reviews whose answer differs between the arms**")
    of = VALIDATION
    if len(answers) > 1:
        of = st.segmented_control(
            "Among", [TEST, VALIDATION], default=TEST, key="ab-changed-of", required=True
        )
    without, having = answers[of]
    tables = [
        changed_answers(reviews[of], one, other, pair.seed)
        for pair, one, other in zip(pairs, without, having, strict=True)
    ]
    table = pd.concat(tables, ignore_index=True)
    if not len(table):
        st.caption(f"None of the {len(reviews[of]):,} {of}.")
        return
    counts = table[CHANGE].value_counts()
    corrected, broken = (counts.get(word, 0) for word in (CORRECTED, BROKEN))
    st.caption(f"{len(table):,} answers: {corrected:,} corrected, {broken:,} broken.")
    columns = {
        "text": st.column_config.TextColumn(width="large"),
        "p_without": _PERCENT,
        "p_with": _PERCENT,
    }
    first = ["text", "true", "p_without", "p_with", CHANGE]
    st.dataframe(
        _percent(table, ("p_without", "p_with")),
        hide_index=True,
        height=300,
        key=f"ab-changed-{of}",
        column_config=columns,
        column_order=[*first, "phenomenon", "without", "with", "seed", "id"],
    )
    download_menu("ab-changed", None, "ab-changed-answers", tables={"Changed answers": table})


def _percent(table: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    return table.assign(**{column: 100 * table[column] for column in columns})


def _epochs(states: Sequence[MemberState], pair: ArmPair, group: RunGroup) -> None:
    st.markdown("**Epoch by epoch, these runs and the published ones**")
    histories = {
        state.member.arm: run_reader(state.run).look()[0]
        for state in states
        if state.member.seed == pair.seed
    }
    with st.container(key="ab-epochs"):
        for arm in ARMS:
            printed = PUBLISHED[arm]
            st.caption(f"These runs, {arm}, seed {pair.seed}")
            st.code(epoch_lines(epoch_rows(histories[arm]), group.epochs), language=None)
            sic = "; (sic): not possible with 13 reviews" if printed.sic else ""
            st.caption(f"Published: {printed.title}{sic}")
            marks = [(epoch, "(sic)") for epoch in printed.sic]
            lines = epoch_lines(printed.rows(), len(printed.epochs), marks)
            st.code(lines, language=None)


def published_pair() -> None:
    """The published reports without and with contrastive reviews."""
    for place, printed in zip(st.columns(2, gap="medium"), PUBLISHED.values(), strict=True):
        with place:
            _published_report(printed)
    with st.popover("Errors in the published figures"):
        st.markdown("\n".join(f"- {escape_markdown(slip)}" for slip in SLIPS))


def _published_report(printed: PublishedRun) -> None:
    st.markdown(f"**Published** · {printed.title}, {printed.validation_rows} validation reviews")
    st.code(printed.report, language=None)
    negative = printed.matrix[0][0] / sum(printed.matrix[0])
    st.caption(
        "For reference, on toy data, not measured here. Implied confusion matrix "
        f"{list(map(list, printed.matrix))}: {printed.right} of {printed.validation_rows} right, "
        f"{negative:.0%} of the negative ones. Always answering the more frequent label: "
        f"{max(map(sum, printed.matrix)) / printed.validation_rows:.0%}."
    )
