"""The heads of pretraining learn from what nobody is judged on, by the loss of transformers' own
class; a killed training goes on as if nothing had been; what is written can be asked and was
measured.
"""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from scipy.stats import binomtest

from bertsent.errors import BadInput, NotAvailable
from bertsent.models.backbone import load_backbone
from bertsent.models.folders import WEIGHTS
from bertsent.models.language_model_head import DELTA
from bertsent.probing.fill_mask import fill_masks
from bertsent.probing.shipped_word_scores import COLUMNS, COUNTS, WITH_HEAD
from bertsent.recipe.datasets import RecipeData
from bertsent.recipe.learned_rows import LearnedRows
from bertsent.recipe.learning import learn
from bertsent.recipe.words_learning import WordLearning
from bertsent.recipe.words_plan import SHARES, WORDS_PLAN, WordStage
from bertsent.recipe.words_release import model_of, release_words
from bertsent.recipe.words_scores import word_score_rows
from bertsent.recipe.words_sets import (
    FEWEST,
    OTHERS,
    PASSAGE,
    held_out_word_sets,
    learned_word_sets,
    passages,
    sentence_pairs,
)
from bertsent.text.masking import NO_LABEL, mask_tokens
from tests.recipe.conftest import write_tables

HEADS, LAYERS = (
    replace(stage, steps=4, longest=16)
    for stage in WORDS_PLAN.stages
    if isinstance(stage, WordStage)
)
PLAN = replace(WORDS_PLAN, stages=(HEADS, LAYERS), batch_size=2, save_every=2)


def review(number: int) -> str:
    """Four sentences that no other review has."""
    parts = ("opens the {} door slowly", "sees film number {} again", "likes the {} of it all")
    return " ".join(f"He {part.format(f'x{number}')}." for part in parts) + " So so."


@pytest.fixture(scope="module")
def words_data(tmp_path_factory: pytest.TempPathFactory) -> RecipeData:
    folder = write_tables(tmp_path_factory.mktemp("words-data"))
    imdb = pd.read_parquet(folder / "imdb_train.parquet")
    imdb["text"] = [review(number) for number in range(len(imdb))]
    imdb.to_parquet(folder / "imdb_train.parquet")
    for name, columns in OTHERS.items():
        table = {column: [f"A text of {name}, {column}.", None] for column in columns}
        pd.DataFrame(table).to_parquet(folder / f"{name}.parquet")
    return RecipeData(folder)


@pytest.fixture(scope="module")
def sets(words_data: RecipeData) -> dict[str, LearnedRows]:
    return learned_word_sets(words_data)


def test_nothing_is_learned_that_is_judged(words_data: RecipeData, sets) -> None:
    assert set(sets) == set(SHARES) and math.isclose(sum(SHARES.values()), 1)
    learned = " ".join(text for rows in sets.values() for pair in rows.inputs for text in pair)
    for number in range(40):
        held = number % 10 == 9 or number == 3  # of fold 9, or an original of a development pair
        assert (f"x{number} " in learned) != held, number
    judged = held_out_word_sets(words_data)
    assert [text for text, _ in judged["IMDb, held-out films"].inputs] == [
        review(number) for number in (9, 19, 29, 39)
    ]
    assert "A text of mustard_train, text." in learned and "None" not in learned
    assert all(not rows.targets for name, rows in sets.items() if name != "pairs")


def test_a_missing_file_is_named(words_data: RecipeData, tmp_path: Path) -> None:
    folder = write_tables(tmp_path)
    with pytest.raises(NotAvailable, match=r"quora_train\.parquet"):
        learned_word_sets(RecipeData(folder))


def test_passages_are_the_review_in_pieces() -> None:
    long = " ".join(f"{'word ' * (number % 40)}end{number}." for number in range(60))
    pieces = list(passages(long))
    assert " ".join(pieces) == long and len(pieces) > 5
    assert all(len(piece.split()) <= PASSAGE for piece in pieces)
    assert list(passages("One. Two!")) == ["One. Two!"]
    endless = "word " * 200
    assert " ".join(passages(endless)) == endless


def test_half_of_the_pairs_follow_each_other() -> None:
    reviews = [review(number) for number in range(500)]
    pairs = sentence_pairs(reviews)
    strange = pairs.targets["following"]
    assert len(pairs.inputs) == 1_000  # the last sentence of each is too short
    assert binomtest(int(strange.sum()), len(strange), 0.5).pvalue > 1e-4
    for (first, second), random in zip(pairs.inputs, strange, strict=True):
        assert min(len(first.split()), len(second.split())) >= FEWEST
        together = [f"{first} {second}" in each for each in reviews]
        assert sum(together) == (0 if random else 1)
        if random:
            numbers = [{w for w in side.split() if w[0] == "x"} for side in (first, second)]
            assert numbers[0] != numbers[1]
    assert sentence_pairs(reviews).inputs == pairs.inputs
    with pytest.raises(BadInput, match="two reviews"):
        sentence_pairs([review(1)])


def test_a_step_has_the_loss_of_transformers(sets) -> None:
    """``BertForPreTraining`` adds the same two means, given the corruption and all logits."""
    from transformers import BertForPreTraining

    training = WordLearning(sets, PLAN, HEADS)
    batch = training.streams["pairs"].next()
    read, labels = mask_tokens(batch.tokens.input_ids, training.tokenizer, training._draw())
    assert (labels != NO_LABEL).any()
    model = model_of(training.averaged())
    theirs = BertForPreTraining(model.bert.config)
    theirs.bert.load_state_dict(model.bert.state_dict(), strict=False)
    theirs.bert.pooler.dense.load_state_dict(model.following.dense.state_dict())
    theirs.cls.seq_relationship.load_state_dict(model.following.classifier.state_dict())
    predictions = theirs.cls.predictions
    predictions.transform.dense.load_state_dict(model.words.dense.state_dict())
    predictions.transform.LayerNorm.load_state_dict(model.words.norm.state_dict())
    with torch.no_grad():
        predictions.bias.copy_(model.words.bias)
        predictions.decoder.bias.copy_(model.words.bias)
        expected = theirs.eval()(
            input_ids=read,
            attention_mask=batch.tokens.attention_mask,
            token_type_ids=batch.tokens.segments(training.tokenizer.sep_id),
            labels=labels,
            next_sentence_label=batch.targets["following"].long(),
        ).loss
        assert training.loss(batch).item() == pytest.approx(expected.item(), rel=1e-4)


def test_the_bias_begins_with_the_shares_of_the_words(sets) -> None:
    training = WordLearning(sets, PLAN, HEADS)
    tokenizer = load_backbone("builtin").tokenizer
    counts = np.ones(len(tokenizer.fast))
    for rows in sets.values():
        for row in tokenizer.input_ids(rows.inputs, 16):
            for number in row:
                counts[number] += 1
    begun = training.heads["words"].bias.detach().numpy()
    np.testing.assert_allclose(begun, np.log(counts / counts.sum()), rtol=1e-5)


def test_only_what_the_stage_says_learns(sets) -> None:
    before = load_backbone("builtin").model.state_dict()
    for stage, layers in ((HEADS, set()), (LAYERS, {"4", "5"})):
        training = WordLearning(sets, PLAN, stage)
        training.take_step()
        training.take_step()
        after = training.bert.state_dict()
        changed = {name for name in before if not torch.equal(before[name], after[name])}
        assert {name.split(".")[2] for name in changed} == layers


def test_the_corruption_changes_from_step_to_step_and_stage_to_stage(sets) -> None:
    training = [WordLearning(sets, PLAN, stage) for stage in PLAN.stages]
    seeds = [training[0]._draw(), training[1]._draw()]
    training[0].step = 1
    assert len({*seeds, training[0]._draw()}) == 3
    assert seeds[0] == WordLearning(sets, PLAN, HEADS)._draw()


@pytest.fixture(scope="module")
def weights(sets, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training that was left alone."""
    path = tmp_path_factory.mktemp("trained") / "weights.pt"
    assert len(list(learn(sets, PLAN, path, WordLearning))) == 4
    return path


def test_a_killed_training_goes_on_as_if_nothing_had_been(sets, weights, tmp_path) -> None:
    again = tmp_path / "weights.pt"
    for kept in ("heads: step 2", "heads: step 4", "layers: step 2"):  # killed after it saved
        assert next(learn(sets, PLAN, again, WordLearning)).startswith(kept)
    list(learn(sets, PLAN, again, WordLearning))
    first, second = (torch.load(path, weights_only=True) for path in (weights, again))
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert "**layers**: the last 2 layers" in weights.with_suffix(".md").read_text()


def test_what_is_written_is_measured_and_can_be_asked(
    words_data: RecipeData, weights: Path, tmp_path: Path
) -> None:
    into = tmp_path / "words"
    lines = list(release_words(weights, words_data, into))
    scores = pd.read_csv(into / "scores.csv")
    assert list(scores.columns) == list(COLUMNS) and len(lines) == len(scores) + 1
    assert set(scores["metric"]) == {"top 1", "top 10", "perplexity", "next sentence"}
    card = (into / "README.md").read_text(encoding="utf-8")
    [gap] = fill_masks(into, "The cat sat on the [MASK].", 5)
    assert f"| The cat sat on the [MASK]. | {gap.words[0][0]} " in card
    assert "{" not in card and "of 4 pairs" not in card and "7.1 MB" in card
    stored = load_file(into / WEIGHTS)
    assert {name.split(".")[3] for name in stored if name.startswith(DELTA)} == {"4", "5"}
    with pytest.raises(BadInput, match="not the weights of a language model"):
        model_of({"bert.x": torch.zeros(1)})


def test_scores_by_numpy(weights: Path) -> None:
    """Of word counts, whose answer is the same everywhere, and of the head by the library's class
    on the same corruption.
    """
    tokenizer = load_backbone("builtin").tokenizer
    texts = LearnedRows([(review(number), "") for number in (9, 19, 29)], {})
    counts = np.random.default_rng(1).integers(0, 50, len(tokenizer.fast))
    model = model_of(torch.load(weights, weights_only=True))
    rows = {
        (row["model"], row["metric"]): row for row in word_score_rows(model, {"few": texts}, counts)
    }
    ids = torch.tensor(tokenizer.input_ids(texts.inputs, 128))  # all of one length
    ids = torch.nn.functional.pad(ids, (0, 32 - ids.shape[1]))
    read, labels = mask_tokens(ids, tokenizer, 20)
    drawn = labels != NO_LABEL
    truth = labels[drawn].numpy()
    log_share = np.log((counts + 1) / (counts + 1).sum())
    perplexity = np.exp(-log_share[truth].mean())
    assert rows[COUNTS, "perplexity"]["value"] == pytest.approx(perplexity, rel=1e-4)
    in_ten = [(log_share > log_share[t]).sum() < 10 for t in truth]
    assert rows[COUNTS, "top 10"]["value"] == pytest.approx(np.mean(in_ten))
    with torch.no_grad():
        logits = model.word_logits(model.hidden(read, (ids != 0).long()))[drawn].numpy()
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    own = np.exp(-np.log(p[np.arange(len(truth)), truth]).mean())
    assert rows[WITH_HEAD, "perplexity"]["value"] == pytest.approx(own, rel=1e-3)
    assert rows[WITH_HEAD, "top 1"]["value"] == pytest.approx((p.argmax(1) == truth).mean())
    assert rows[WITH_HEAD, "top 1"]["n"] == len(truth)
