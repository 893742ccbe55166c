"""The classifiers that answer beside the chosen model: those that ship, ready at once, or those of
a run's own reviews, trained when somebody asks. One family of them is one job that everybody
shares.
"""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import shorten
from bertsent.data.examples import Reviews
from bertsent.errors import BertsentError
from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.baselines.large_baselines import model_facts
from bertsent.probing.baselines.reasons import WordReason, word_reasons
from bertsent.probing.baselines.setup import BaselineSetup, builtin_setup, run_setup
from bertsent.probing.baselines.shipped import HARD, ORDINARY, TRAINED_ON, shipped_baselines
from bertsent.probing.baselines.trainer import FAMILIES, FROZEN_BERT, FROZEN_HEADS
from bertsent.probing.loaded_model import LoadedModel
from bertsent.settings import home
from bertsent.training.runs.run import Run, list_runs
from bertsent.ui.shared import (
    BY_CONTENT,
    choose,
    escape_markdown,
    loaded_model,
    show_error,
    wait_for,
)
from bertsent.ui.shared.jobs import Job, jobs

RUN = "run"
CHOICES = {ORDINARY: "Ordinary reviews", HARD: "Hard reviews", RUN: "This run's reviews"}


@dataclass(frozen=True)
class ClassifierGroup:
    """The chosen model, ``bert`` as a classifier, and the baselines that are ready, by name.

    ``trained_on`` is a key of ``CHOICES``, ``source`` says in words what the baselines learned
    from, ``learned`` has those reviews where they are here, and ``waiting`` are the families that
    are not trained yet.
    """

    setup: BaselineSetup
    model: LoadedModel
    bert: Classifier
    baselines: dict[str, Classifier]
    trained_on: str
    source: str
    learned: Reviews | None
    waiting: tuple[str, ...] = ()

    @property
    def classifiers(self) -> list[Classifier]:
        """All that can answer, the chosen model last."""
        return [*self.baselines.values(), self.bert]

    @property
    def frozen_heads(self) -> list[str]:
        """Those of the three frozen classifiers that are ready."""
        return [name for name in FROZEN_HEADS if name in self.baselines]

    def drawn(self) -> list[Classifier]:
        """Those with a bar: of the frozen classifiers only the chosen one."""
        chosen = f"{FROZEN_BERT} + {st.session_state.get('duel_frozen')}"
        heads = self.frozen_heads
        hidden = {head for head in heads if head != (chosen if chosen in heads else heads[0])}
        return [each for each in self.classifiers if each.name not in hidden]


def choose_trained_on(name: str) -> str:
    """Draw the choice of what the baselines learned from; a run of one's own is a third one."""
    offered = {key: CHOICES[key] for key in TRAINED_ON}
    if _run(name) is not None:
        offered[RUN] = CHOICES[RUN]
    return choose(
        "Simpler classifiers learned from",
        offered,
        "duel_trained",
        label_visibility="collapsed",
        help="Ordinary: whole reviews of the Large Movie Review Dataset. Hard: the built-in ones, "
        "in which sarcasm, negation and contrast are as frequent as plain words.",
    )


def bert_classifier(name: str) -> Classifier:
    """The model of that registry name as one classifier among others.

    Raises:
        BertsentError: it does not answer.
    """
    model = loaded_model(name)
    return Classifier(
        f"BERT: {shorten(model.name, 40)}",
        f"{model.key} {model.max_length}",
        lambda texts: model.probabilities(texts)[:, 1],
        *model_facts(name),
    )


def classifier_group(name: str, trained_on: str) -> ClassifierGroup:
    """Who answers beside the model of that registry name; nothing is trained here.

    Raises:
        BertsentError: the model does not answer, its reviews cannot be read, or the baselines that
            ship are not here.
    """
    model, bert = loaded_model(name), bert_classifier(name)
    if trained_on == RUN:
        return _group_of_run(setup_of(name), model, bert)
    setup = _shipped_setup(_run(name), home() / "cache" / "duel")
    return ClassifierGroup(
        setup,
        model,
        bert,
        shipped_baselines(trained_on),
        trained_on,
        f"The simpler classifiers learned from {TRAINED_ON[trained_on]}; BERT may have learned "
        "from more.",
        setup.trainer.reviews if trained_on == HARD else None,
    )


def _group_of_run(setup: BaselineSetup, model: LoadedModel, bert: Classifier) -> ClassifierGroup:
    ready: dict[str, Classifier] = {}
    waiting = []
    for family in FAMILIES:
        try:
            found = trained(setup, family)
        except BertsentError as error:
            show_error(error)
            continue
        if not found:
            waiting.append(family)
        ready |= found
    learned = setup.trainer.reviews
    return ClassifierGroup(
        setup, model, bert, ready, RUN, setup.source_sentence, learned, tuple(waiting)
    )


def _run(name: str) -> Run | None:
    return next((run for run in list_runs() if run.id == name.partition("/")[0]), None)


def setup_of(name: str) -> BaselineSetup:
    """The baselines for the model of that registry name: those of a run's own reviews, or of the
    built-in ones.

    Raises:
        BertsentError: the reviews of the run cannot be read, or nothing can be learned from them.
    """
    return _setup(_run(name), home() / "cache" / "duel")


@st.cache_resource(max_entries=4, show_spinner="Reading the reviews …", hash_funcs=BY_CONTENT)
def _setup(run: Run | None, cache: Path) -> BaselineSetup:
    return run_setup(run, cache) if run else builtin_setup(cache)


@st.cache_resource(max_entries=4, show_spinner="Reading the reviews …", hash_funcs=BY_CONTENT)
def _shipped_setup(run: Run | None, cache: Path) -> BaselineSetup:
    return builtin_setup(cache, run)


def training_key(setup: BaselineSetup, family: str) -> str:
    """The key of the job that trains a family.

    Raises:
        NotAvailable: the backbone for it is not here.
    """
    return f"duel-{cache_key(*(setup.trainer.key(name) for name in FAMILIES[family]))}"


def start_training(setup: BaselineSetup, family: str) -> Job:
    """Train a family in the background, once for everybody."""
    return jobs().start(
        training_key(setup, family),
        lambda progress: setup.trainer.train(family, progress=progress),
        "long",
    )


def trained(setup: BaselineSetup, family: str) -> dict[str, Classifier]:
    """The classifiers of a family; empty where one of them has to be trained first.

    Raises:
        NotAvailable: the backbone for it is not here.
    """
    job = jobs().find(training_key(setup, family))
    if job is not None and job.state == "done":
        return job.result or {}
    found = {name: setup.trainer.load(name) for name in FAMILIES[family]}
    ready = {name: classifier for name, classifier in found.items() if classifier is not None}
    return ready if len(ready) == len(found) else {}


def training_progress(group: ClassifierGroup) -> None:
    """Draw the progress of the first family that is being trained, and a button for those that were
    cancelled, failed or never begun.
    """
    idle, busy = list[str](), list[str]()
    for family in group.waiting:
        job = jobs().find(training_key(group.setup, family))
        if job is not None and job.state == "done":
            st.rerun()  # it was trained since the page began to be drawn
        if job is not None and job.state == "failed":
            show_error(BertsentError(job.error))
        (idle if job is None or job.over else busy).append(family)
    if busy:
        after = f", then {', '.join(busy[1:])}" if len(busy) > 1 else ""
        wait_for(training_key(group.setup, busy[0]), f"Training {busy[0]}{after}")
    if idle:
        st.caption(
            escape_markdown(
                f"Not trained yet: {', '.join(idle)}. They are trained once on "
                f"{group.setup.source} and kept for everyone."
            )
        )
        if st.button("Train them", type="primary", key="duel_train"):
            for family in idle:
                start_training(group.setup, family)
            st.rerun()


@st.cache_data(max_entries=2_000, show_spinner=False, hash_funcs=BY_CONTENT)
def answer_of(classifier: Classifier, text: str) -> float:
    """P(positive) of one review, remembered for everybody."""
    return float(classifier.p_positive([text])[0])


@st.cache_data(max_entries=1_000, show_spinner=False, hash_funcs=BY_CONTENT)
def reasons_of(classifier: Classifier, text: str) -> list[WordReason]:
    """Its strongest words in one review, remembered for everybody."""
    return word_reasons(classifier, text)
