"""Runs that learn masked words: their losses against transformers' own model, exact after a crash,
and what comes of them loads as a stock fill-mask model and is fine-tuned on.
"""

import math

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer, BertForMaskedLM

from bertsent.data.examples import Example, Reviews
from bertsent.data.plain_texts import as_texts
from bertsent.errors import BadInput, OtherTask
from bertsent.models.checkpoint import load_checkpoint
from bertsent.models.head_origins import OWN, RANDOM
from bertsent.probing.loaded_model import load, load_folder
from bertsent.tasks.masked_words import MASKED_WORDS
from bertsent.text.masked_sentence import typed_sentence
from bertsent.text.masking import NO_LABEL, mask_rows
from bertsent.training.build import build_model
from bertsent.training.curves.reading import answer_losses
from bertsent.training.events import Finished, Resumed
from bertsent.training.masked_state import MaskedState
from bertsent.training.runs.launcher import prepare_run
from bertsent.training.runs.report import run_report
from bertsent.training.runs.run import find_run
from bertsent.training.runs.run_export import export_run
from tests.training.loop_harness import LoopHarness, equal, facts, fresh, recipe
from tests.training.workers import STEP, kill, state

GAPS = ("the movie was [MASK].", "a [MASK] film")
STILL = {"dropout": 0.0, "hidden_dropout": 0.0}


@pytest.fixture(scope="module")
def texts(toy_reviews: Reviews) -> Reviews:
    return as_texts(toy_reviews)


@pytest.fixture
def course(tiny_backbone, texts):
    def make(folder=None, **changes):
        return LoopHarness(tiny_backbone, texts, recipe(**changes), folder, GAPS)

    return make


def stock(folder) -> BertForMaskedLM:
    return BertForMaskedLM.from_pretrained(folder, local_files_only=True).eval()


def test_losses_are_those_of_the_library_on_the_same_corrupted_texts(
    course, tiny_backbone, tmp_path
) -> None:
    found = course(tmp_path / "checkpoints", epochs=1, kept_checkpoints=0, **STILL)
    found.go()
    theirs = stock(tmp_path / "checkpoints" / "step-0")
    model, tokenizer = fresh(tiny_backbone, found.config, MASKED_WORDS)
    trained = MaskedState(model, tokenizer, found.splits, found.config, "cpu")
    (rows,) = trained.batches(1)
    read, asked = mask_rows([trained.train.ids[row] for row in rows], tokenizer, (42, 1, 1))
    batch = tokenizer.fast.pad({"input_ids": read}, return_tensors="pt")
    wide = batch["input_ids"].shape[1]
    labels = torch.tensor([row + [NO_LABEL] * (wide - len(row)) for row in asked])
    with torch.no_grad():
        given = theirs(**batch, labels=labels)
    first = found.history.steps[0]
    assert first.loss == pytest.approx(given.loss.item(), rel=1e-5)
    places = labels != NO_LABEL
    right = (given.logits[places].argmax(-1) == labels[places]).float().mean().item()
    assert first.accuracy == pytest.approx(right)


def test_the_evaluation_is_worked_out_again_by_the_library(course, tmp_path) -> None:
    found = course(tmp_path / "checkpoints", epochs=2)
    found.go()
    last = found.history.evaluations[-1]
    theirs = stock(tmp_path / "checkpoints" / f"step-{last.step}")
    ids = found.tokenizer.ids(found.splits.validation.texts, 64)
    read, asked = mask_rows(ids, found.tokenizer, (42, 2))
    losses, ranks, places = [], [], []
    for place, (row, labels) in enumerate(zip(read, asked, strict=True)):
        with torch.no_grad():
            logits = theirs(torch.tensor([row])).logits[0].double()
        for at, label in enumerate(labels):
            if label != NO_LABEL:
                losses.append(-logits[at].log_softmax(-1)[label].item())
                ranks.append(1 + int((logits[at] > logits[at][label]).sum()))
                places.append(place)
    kept = np.array(found.scores[last.step])
    assert kept[:, 0] == pytest.approx(losses, abs=1e-4)
    assert kept[:, 1].tolist() == ranks and kept[:, 2].tolist() == places
    assert last.loss == pytest.approx(np.mean(losses), abs=1e-5)
    assert last.metrics == pytest.approx(
        {
            "masked_accuracy": np.mean(np.array(ranks) == 1),
            "among_ten": np.mean(np.array(ranks) <= 10),
            "perplexity": math.exp(np.mean(losses)),
        },
        rel=1e-4,
    )
    by_text = answer_losses(kept, found.splits.validation)
    assert len(by_text) == len(found.splits.validation)
    assert by_text.mean() == pytest.approx(np.mean(losses), abs=1e-4)


def test_it_learns_and_says_its_guesses(course) -> None:
    found = course(epochs=12, encoder_lr=3e-3, head_lr=1e-2)
    assert isinstance(found.go(), Finished)
    first, last = found.history.evaluations[0], found.history.evaluations[-1]
    assert last.loss < first.loss - 1
    assert last.metrics["among_ten"] > first.metrics["among_ten"] + 0.3
    frame = found.history.guess_frame()
    assert set(frame["text"]) == set(GAPS) and set(frame["rank"]) == set(range(1, 11))
    assert frame["step"].max() == found.history.step
    with torch.no_grad():
        found.model.eval()
        sentence = typed_sentence(GAPS[0], found.tokenizer, 64)
        ids = torch.tensor([sentence.ids])
        logits = found.model(ids, torch.ones_like(ids))[0, sentence.places[0]].double()
    now = frame[(frame["text"] == GAPS[0]) & (frame["step"] == found.history.step)]
    best = logits.softmax(-1).topk(10)
    assert now["p"].tolist() == pytest.approx(best.values.tolist(), abs=1e-5)
    assert now["word"].tolist() == found.tokenizer.fast.convert_ids_to_tokens(best.indices.tolist())
    p = found.history.sentinel_frame()
    assert p["p_positive"].iloc[-1] == pytest.approx(
        frame[(frame["text"] == GAPS[1]) & (frame["rank"] == 1)]["p"].iloc[-1]
    )


@pytest.mark.parametrize(("size", "times"), [(8, 2), (4, 4)])
def test_batches_that_accumulate_read_what_one_large_batch_reads(course, size, times) -> None:
    small = course(batch_size=size, accumulate=times, **STILL)
    large = course(batch_size=size * times, **STILL)
    small.go(), large.go()
    for ours, theirs in zip(small.history.steps, large.history.steps, strict=True):
        assert (ours.loss, ours.accuracy) == pytest.approx((theirs.loss, theirs.accuracy), rel=5e-4)


def test_a_crash_costs_nothing_and_watching_changes_nothing(course, tmp_path) -> None:
    alone = course(save_seconds=0.0)
    alone.go()
    crashed = course(tmp_path / "checkpoints", save_seconds=0.0)
    crashed.go(crash_after=9)
    assert isinstance(crashed.go(), Finished)
    assert any(isinstance(event, Resumed) for event in crashed.events)
    assert facts(crashed.history) == facts(alone.history)
    assert crashed.history.guess_frame().equals(alone.history.guess_frame())
    assert equal(crashed.weights(), alone.weights())
    unwatched = course(save_seconds=0.0)
    unwatched.sentinels = ()
    unwatched.go()
    assert equal(unwatched.weights(), alone.weights())


def test_killed_and_resumed_is_identical(lab, tiny_backbone, tmp_path, workers, toy_csv) -> None:
    """``kill -9`` within a step; then losses, guesses, weights, report and export are those of the
    run that was left alone.
    """
    config = recipe(save_seconds=0.0)
    runs = [
        prepare_run(
            toy_csv,
            config,
            model=str(tiny_backbone),
            task=MASKED_WORDS.name,
            sentinels=GAPS,
            name=name,
        )
        for name in ("left-alone", "killed")
    ]
    assert workers.finish(runs[0]) == 0
    kill(workers.begin(runs[1], freeze=(STEP, 6)))
    assert state(runs[1]) == "interrupted"
    assert workers.finish(runs[1]) == 0
    first, second = (find_run(run.id) for run in runs)
    assert facts(first.history()) == facts(second.history())
    assert first.history().guess_frame().equals(second.history().guess_frame())
    assert first.history().started.begins == RANDOM
    step = first.history().step
    models = [load_checkpoint(run.checkpoints / f"step-{step}").model for run in (first, second)]
    assert equal(*(model.state_dict() for model in models))
    assert run_report(first).text == run_report(second).text
    _loads_away(export_run(second, tmp_path / "away"), models[1])
    with pytest.raises(OtherTask, match="fill in words"):
        load(first.id).predict(["a fine film"])


def _loads_away(folder, ours) -> None:
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    ids = torch.tensor([tokenizer.convert_tokens_to_ids(["[CLS]", "fine", "[MASK]", "[SEP]"])])
    theirs = AutoModelForMaskedLM.from_pretrained(folder, local_files_only=True).eval()
    assert type(theirs) is BertForMaskedLM
    with torch.no_grad():
        expected = theirs(ids).logits
        assert torch.allclose(ours(ids, torch.ones_like(ids)), expected, atol=1e-4)
        assert torch.equal(theirs.get_output_embeddings().weight, ours.input_vectors)
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "fill-mask" in text and "text-classification" not in text


def test_the_result_is_fine_tuned_on_and_pretrained_on(course, tmp_path, toy_reviews) -> None:
    found = course(tmp_path / "checkpoints", epochs=1)
    found.go()
    folder = tmp_path / "checkpoints" / f"step-{found.history.step}"
    model, _ = build_model(str(folder), recipe())
    assert equal(model.bert.state_dict(), found.model.bert.state_dict())
    assert model.task != MASKED_WORDS
    further, _ = build_model(str(folder), recipe(), task=MASKED_WORDS)
    assert further.begins == OWN
    assert equal(further.state_dict(), found.model.state_dict())
    assert load_folder(folder).gives == {"attention", "embedding"}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "no reviews"),
        (["good", "bad", "so so"] * 20, "at least 10"),
        (["a fine warm film"] * 9, "at least 10"),
    ],
)
def test_texts_that_cannot_be_learned_from_are_refused(rows, words, lab, tiny_backbone) -> None:
    texts = Reviews("mine", tuple(Example(f"{i}", text) for i, text in enumerate(rows)))
    with pytest.raises(BadInput, match=words):
        prepare_run(as_texts(texts), recipe(), model=str(tiny_backbone))
    assert not (lab / "runs").exists()


@pytest.mark.parametrize("gap", ["no gap at all", "[MASK] and [MASK]"])
def test_a_sentinel_has_one_gap(gap, lab, texts, tiny_backbone) -> None:
    with pytest.raises(BadInput, match=r"\[MASK\]"):
        prepare_run(texts, recipe(), model=str(tiny_backbone), sentinels=(gap,))
    run = prepare_run(texts, recipe(), model=str(tiny_backbone), sentinels=GAPS)
    with pytest.raises(BadInput):
        run.set_sentinels((gap,))
    assert run.sentinels() == GAPS
