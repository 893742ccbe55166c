"""The strategy lab: several small real runs that differ in chosen settings, and what each setting
did; beside it a published experiment.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.examples import Reviews, Splits
from bertsent.data.splits import split
from bertsent.errors import BertsentError
from bertsent.probing.slices import Slice
from bertsent.training.config import TRAINS, TrainingConfig
from bertsent.training.groups.ab import ask_all
from bertsent.training.groups.effects import FACTORS, TASKS, main_effects, published, varied
from bertsent.training.groups.grid import Lab, combinations, list_labs, results, start_lab
from bertsent.ui.fine_tune.new_run_reviews import Choice
from bertsent.ui.shared.downloads import safe_csv
from bertsent.ui.shared.errors import escape_markdown, show_errors
from bertsent.ui.shared.links import linked_choice
from bertsent.ui.why.carry import carry

KEY, EVERY = "lab", 3.0
_POOLINGS = {"cls": "[CLS]", "mean": "mean of tokens", "max": "maximum of tokens"}
_RATES = (1e-5, 5e-5, 1e-4, 1e-3)
_ROWS = (200, 400, 800, 1_600)
_VALIDATION = 500
_BASE = TrainingConfig(epochs=2, max_length=64, kept_checkpoints=0)
_NAMES = {
    "pooling": "Pooling",
    "trains": "What trains",
    "encoder_lr": "Encoder rate",
    "seed": "Seed",
}
_WITH = {False: "without", True: "with"}
_LEVELS = {"pooling": _POOLINGS, "trains": TRAINS}


def strategies(choice: Choice | None) -> None:
    """Draw the closed or open box; nothing inside is computed while it is closed.

    Args:
        choice: the reviews chosen for a new run, which the lab takes some of.
    """
    title = "Strategy lab: what do pooling, layers and rates do?"
    box = st.expander(title, expanded=KEY in st.query_params, key="lab-open", on_change="rerun")
    if not box.open:
        st.query_params.pop(KEY, None)
        return
    with box, show_errors():
        ours, theirs = st.tabs(["Try it here", "A published experiment"])
        with ours:
            _draft(choice)
            labs = {
                lab.name: f"{lab.name} · {len(lab.runs)} runs on {lab.source}"
                for lab in list_labs()[:30]
            }
            if labs:
                chosen = linked_choice("Lab", labs, key=KEY)
                lab = next(lab for lab in list_labs() if lab.name == chosen)
                live = any(run.alive() for run in lab.found())
                st.fragment(_shown, run_every=EVERY if live else None)(lab, live)
        with theirs:
            _published()


def _draft(choice: Choice | None) -> None:
    """Which levels, on how many reviews, and the button."""
    if choice is None:
        st.caption("Choose reviews under New run first: the lab takes some of those.")
        return
    left, right = st.columns(2, gap="medium")
    with left:
        poolings = st.multiselect(
            "Pooling",
            list(_POOLINGS),
            ["cls", "mean", "max"],
            format_func=_POOLINGS.get,
            key="lab-pooling",
        )
        trains = st.multiselect(
            "What trains",
            list(TRAINS),
            ["everything", "head"],
            format_func=TRAINS.get,
            key="lab-trains",
        )
    with right:
        rates = st.multiselect(
            "Encoder learning rate", _RATES, [5e-5], format_func="{:g}".format, key="lab-rates"
        )
        seeds = st.slider("Seeds", 1, 3, 1, key="lab-seeds")
        rows = st.select_slider(
            "Training reviews", _ROWS, 400, key="lab-rows", help="Of those chosen under New run."
        )
    levels = {
        "pooling": poolings,
        "trains": trains,
        "encoder_lr": rates,
        "seed": list(range(42, 42 + seeds)),
    }
    try:
        runs = len(combinations(_BASE, levels))
        parts = _parts(choice.plain, rows)
    except BertsentError as error:
        st.caption(escape_markdown(str(error)))
        return
    source = f"{len(parts.train):,} of {choice.plain.name}"
    st.caption(
        escape_markdown(
            f"{runs} runs of {_BASE.epochs} epochs on {source}, up to {_BASE.max_length} tokens, "
            f"judged on {len(parts.validation):,} "
            "others. They train one after another and stand in All runs; with 400 short reviews "
            "one took 18 s on two cores."
        )
    )
    if st.button(f"Start {runs} runs", key="lab-start", type="primary"):
        with st.spinner("Laying down the runs …"):
            lab = start_lab(parts, _BASE, levels, source=source)
        st.session_state[KEY] = st.query_params[KEY] = lab.name
        st.rerun()


def _parts(reviews: Reviews, rows: int) -> Splits:
    """A seeded share of the training part, as many of each label, and of the validation part to
    judge on.

    Raises:
        BadInput: the reviews cannot be split.
    """
    whole = split(reviews)
    return Splits(_some(whole.train, rows), _some(whole.validation, _VALIDATION))


def _some(reviews: Reviews, count: int) -> Reviews:
    chosen: list[int] = []
    for label in (0, 1):
        places = [place for place, each in enumerate(reviews) if each.label == label]
        chosen += np.random.default_rng(42).permutation(places)[: count // 2].tolist()
    return reviews.take(sorted(chosen))


def _shown(lab: Lab, was_live: bool) -> None:
    """The table and the effects, as far as they are."""
    runs = lab.found()
    live = [run for run in runs if run.alive()]
    if was_live and not live:
        st.rerun()
    table = results(lab)
    done = int(table["accuracy"].notna().sum()) if len(table) else 0
    st.progress(done / max(1, len(lab.runs)), text=f"{done} of {len(lab.runs)} runs are done")
    if live and st.button("Stop all", key="lab-stop"):
        ask_all(runs, "stop")
    if not len(table):
        st.caption("The runs of this lab are gone.")
        return
    st.dataframe(_readable(table), hide_index=True, key="lab-table", column_config=_COLUMNS)
    st.download_button(
        "Table as CSV",
        lambda: safe_csv(table),
        f"{lab.name}.csv",
        "text/csv",
        key="lab-csv",
        on_click="ignore",
    )
    factors = varied(table[list(lab.factors)].to_dict("records"))
    if done > 1 and factors:
        effects = main_effects(table.assign(accuracy=100 * table["accuracy"]), factors, "accuracy")
        _draw_effects(_named(effects), "validation accuracy, per cent", "lab-effects")
    st.caption(escape_markdown(_verdict(table)))


def _readable(table: pd.DataFrame) -> pd.DataFrame:
    """The table as people read it, with the interval of each accuracy."""
    found = [
        Slice("", int(row.n), round(row.accuracy * row.n)) if pd.notna(row.accuracy) else None
        for row in table.itertuples()
    ]
    told_ = [
        ""
        if s is None
        else f"{100 * s.accuracy:.1f} ({100 * s.interval[0]:.1f} to {100 * s.interval[1]:.1f})"
        for s in found
    ]
    words = {name: table[name].map(levels) for name, levels in _LEVELS.items() if name in table}
    kept = table.assign(**words).drop(columns=["accuracy", "n"])
    kept = kept.rename(
        columns=_NAMES | {"macro_f1": "macro-F1", "parameters": "trainable parameters"}
    )
    kept.insert(len(kept.columns) - 3, "accuracy, % (95 %)", told_)
    return kept


_COLUMNS = {
    "Encoder rate": st.column_config.NumberColumn(format="%g"),
    "macro-F1": st.column_config.NumberColumn(format="%.3f"),
    "seconds": st.column_config.NumberColumn(format="%.0f"),
    "trainable parameters": st.column_config.NumberColumn(format="localized"),
}


def _named(effects: pd.DataFrame) -> pd.DataFrame:
    """Factors and levels as people read them."""
    levels = [
        _LEVELS.get(factor, {}).get(level, level)
        for factor, level in zip(effects["factor"], effects["level"], strict=True)
    ]
    return effects.assign(factor=effects["factor"].map(_NAMES), level=levels)


def _draw_effects(effects: pd.DataFrame, title: str, key: str) -> None:
    from bertsent.figures.main_effects import main_effects_chart

    chart = main_effects_chart(effects, title)
    st.altair_chart(
        chart, key=key, alt=f"{title}: mean, lowest and highest at each level of each setting"
    )
    carry(key, {"Effects": effects}, lambda: [chart])


def _verdict(table: pd.DataFrame) -> str:
    """Who is best, and whether that may be said."""
    known = table.dropna(subset=["accuracy"]).sort_values("accuracy", ascending=False)
    if len(known) < 2:
        return (
            "The comparison will be here as soon as two runs are done. A dot is a mean, the "
            "line runs from the lowest to the highest run."
        )
    best, second = known.iloc[0], known.iloc[1]
    low, _ = Slice("", int(best["n"]), round(best["accuracy"] * best["n"])).interval
    if low > second["accuracy"]:
        return (
            f"{best['run']} is best: even the lower end of its 95 % interval lies above the "
            "next run."
        )
    return (
        "The best run is within chance of the next one: on so few reviews no single setting "
        "can "
        "be called the winner."
    )


def _published() -> None:
    """The sixteen cells and their main effects, recomputed."""
    table = published()
    st.caption(
        "A shared BERT for three tasks, sixteen configurations of 25 epochs: CLS instead of the "
        "mean of tokens, shared weights (SW), "
        "weighted losses (WL), edit-distance-like features (ED). The mean is that of the three "
        "tasks."
    )
    result = st.segmented_control(
        "Result", ["mean", *TASKS], default="mean", required=True, key="lab-result"
    )
    effects = main_effects(table, FACTORS, result)
    having = effects["level"].astype(bool)
    gain = (
        effects[having].set_index("factor")["mean"] - effects[~having].set_index("factor")["mean"]
    )
    _draw_effects(effects.assign(level=effects["level"].map(_WITH)), result, "lab-published")
    st.caption(
        escape_markdown(
            ", ".join(
                f"{factor} changes it by {value:+.3f}" for factor, value in gain.items()
            ).replace("-", "−")
            + "."
        )
    )
    st.dataframe(table.round(3), hide_index=True, key="lab-published-table")
