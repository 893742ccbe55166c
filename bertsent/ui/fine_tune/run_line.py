"""The line of a run: what it does, how far it is, what was measured so far, and its buttons; and
its sentinels, which can be changed while it trains.
"""

from contextlib import suppress

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.errors import BertsentError
from bertsent.statistics import majority_class_accuracy
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.measure import measure_of
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel
from bertsent.training.runs.admission import start_sentence
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run, Status
from bertsent.training.runs.status_sentences import numbers_sentence, state_sentence
from bertsent.ui.fine_tune.run_buttons import run_buttons
from bertsent.ui.fine_tune.run_data import model_name, validation_reviews
from bertsent.ui.fine_tune.run_pretrained import offer_what_follows
from bertsent.ui.shared import check_may_change, escape_markdown, run_task, show_error, why_not
from bertsent.ui.shared.task_tabs import open_in_probe, tab_of

BAR = 120  # pixels of the progress bar


def run_line(run: Run, history: History, status: Status) -> None:
    """Draw the line, and below it why a run failed or died."""
    words = state_sentence(history, status)
    if status.state == "queued" and (start := start_sentence(run)):
        words += f" · {start}"
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="run_line"):
        st.markdown(f"**{escape_markdown(words[:1].upper() + words[1:])}**", width="content")
        if status.live or status.state in ("paused", "interrupted", "failed"):
            st.progress(_done(history), width=BAR)
        if numbers := _numbers(run, history, status):
            st.markdown(f":gray[:small[{escape_markdown(numbers)}]]", width="stretch")
        run_buttons(run, status)
        if not status.live and (model := model_name(run)):
            _offer_probe(run, model)
    if status.state == "failed" and (failure := history.failure):
        st.error(escape_markdown(f"{failure.reason} {failure.remedy}"))
    if status.state == "interrupted":
        st.warning(
            "The worker of this run died. Its last checkpoint is intact: Resume continues exactly "
            "from there."
        )


def _offer_probe(run: Run, model: str) -> None:
    """A button for each tab of Probe that asks what the run learned."""
    task = run_task(run)
    if isinstance(task, MaskedWords):
        offer_what_follows(run, model)
        return
    if not isinstance(task, MixedTask):
        if st.button("Open in Probe", key=f"probe-{run.id}", help="Ask this model about a text."):
            open_in_probe(task, model)
        return
    tabs = {tab.name: part for part in task.parts if (tab := tab_of(part))}
    for name, part in tabs.items():
        if st.button(f"Ask it on {name}", key=f"probe-{run.id}-{name}"):
            open_in_probe(part, model)


def _done(history: History) -> float:
    total = history.started.total_steps if history.started else 0
    return min(1.0, history.step / max(1, total))


def _numbers(run: Run, history: History, status: Status) -> str:
    return numbers_sentence(history, status, _majority_class(run), measure_of(run_task(run)))


def _majority_class(run: Run) -> float | None:
    if not isinstance(run_task(run), OneLabel):
        return None
    with suppress(BertsentError):  # its reviews are damaged; its state can still be said
        return majority_class_accuracy(validation_reviews(run).labels)
    return None


def choose_sentinels(run: Run) -> None:
    """Add and remove sentinels, for who may; the worker follows them from its next step on."""
    reason = why_not([run])
    sentinels: tuple[str, ...] = ()
    with suppress(BertsentError):  # its configuration is damaged
        sentinels = run.sentinels()
    # somebody else may have changed them: then the box is a new one
    known = cache_key(sentinels)[:12]
    with (
        st.popover("Sentinels", type="tertiary"),
        st.form(f"sentinels-form-{run.id}-{known}", border=False),
    ):
        lines = st.text_area(
            "One sentence per line",
            "\n".join(sentinels),
            key=f"sentinels-{run.id}-{known}",
            height=160,
            disabled=bool(reason),
            help="Their answers are tracked from the next step on, for everyone who views this "
            "run. At most twelve.",
        )
        if st.form_submit_button("Follow these", disabled=bool(reason), help=reason):
            try:
                check_may_change([run])
                run.set_sentinels(tuple((lines or "").splitlines()))
            except BertsentError as error:
                show_error(error)
            except OSError:
                st.error("The disk of this server is full or locked: nothing was changed.")
            else:
                st.rerun()
