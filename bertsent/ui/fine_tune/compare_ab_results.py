"""What twin runs amount to: an honest sentence, both reports beside the published ones, the slices,
and the reviews that changed sides.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.data.paired_splits import held_out
from bertsent.figures.classification import confusion_heatmap
from bertsent.figures.paired_runs import slice_intervals
from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.ab_comparison import (
    ABComparison,
    changed_answers,
    compare_arms,
    compare_arms_by_slice,
    slice_table,
)
from bertsent.probing.registry import find_model
from bertsent.training.groups.ab import ARMS, Member, Pair, Twins, whole_pairs
from bertsent.training.groups.published import PUBLISHED, SLIPS, PublishedRun
from bertsent.training.runs.epoch_table import epoch_lines, epoch_rows
from bertsent.training.runs.history import History
from bertsent.training.runs.report import evaluation_report
from bertsent.training.runs.run import Run
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown, show_errors
from bertsent.ui.shared.jobs import jobs, wait_for
from bertsent.ui.shared.live_runs import run_reader

VALIDATION, TEST = "validation reviews", "built-in test reviews"
# two reports fit side by side, and a whole line of the log fits beside the menu
_SMALL = (
    "<style>.st-key-twins-reports pre, .st-key-twins-epochs pre {font-size: 0.68rem; "
    "padding: "
    "0.6rem}"
)
_SMALL += (
    " .st-key-twins-reports pre code, .st-key-twins-epochs pre code {font-size: inherit}</style>"
)
_HOW = r"""
Both arms answer the same $n$ reviews, so they are compared review by review. A review is **corrected** when it is wrong without and
right with the contrastive rows, **broken** the other way round; the others say nothing about a difference.

- **Difference**: $\hat d = (\text{corrected} - \text{broken}) / (n \cdot \text{seeds})$.
- **Interval**: Bonett and Price (2012): one corrected and one broken review are added, then $\hat d \pm 1.96\,\hat s$. Over several seeds
  a review counts once, with its mean; the two sides of a minimal pair vary together. It says how the difference would vary with
  other *reviews*; how it varies with other *seeds* is told beside it.
- **p**: McNemar's test (1947), exact: would a coin have divided those that changed so unevenly? A minimal pair, and
  a review over several seeds, counts once, on the side where most of its answers went.
- **Slices**: accuracy with Wilson's interval (1927). A slice is only named when McNemar's p stays below 0.05 after Holm's (1979)
  correction for all slices.
- The built-in test reviews are in neither arm, neither to learn from nor to judge by; texts that an arm knows are taken out.
"""


def twins_results(group: Twins, looks: Sequence[tuple[Member, Run, History]]) -> None:
    """Draw the comparison of the seeds whose two runs have an epoch in common."""
    pairs = whole_pairs(looks)
    if not pairs:
        st.caption("The comparison will be here as soon as both runs of a seed have done an epoch.")
        return
    reviews, unseen = _validation(pairs[0].runs[0]), _unseen(pairs[0].runs[1])
    answers = {VALIDATION: _stack([pair.answers for pair in pairs])}
    st.subheader("What the twins show", anchor=False)
    asked = st.container()
    st.markdown(escape_markdown(compare_arms(reviews, *answers[VALIDATION]).sentence(VALIDATION)))
    with asked, show_errors():
        found = _test_answers(pairs, unseen)
        if found is not None:
            answers[TEST] = found
            shown = compare_arms(unseen, *found)
            st.markdown(f"**{escape_markdown(shown.sentence(TEST))}**")
            st.caption(_discordant(shown))
    with st.popover("How is this computed?"):
        st.markdown(_HOW)
    pair, at = _pick(pairs)
    if pair.epoch < group.epochs:
        st.caption(
            f"Compared after epoch {pair.epoch} of {group.epochs}: the last that both runs have "
            "done."
        )
    st.html(_SMALL)
    with st.container(key="twins-reports"):
        _reports(reviews, pair)
    _sentences(looks)
    if TEST in answers:
        _slices(unseen, answers[TEST], at)
    _flips({VALIDATION: reviews, TEST: unseen}, answers, pairs)
    _epochs(looks, pair, group)


def _pick(pairs: list[Pair]) -> tuple[Pair, int]:
    seeds = [pair.seed for pair in pairs]
    seed = seeds[0]
    if len(seeds) > 1:
        seed = st.segmented_control(
            "Seed shown below", seeds, default=seeds[0], key="twins-seed", required=True
        )
    at = seeds.index(seed) if seed in seeds else 0
    return pairs[at], at


def _stack(answers: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    without, having = zip(*answers, strict=True)
    return np.stack(without), np.stack(having)


def _validation(run: Run) -> Reviews:
    return _read(str(run.folder), run.config.created, run)[0]


def _unseen(run: Run) -> Reviews:
    return _read(str(run.folder), run.config.created, run)[1]


@st.cache_data(max_entries=8, show_spinner="Reading the reviews …")
def _read(folder: str, created: float, _run: Run) -> tuple[Reviews, Reviews]:
    splits = _run.splits()
    return splits.validation, held_out(splits)


def _test_answers(pairs: list[Pair], unseen: Reviews) -> tuple[np.ndarray, np.ndarray] | None:
    """Both arms' answers to the held-out reviews, (S, n) each; None while the models are being
    asked.
    """
    models = [find_model(name, folders=False) for pair in pairs for name in pair.models]
    hashes = [weights_hash(model.folder / WEIGHTS) for model in models]
    key = f"twins-{hashlib.sha256(' '.join([*hashes, unseen.sha256]).encode()).hexdigest()[:24]}"
    job = jobs().find(key)
    if job is None:
        job = jobs().start(key, _asking([model.name for model in models], unseen.texts))
    if job.state == "done":
        return _stack(list(zip(job.result[0::2], job.result[1::2], strict=True)))
    if job.state in ("failed", "cancelled"):
        st.caption(
            escape_markdown(
                job.error or f"The models were not asked about the {len(unseen):,} {TEST}."
            )
        )
        st.button(
            "Ask them",
            key=f"again-{key}",
            on_click=jobs().start,
            args=(key, _asking([m.name for m in models], unseen.texts)),
        )
    else:
        wait_for(key, f"Asking {len(models)} models about {len(unseen):,} {TEST}")
    return None


def _asking(
    names: list[str], texts: list[str]
) -> Callable[[Callable[[float], None]], list[np.ndarray]]:
    def work(progress: Callable[[float], None]) -> list[np.ndarray]:
        from bertsent.probing.loaded_model import load

        answers = []
        for turn, name in enumerate(names):
            done = turn / len(names)
            answers.append(
                load(name).probabilities(
                    texts, progress=lambda f, done=done: progress(done + f / len(names))
                )[:, 1]
            )
        return answers

    return work


def _discordant(found: ABComparison) -> str:
    seeds = f" over {len(found.by_seed)} seeds" if len(found.by_seed) > 1 else ""
    counted = "each review and each minimal pair counted once"
    return (
        f"{found.corrected:,} answers corrected, {found.broken:,} broken{seeds}; McNemar's exact p "
        f"= {found.p_value:.2g}, {counted}."
    )


def _reports(reviews: Reviews, pair: Pair) -> None:
    for place, arm, p in zip(st.columns(2, gap="medium"), ARMS, pair.answers, strict=True):
        found = evaluation_report(reviews, p)
        with place:
            st.markdown(
                f"**These twins, {arm}** · seed {pair.seed}, {found.rows:,} validation reviews"
            )
            st.code(found.text, language=None)
            words = _matrix_words(found.matrix)
            figure, chart = confusion_heatmap(found.matrix), f"twins-matrix-{arm}"
            st.plotly_chart(figure, key=chart, config=UNSEEN_BAR, alt=f"{arm}: {words}")
            st.caption(words)
            download_menu(chart, figure, f"twins-{arm}-confusion")
    for place, printed in zip(st.columns(2, gap="medium"), PUBLISHED.values(), strict=True):
        with place:
            _published(printed)
    with st.popover("The slips of the published figures"):
        st.markdown("\n".join(f"- {escape_markdown(slip)}" for slip in SLIPS))


def _published(printed: PublishedRun) -> None:
    st.markdown(f"**Published** · {printed.title}, {printed.validation_rows} validation reviews")
    st.code(printed.report, language=None)
    negative = printed.matrix[0][0] / sum(printed.matrix[0])
    st.caption(
        "Reference, toy data, not measured here. Implied confusion matrix "
        f"{list(map(list, printed.matrix))}: "
        f"{printed.right} of {printed.validation_rows} right, {negative:.0%} of the negative ones."
    )


def _matrix_words(matrix: np.ndarray) -> str:
    (_, false_positive), (false_negative, _) = matrix.tolist()
    return (
        f"{false_positive} negative reviews were taken for positive, {false_negative} positive "
        "ones for negative."
    )


def _sentences(looks: Sequence[tuple[Member, Run, History]]) -> None:
    """P(positive) of the watched sentences at the end, by arm; the published model without failed
    on the first.
    """
    rows = [
        (text, member.arm, p)
        for member, _, history in looks
        if history.sentinels
        for text, p in history.sentinels[-1].scores.items()
    ]
    if not rows:
        return
    table = pd.DataFrame(rows, columns=["sentence", "arm", "p"])
    table = (
        table.pivot_table(index="sentence", columns="arm", values="p", sort=False)
        .reindex(columns=list(ARMS))
        .reset_index()
    )
    st.markdown(
        "**P(positive) of the watched sentences** · mean of the seeds; without contrastive reviews "
        "the published model failed on the first"
    )
    percent = {
        arm: st.column_config.NumberColumn(f"{arm}, P(positive)", format="%.1f %%") for arm in ARMS
    }
    st.dataframe(
        _hundredfold(table, ARMS), hide_index=True, key="twins-sentences", column_config=percent
    )


def _slices(reviews: Reviews, answers: tuple[np.ndarray, np.ndarray], at: int) -> None:
    table = slice_table(reviews, {arm: each[at] for arm, each in zip(ARMS, answers, strict=True)})
    st.markdown(f"**By phenomenon** · {len(reviews):,} {TEST}, in neither arm")
    left, right = st.columns([3, 4], gap="medium")
    with left:
        st.altair_chart(
            slice_intervals(table),
            width="stretch",
            key="twins-slices",
            alt="Accuracy of both arms by phenomenon with intervals",
        )
    differences = compare_arms_by_slice(reviews, *answers)
    beyond = differences.loc[
        differences["significant"] & (differences["slice"] != "all"), "slice"
    ].tolist()
    with right:
        st.dataframe(
            _hundredfold(differences.drop(columns="significant"), _DIFFERENCES),
            hide_index=True,
            height="content",
            key="twins-differences",
            column_config=_DIFFERENCES,
        )
        named = (
            f"The arms can be told apart on {', '.join(beyond)}."
            if beyond
            else "The arms cannot be told apart on any single slice."
        )
        st.caption(
            escape_markdown(
                "Differences are means over all seeds in points, with 95 % intervals over the "
                f"reviews. {named}"
            )
        )
        st.download_button(
            "Slices as CSV",
            safe_csv(table),
            "twins-slices.csv",
            "text/csv",
            key="twins-take-slices",
            on_click="ignore",
        )


_PERCENT, _POINTS = (st.column_config.NumberColumn(format=form) for form in ("%.1f %%", "%+.1f"))
_DIFFERENCES = dict.fromkeys(("without", "with"), _PERCENT) | dict.fromkeys(
    ("difference", "low", "high"), _POINTS
)


def _flips(
    reviews: dict[str, Reviews],
    answers: dict[str, tuple[np.ndarray, np.ndarray]],
    pairs: list[Pair],
) -> None:
    st.markdown("**The reviews that changed sides between the twins**")
    of = VALIDATION
    if len(answers) > 1:
        of = st.segmented_control(
            "Among", [TEST, VALIDATION], default=TEST, key="twins-flips-of", required=True
        )
    tables = [
        changed_answers(reviews[of], *sides, pair.seed)
        for pair, *sides in zip(pairs, *answers[of], strict=True)
    ]
    table = pd.concat(tables, ignore_index=True)
    if not len(table):
        st.caption(f"None of the {len(reviews[of]):,} {of}.")
        return
    counts = table["change"].value_counts()
    st.caption(
        f"{len(table):,} answers changed sides: {counts.get('corrected', 0):,} corrected, "
        f"{counts.get('broken', 0):,} broken."
    )
    columns = {
        "text": st.column_config.TextColumn(width="large"),
        "p_without": _PERCENT,
        "p_with": _PERCENT,
    }
    order = [
        "text",
        "true",
        "p_without",
        "p_with",
        "change",
        "phenomenon",
        "without",
        "with",
        "seed",
        "id",
    ]
    shown = _hundredfold(table, ("p_without", "p_with"))
    st.dataframe(
        shown,
        hide_index=True,
        height=300,
        key=f"twins-flips-{of}",
        column_config=columns,
        column_order=order,
    )
    st.download_button(
        "Flips as CSV",
        safe_csv(table),
        "twins-flips.csv",
        "text/csv",
        key="twins-take-flips",
        on_click="ignore",
    )


def _hundredfold(table: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Shares as per cent, for tables that write the sign."""
    return table.assign(**{column: 100 * table[column] for column in columns})


def _epochs(looks: Sequence[tuple[Member, Run, History]], pair: Pair, group: Twins) -> None:
    st.markdown("**Epoch by epoch, these twins and the published ones**")
    histories = {
        member.arm: run_reader(run).look()[0]
        for member, run, _ in looks
        if member.seed == pair.seed
    }
    with st.container(key="twins-epochs"):
        for arm in ARMS:
            printed = PUBLISHED[arm]
            st.caption(f"These twins, {arm}, seed {pair.seed}")
            st.code(epoch_lines(epoch_rows(histories[arm]), group.epochs), language=None)
            st.caption(
                "Published: "
                f"{printed.title}{'; (sic): not possible with 13 reviews' if printed.sic else ''}"
            )
            st.code(
                epoch_lines(
                    printed.rows(), len(printed.epochs), [(epoch, "(sic)") for epoch in printed.sic]
                ),
                language=None,
            )
