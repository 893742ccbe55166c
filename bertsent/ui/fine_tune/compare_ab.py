"""A/B runs of the Compare tab: the curves of both arms, whether they differ, reports beside the
published ones, slices, and the reviews whose answer changed.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.paired_splits import held_out
from bertsent.figures.paired_runs import TITLES, paired_run_curves, slice_intervals
from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.ab_comparison import (
    BROKEN,
    CORRECTED,
    answers_of_models,
    changed_answers,
    compare_arms,
    compare_arms_by_slice,
    slice_table,
)
from bertsent.probing.registry import find_model
from bertsent.statistics import majority_class_sentence
from bertsent.training.groups.ab import ArmPair, arm_pairs
from bertsent.training.groups.published import PUBLISHED, SLIPS
from bertsent.training.groups.run_group import ARMS, FURTHER_PRETRAINING, MemberState, RunGroup
from bertsent.training.runs.report import evaluation_report
from bertsent.training.runs.run_tables import epoch_lines, epoch_rows
from bertsent.ui.shared import (
    JobRequest,
    altair_chart,
    choose,
    download_menu,
    escape_markdown,
    outcome,
    result,
    run_splits,
    show_errors,
    show_help,
)
from bertsent.ui.shared.confusion import confusion_view

Answers = tuple[np.ndarray, np.ndarray]  # P(positive) without and with, (S, n) each
Compared = tuple[Reviews, Answers]

_CURVES = 95  # pixels of a panel: all four are in sight
VALIDATION, TEST = "validation reviews", "built-in test reviews"
# two reports fit side by side, and a whole line of the log fits beside the menu
_SMALL = (
    "<style>.st-key-ab-reports pre, .st-key-ab-epochs pre {font-size: 0.68rem; padding: 0.6rem} "
    ".st-key-ab-reports pre code, .st-key-ab-epochs pre code {font-size: inherit}</style>"
)
_PERCENT, _POINTS = (st.column_config.NumberColumn(format=form) for form in ("%.1f %%", "%+.1f"))
_RUNS = {
    "validation accuracy": _PERCENT,
    "progress": st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="percent"),
}
_DIFFERENCES = dict.fromkeys(("without", "with"), _PERCENT) | dict.fromkeys(
    ("difference", "low", "high"), _POINTS
)
_SENTINELS: dict[str, Any] = {
    arm: st.column_config.NumberColumn(f"{arm}, P(positive)", format="%.1f %%") for arm in ARMS
}
_CHANGED = {
    "text": st.column_config.TextColumn(width="large"),
    "p_without": _PERCENT,
    "p_with": _PERCENT,
}


def ab_progress(group: RunGroup, states: list[MemberState]) -> None:
    """Draw the curves and the table as they stand."""
    rows = _curve_rows(states)
    with result("group"):
        # what was published is there before the first epoch of one's own is over
        usual = group.source == "toy" or not (rows["epoch"] > 0).any()
        printed = None
        if _published(group) and st.checkbox(
            "Show the published figures", usual, key=f"ab-published-{group.name}"
        ):
            printed = published_rows()
            printed = printed[printed["epoch"] <= group.epochs]
        _draw_curves(rows, printed, group.epochs, group.name)
        seeds = "Thick line: mean of the seeds; band: lowest to highest. "
        words = "Dashed lines with open marks: the published runs, on other data. "
        guess = "The grey line marks guessing. Epoch 0 is the untrained head."
        said = (seeds if len(group.seeds) > 1 else "") + (words if printed is not None else "")
        st.caption(said + guess)
    st.dataframe(
        pd.DataFrame(map(_row, states)),
        hide_index=True,
        key=f"ab-table-{group.name}",
        column_config=_RUNS,
    )


def _published(group: RunGroup) -> bool:
    """Whether there are published runs with which such a group can be compared."""
    return group.rows != FURTHER_PRETRAINING


def _draw_curves(
    rows: pd.DataFrame | None, printed: pd.DataFrame | None, epochs: int, name: str
) -> None:
    charts = paired_run_curves(rows, epochs=epochs, published=printed, height=_CURVES)
    left, right = st.columns(2, gap="medium")
    for (measure, chart), place in zip(charts.items(), (left, right, left, right), strict=True):
        altair_chart(
            chart,
            width="stretch",
            key=f"ab-{measure}-{name}",
            alt=f"{TITLES[measure]}, of both arms",
            place=place,
        )


def published_rows() -> pd.DataFrame:
    """The epochs of the published runs without and with contrastive reviews."""
    return pd.concat([run.rows().assign(arm=arm) for arm, run in PUBLISHED.items()])


def published_runs() -> None:
    """The published pair of runs: its curves, and its reports below."""
    rows = published_rows()
    with result("published"):
        _draw_curves(None, rows, int(rows["epoch"].max()), "published")
        found = [
            f"{arm} contrastive reviews {run.right} of {run.validation_rows} validation reviews "
            f"are right after {len(run.epochs)} epochs"
            for arm, run in PUBLISHED.items()
        ]
        st.caption(
            f"As published, on toy data, not measured here: {'; '.join(found)}. Start a group "
            "below to see your own runs beside them."
        )
    with result("published_reports"):
        published_pair()


def _curve_rows(states: list[MemberState]) -> pd.DataFrame:
    frames = [
        epoch_rows(state.history).assign(arm=state.member.arm, seed=state.member.seed)
        for state in states
    ]
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def _row(state: MemberState) -> dict[str, object]:
    history, status = state.history, state.status
    asked = f", asked to {status.requested}" if status.live and status.requested else ""
    return {
        "arm": state.member.arm,
        "seed": state.member.seed,
        "run": state.run.id,
        "state": f"{status.state}{asked}",
        "progress": history.step / history.started.total_steps if history.started else 0.0,
        "validation accuracy": 100 * history.evaluations[-1].accuracy
        if history.evaluations
        else None,
    }


def ab_answers(group: RunGroup, states: Sequence[MemberState]) -> None:
    """Draw the comparison of the seeds whose two runs have an epoch in common."""
    pairs = arm_pairs(states)
    if not pairs:
        st.caption("The comparison appears here once both runs of a seed have finished an epoch.")
        return
    compared, place = _differences(group, pairs), 0
    if len(pairs) > 1:
        seeds = [pair.seed for pair in pairs]
        place = seeds.index(choose("Seed shown below", seeds, "ab-seed", bind=None))
    pair = pairs[place]
    if pair.epoch < group.epochs:
        st.caption(
            f"Compared after epoch {pair.epoch} of {group.epochs}: the last one that both runs "
            "have finished."
        )
    st.html(_SMALL)
    with st.container(key="ab-reports"):
        _reports(compared[VALIDATION][0], pair, published=_published(group))
    _sentinels(states, published=_published(group))
    if TEST in compared:
        _slices(*compared[TEST], place)
    _changed(compared, pairs)
    beside = ", these runs and the published ones" if _published(group) else ""
    st.markdown(f"**Epoch by epoch{beside}**")
    with st.container(key="ab-epochs"):
        for state in states:
            if state.member.seed == pair.seed:
                _epochs(state, group.epochs, published=_published(group))


def _differences(group: RunGroup, pairs: list[ArmPair]) -> dict[str, Compared]:
    """Say whether the arms differ; gives back each set of reviews that was answered."""
    without, having = (run_splits(run) for run in pairs[0].runs)
    reviews, unseen = without.validation, held_out(having)
    compared = {VALIDATION: (reviews, _stack([pair.answers for pair in pairs]))}
    what = group.differs_in
    st.subheader(f"Without and with {what}", anchor=False)
    what = f"the {what}" if _published(group) else what
    asked = st.container()
    found = compare_arms(reviews, *compared[VALIDATION][1], what)
    st.markdown(
        escape_markdown(f"{found.sentence(VALIDATION)} {majority_class_sentence(reviews.labels)}")
    )
    with asked, show_errors():
        answers = _test_answers(pairs, unseen)
        if answers is not None:
            compared[TEST] = unseen, answers
            found = compare_arms(unseen, *answers, what)
            seeds = f" over {len(pairs)} seeds" if len(pairs) > 1 else ""
            st.markdown(f"**{escape_markdown(found.sentence(TEST))}**")
            st.caption(
                f"{found.corrected:,} answers corrected, {found.broken:,} broken{seeds}; McNemar's "
                f"exact p = {found.p_value:.2g}, each review and each minimal pair counted once. "
                f"{majority_class_sentence(unseen.labels)}"
            )
    show_help("fine_tune", "ab_comparison")
    return compared


def _stack(answers: Sequence[Answers]) -> Answers:
    without, having = zip(*answers, strict=True)
    return np.stack(without), np.stack(having)


def _test_answers(pairs: list[ArmPair], unseen: Reviews) -> Answers | None:
    """Both arms' answers to the held-out reviews, (S, n) each; None while the models are being
    asked.
    """
    models = [find_model(name, folders=False) for pair in pairs for name in pair.models]
    hashes = [weights_hash(model.folder / WEIGHTS) for model in models]
    work = partial(answers_of_models, [model.name for model in models], unseen.texts)
    title = f"Asking {len(models)} models about {len(unseen):,} {TEST}"
    key = f"ab-answers-{cache_key(hashes, unseen.sha256)}"
    found = outcome(JobRequest(key, work, title, "Ask them", unasked=True))
    return None if found is None else _stack(list(zip(found[0::2], found[1::2], strict=True)))


def _reports(reviews: Reviews, pair: ArmPair, *, published: bool) -> None:
    reports = [evaluation_report(reviews, p) for p in pair.answers]
    with result("ab_reports"):
        for place, arm, found in zip(st.columns(2, gap="medium"), ARMS, reports, strict=True):
            with place:
                st.markdown(
                    f"**These runs, {arm}** · seed {pair.seed}, {found.rows:,} validation reviews"
                )
                with st.container(key=f"fitted_report_{arm}"):
                    st.code(found.text, language=None)
        if published:
            published_pair()
    for arm, found, model in zip(ARMS, reports, pair.models, strict=True):
        with result(f"ab_matrix_{arm}"):
            st.markdown(f"**These runs, {arm}**")
            key = f"ab-matrix-{arm}"
            confusion_view(found, key, f"ab-{arm}-confusion", model=model, title=f"{arm}: ")


def _sentinels(states: Sequence[MemberState], *, published: bool) -> None:
    """P(positive) of the sentinels at the end, by arm; the published model without contrastive
    reviews failed on the first.
    """
    rows = [
        (text, state.member.arm, 100 * p)
        for state in states
        if state.history.sentinels
        for text, p in state.history.sentinels[-1].scores.items()
    ]
    if not rows:
        return
    table = pd.DataFrame(rows, columns=["sentence", "arm", "p"])
    table = table.pivot_table(index="sentence", columns="arm", values="p", sort=False)
    failed = "; without contrastive reviews the published model failed on the first"
    about = f"mean of the seeds{failed if published else ''}"
    st.markdown(f"**P(positive) of the sentinels** · {about}")
    table = table.reindex(columns=list(ARMS)).reset_index()
    st.dataframe(table, hide_index=True, key="ab-sentinels", column_config=_SENTINELS)


def _slices(reviews: Reviews, answers: Answers, place: int) -> None:
    table = slice_table(
        reviews, {arm: each[place] for arm, each in zip(ARMS, answers, strict=True)}
    )
    differences = compare_arms_by_slice(reviews, *answers)
    st.markdown(f"**By phenomenon** · {len(reviews):,} {TEST}, in neither arm")
    left, right = st.columns([3, 4], gap="medium")
    altair_chart(
        slice_intervals(table),
        width="stretch",
        key="ab-slices",
        alt="Accuracy of both arms by phenomenon with intervals",
        place=left,
    )
    with right:
        st.dataframe(
            _percent(differences.drop(columns="significant"), _DIFFERENCES),
            hide_index=True,
            height="content",
            key="ab-differences",
            column_config=_DIFFERENCES,
        )
        clear = differences[differences["significant"] & (differences["slice"] != "all")]
        st.caption(
            escape_markdown(
                "Differences are means over all seeds in points, with 95 % intervals over the "
                f"reviews. Significant on: {', '.join(clear['slice']) or 'no slice'}."
            )
        )
        tables = {"Slices": table, "Differences": differences}
        download_menu("ab-slices", lambda: [slice_intervals(table)], "ab-slices", tables=tables)


def _changed(compared: dict[str, Compared], pairs: list[ArmPair]) -> None:
    st.markdown("**Reviews whose answer differs between the arms**")
    of = VALIDATION
    if len(compared) > 1:
        of = choose("Among", (TEST, VALIDATION), "ab-changed-of", bind=None)
    reviews, answers = compared[of]
    table = pd.concat(
        [
            changed_answers(reviews, one, other, pair.seed)
            for pair, one, other in zip(pairs, *answers, strict=True)
        ],
        ignore_index=True,
    )
    if not len(table):
        st.caption(f"None of the {len(reviews):,} {of}.")
        return
    corrected, broken = ((table["change"] == change).sum() for change in (CORRECTED, BROKEN))
    st.caption(f"{len(table):,} answers: {corrected:,} corrected, {broken:,} broken.")
    st.dataframe(
        _percent(table, ("p_without", "p_with")),
        hide_index=True,
        height=300,
        key=f"ab-changed-{of}",
        column_config=_CHANGED,
        column_order=(
            *("text", "true", "p_without", "p_with", "change"),
            *("phenomenon", "without", "with", "seed", "id"),
        ),
    )
    download_menu("ab-changed", None, "ab-changed-answers", tables={"Changed answers": table})


def _percent(table: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    return table.assign(**{column: 100 * table[column] for column in columns})


def _epochs(state: MemberState, epochs: int, *, published: bool) -> None:
    printed = PUBLISHED[state.member.arm]
    st.caption(f"These runs, {state.member.arm}, seed {state.member.seed}")
    st.code(epoch_lines(epoch_rows(state.history), epochs), language=None, wrap_lines=True)
    if not published:
        return
    sic = "; (sic): not possible with 13 reviews" if printed.sic else ""
    st.caption(f"Published: {printed.title}{sic}")
    st.code(
        epoch_lines(printed.rows(), len(printed.epochs), printed.sic),
        language=None,
        wrap_lines=True,
    )


def published_pair() -> None:
    """The published reports without and with contrastive reviews."""
    columns = st.columns(2, gap="medium")
    for place, (arm, printed) in zip(columns, PUBLISHED.items(), strict=True):
        negative, positive = map(sum, printed.matrix)
        place.markdown(
            f"**Published** · {printed.title}, {printed.validation_rows} validation reviews"
        )
        with place.container(key=f"fitted_report_published_{arm}"):
            st.code("\n".join(printed.report), language=None)
        place.caption(
            "For reference, on toy data, not measured here. Implied confusion matrix "
            f"{printed.matrix}: {printed.right} of {printed.validation_rows} "
            f"right, {100 * printed.matrix[0][0] / negative:.0f} % of the negative ones. Always "
            "answering the more frequent label: "
            f"{100 * max(negative, positive) / printed.validation_rows:.0f} %."
        )
    with st.popover("Errors in the published figures"):
        st.markdown("\n".join(f"- {escape_markdown(slip)}" for slip in SLIPS))
