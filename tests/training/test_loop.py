"""Proofs about the training loop, on a tiny BERT: what it computes, and that nothing but its
settings changes it.
"""

import json
import math

import numpy as np
import pytest
import torch

from bertsent.data.splits import split
from bertsent.errors import BadInput
from bertsent.models.checkpoint import load_checkpoint
from bertsent.models.task_model import BertForTask
from bertsent.probing.loaded_model import load_folder
from bertsent.text.batches import collate, shuffled_batches
from bertsent.training.build import build_model
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.config import MAX_GRADIENT_NORM, TrainingConfig
from bertsent.training.events import (
    Evaluated,
    EventLog,
    Failed,
    Finished,
    Paused,
    Resumed,
    Saved,
    Sentinel,
    Started,
    Stepped,
    Stopped,
)
from bertsent.training.lr_schedule import rate_factor
from bertsent.training.runs.history import History
from bertsent.training.trainable_parameters import build_optimizer, choose_trainable, merged
from bertsent.training.trainer_state import TrainerState
from tests.training.loop_harness import (
    SENTINELS,
    LoopHarness,
    equal,
    facts,
    fresh,
    paused_after,
    recipe,
)

WAYS = [("everything", "cls"), ("head", "mean"), ("last", "cls"), ("lora", "mean")]


@pytest.fixture
def course(tiny_backbone, toy_reviews):
    """Make a course: ``course(folder=None, sentinels=(), **changes of the recipe)``."""

    def make(folder=None, sentinels=(), **changes):
        return LoopHarness(tiny_backbone, toy_reviews, recipe(**changes), folder, sentinels)

    return make


@pytest.fixture(scope="module")
def alone(tiny_backbone, toy_reviews):
    """Courses that nobody interrupted, one for each way to train: what all others must equal."""
    done = {}

    def get(trains="everything", pooling="cls", precision="fp32"):
        way = (trains, pooling, precision)
        if way not in done:
            config = recipe(trains=trains, pooling=pooling, precision=precision, last_layers=1)
            done[way] = LoopHarness(tiny_backbone, toy_reviews, config, None, SENTINELS)
            assert isinstance(done[way].go(), Finished)
        return done[way]

    return get


# What is stated


def test_a_course_states_its_facts_in_order(alone):
    events = alone().events
    assert [type(e) for e in events[:3]] == [Started, Sentinel, Evaluated]
    assert type(events[-1]) is Finished
    assert [e.step for e in events if isinstance(e, Stepped)] == list(range(1, 9))
    assert [e.step for e in events if isinstance(e, Evaluated)] == [0, 4, 8]
    started = events[0]
    assert (
        started.total_steps,
        started.steps_per_epoch,
        started.train_rows,
        started.validation_rows,
    ) == (8, 4, 32, 8)
    assert started.trainable == started.parameters


def test_it_learns(course):
    run = course(epochs=10)
    run.go()
    losses = [s.loss for s in run.history.steps]
    assert np.mean(losses[-4:]) < 0.5 * np.mean(losses[:4])
    assert run.history.best_accuracy >= 0.75


def test_what_an_epoch_states_of_its_training_is_the_mean_of_its_batches(alone):
    history = alone().history
    assert (
        history.evaluations[0].train_loss is None and history.evaluations[0].train_accuracy is None
    )
    for number, evaluation in enumerate(history.evaluations[1:]):
        batches = history.steps[4 * number : 4 * number + 4]
        assert evaluation.train_loss == pytest.approx(np.mean([b.loss for b in batches]), abs=1e-12)
        assert evaluation.train_accuracy == pytest.approx(
            np.mean([b.accuracy for b in batches]), abs=1e-12
        )


def test_every_review_is_learned_from_once_an_epoch(alone):
    history, started = alone().history, alone().history.started
    assert (
        sum(s.tokens for s in history.steps[:4])
        == sum(s.tokens for s in history.steps[4:])
        == started.tokens_per_epoch
    )


def test_the_rate_of_work_is_stated(alone):
    for step in alone().history.steps:
        assert step.tokens_per_second > 0 and step.eta_seconds >= 0 and step.seconds > 0
    assert alone().history.steps[-1].eta_seconds < alone().history.steps[0].eta_seconds + 5


# The same again


def test_the_same_seed_gives_the_same_losses_and_weights(course, alone):
    again = course(sentinels=SENTINELS)
    again.go()
    assert facts(again.history) == facts(alone().history)
    assert equal(again.weights(), alone().weights())


def test_another_seed_gives_other_losses(course, alone):
    other = course(seed=43)
    other.go()
    assert [s.loss for s in other.history.steps] != [s.loss for s in alone().history.steps]


def test_the_state_of_the_random_generators_does_not_matter(course, alone):
    np.random.seed(1)
    torch.manual_seed(999)
    again = course(sentinels=SENTINELS)
    again.go(requested=lambda: torch.rand(3).sum() and np.random.rand() and "")
    assert facts(again.history) == facts(alone().history)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_watching_sentinels_changes_nothing(course, alone, precision):
    """The proof that the sentinels are only looked at: with none, the losses and the weights are
    the same to the last bit.
    """
    watched, unwatched = alone(precision=precision), course(precision=precision)
    unwatched.go()
    assert facts(unwatched.history)["steps"] == facts(watched.history)["steps"]
    assert facts(unwatched.history)["evaluations"] == facts(watched.history)["evaluations"]
    assert not unwatched.history.sentinels and watched.history.sentinels
    assert equal(unwatched.weights(), watched.weights())


def test_keeping_checkpoints_changes_nothing(course, alone, tmp_path):
    kept = course(folder=tmp_path, sentinels=SENTINELS, save_seconds=0)
    kept.go()
    assert facts(kept.history) == facts(alone().history)


def test_sentinels_are_scored_at_the_start_and_every_so_many_steps(course, tmp_path):
    """40 steps, every 5: nine times, and the last is what the saved model answers."""
    run = course(folder=tmp_path, sentinels=SENTINELS, epochs=10, sentinel_every=5)
    run.go()
    sentinels = [e for e in run.events if isinstance(e, Sentinel)]
    assert [s.step for s in sentinels] == [0, 5, 10, 15, 20, 25, 30, 35, 40]
    assert all(list(s.scores) == list(SENTINELS) for s in sentinels)
    answers = load_folder(tmp_path / "step-40").predict(SENTINELS)
    assert list(sentinels[-1].scores.values()) == pytest.approx(
        [a.p_positive for a in answers], abs=1e-6
    )


def test_without_a_choice_there_are_about_sixty_looks(course):
    run = course(epochs=31, sentinel_every=0, sentinels=("great fun",), trains="head")
    run.go()
    assert 60 <= len(run.history.sentinels) <= 64
    assert run.history.sentinels[-1].step == 124


def test_build_model_gives_the_same_model_each_time(tiny_backbone):
    config = recipe(pooling="mean")
    assert equal(
        build_model(str(tiny_backbone), config)[0].state_dict(),
        fresh(tiny_backbone, config)[0].state_dict(),
    )
    other = build_model(str(tiny_backbone), recipe(seed=7))[0]
    assert not torch.equal(
        other.classifier.weight, fresh(tiny_backbone, config)[0].classifier.weight
    )


# Going on


@pytest.mark.parametrize(("trains", "pooling"), WAYS)
@pytest.mark.parametrize("calls", [2, 3])
def test_a_course_paused_again_and_again_ends_as_one_left_alone(
    course, alone, tmp_path, trains, pooling, calls
):
    """Every pass is paused when it is asked for the second or third time: between steps, within
    evaluations, at epoch ends.
    """
    run = course(
        folder=tmp_path, sentinels=SENTINELS, trains=trains, pooling=pooling, last_layers=1
    )
    while isinstance(run.go(requested=paused_after(calls)), Paused):
        assert run.passes < 20
    assert run.passes > 3
    assert facts(run.history) == facts(alone(trains, pooling).history)
    assert equal(run.weights(), alone(trains, pooling).weights())


def test_a_pause_before_the_first_step_costs_nothing(course, alone, tmp_path):
    run = course(folder=tmp_path, sentinels=SENTINELS)
    assert run.go(requested=lambda: "pause") == run.events[-1]
    assert isinstance(run.events[-1], Paused) and run.events[-1].step == 0
    assert isinstance(run.go(), Finished)
    assert facts(run.history) == facts(alone().history)


def test_a_pause_in_the_middle_of_an_evaluation_repeats_only_the_evaluation(
    course, alone, tmp_path
):
    run = course(folder=tmp_path, sentinels=SENTINELS)
    run.go(requested=lambda: "pause" if run.events and run.events[-1].step == 4 else "")
    assert isinstance(run.events[-1], Paused) and [e.step for e in run.history.evaluations] == [0]
    resumed_at = len(run.events)
    run.go()
    assert [type(e) for e in run.events[resumed_at : resumed_at + 2]] == [Resumed, Evaluated]
    assert facts(run.history) == facts(alone().history)


@pytest.mark.parametrize(
    ("save_seconds", "crashes"), [(0.0, (3, 9, 4, 6, 2)), (86_400.0, (12, 3, 14))]
)
def test_a_course_killed_again_and_again_ends_as_one_left_alone(
    course, alone, tmp_path, save_seconds, crashes
):
    """Nobody hears of what came after the last checkpoint; it is done again and gives the same."""
    run = course(folder=tmp_path, sentinels=SENTINELS, save_seconds=save_seconds)
    for events in crashes:
        run.go(crash_after=events)
    assert isinstance(run.go(), Finished)
    assert facts(run.history) == facts(alone().history)
    assert equal(run.weights(), alone().weights())


def test_resuming_works_in_bf16_as_well(course, alone, tmp_path):
    run = course(folder=tmp_path, sentinels=SENTINELS, precision="bf16")
    run.go(requested=paused_after(8))
    run.go()
    assert facts(run.history) == facts(alone(precision="bf16").history)


def test_resuming_what_is_finished_does_nothing(course, alone, tmp_path):
    run = course(folder=tmp_path, sentinels=SENTINELS)
    run.go()
    before = len(run.events)
    run.go()
    assert [type(e) for e in run.events[before:]] == [Resumed, Finished]
    assert facts(run.history) == facts(alone().history)


def test_a_damaged_newest_checkpoint_sends_the_run_back_to_the_one_before(
    course, alone, tmp_path, capsys
):
    run = course(folder=tmp_path, sentinels=SENTINELS, save_seconds=0)
    run.go(requested=paused_after(9))
    newest, older = list(reversed(list_checkpoints(tmp_path)))[:2]
    weights = bytearray((newest / "model.safetensors").read_bytes())
    weights[-1_000] ^= 0xFF  # one flipped byte: the file still loads
    (newest / "model.safetensors").write_bytes(weights)
    run.go()
    assert f"{newest.name} cannot be resumed from" in capsys.readouterr().out
    assert [e.step for e in run.events if isinstance(e, Resumed)] == [int(older.name[5:])]
    assert facts(run.history) == facts(alone().history)


@pytest.mark.parametrize(
    "file",
    ["trainer.safetensors", "trainer.json", "model.safetensors", "config.json", "bertsent.json"],
)
def test_whatever_file_is_cut_short_the_run_goes_on_exactly(course, alone, tmp_path, file):
    run = course(folder=tmp_path, sentinels=SENTINELS, save_seconds=0)
    run.go(requested=paused_after(5))
    newest = list_checkpoints(tmp_path)[-1]
    (newest / file).write_bytes((newest / file).read_bytes()[:50])
    run.go()
    assert facts(run.history) == facts(alone().history)


def test_when_all_checkpoints_are_damaged_the_run_starts_from_the_beginning(
    course, alone, tmp_path
):
    run = course(folder=tmp_path, sentinels=SENTINELS)
    run.go(requested=paused_after(5))
    for folder in list_checkpoints(tmp_path):
        (folder / "trainer.safetensors").write_bytes(b"")
    run.go()
    assert sum(isinstance(e, Started) for e in run.events) == 2
    assert facts(run.history) == facts(alone().history)


# What stays on disk


def test_epoch_ends_stay_and_the_newest_two_can_be_gone_on_from(course, tmp_path):
    run = course(folder=tmp_path, epochs=3, save_seconds=0)
    run.go()
    folders = list_checkpoints(tmp_path)
    assert [f.name for f in folders] == ["step-0", "step-4", "step-8", "step-11", "step-12"]
    assert [f.name for f in folders if (f / "trainer.safetensors").exists()] == [
        "step-11",
        "step-12",
    ]
    assert not list(tmp_path.glob(".*"))
    assert [e.folder for e in run.events if isinstance(e, Saved)][-1] == "step-12"


def test_a_stopped_course_keeps_its_weights(course, tmp_path):
    run = course(folder=tmp_path, sentinels=SENTINELS)
    last = run.go(requested=lambda: "stop" if run.events and run.events[-1].step == 3 else "")
    assert isinstance(last, Stopped) and last.step == 3
    learner = load_folder(tmp_path / "step-3")
    assert learner.predict(["great fun"])[0].p_positive == pytest.approx(
        _probability(run, "great fun"), abs=1e-6
    )


def test_without_a_store_nothing_is_written(course, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = course()
    run.go()
    assert not any(isinstance(e, Saved) for e in run.events) and not list(tmp_path.iterdir())


def test_scores_of_all_validation_reviews_are_kept(course, tmp_path):
    run = course(folder=tmp_path)
    run.go()
    assert sorted(run.scores) == [0, 4, 8]
    learner = load_folder(tmp_path / "step-8")
    validation = run.splits.validation
    found = learner.probabilities(validation.texts)[:, 1]
    assert run.scores[8] == pytest.approx(found.tolist(), abs=1e-5)
    right = np.mean((found > 0.5) == np.array(validation.labels))
    assert run.history.evaluations[-1].accuracy == pytest.approx(right)


def _probability(run, text):
    model = run.model.eval()
    ids = torch.tensor(run.tokenizer.ids([text], 64))
    with torch.inference_mode():
        return model(ids, torch.ones_like(ids)).double().softmax(-1)[0, 1].item()


# What trains


def test_training_the_head_leaves_the_encoder_untouched(alone, tiny_backbone):
    run = alone("head", "mean")
    before = fresh(tiny_backbone, run.config)[0].state_dict()
    after = run.weights()
    assert all(
        torch.equal(before[name], after[name]) for name in before if name.startswith("bert.")
    )
    assert not torch.equal(before["classifier.weight"], after["classifier.weight"])
    assert run.history.started.trainable == 2 * 32 + 2
    assert {s.learning_rate for s in run.history.steps} == {0.0}


def test_a_head_on_a_768_wide_encoder_has_1538_parameters():
    """001-27 and 000-16: W in R^{768x2} and b; 2 * 768 + 2."""
    from transformers import BertConfig, BertModel

    bert = BertModel(
        BertConfig(vocab_size=50, num_hidden_layers=1, max_position_embeddings=16),
        add_pooling_layer=False,
    )
    model = BertForTask(bert)
    choose_trainable(model, TrainingConfig(trains="head"))
    assert sum(p.numel() for p in model.parameters() if p.requires_grad) == 1_538
    assert {name for name, p in model.named_parameters() if p.requires_grad} == {
        "classifier.weight",
        "classifier.bias",
    }


def test_training_the_last_layer_changes_just_that_and_the_head(alone, tiny_backbone):
    run = alone("last", "cls")
    before, after = fresh(tiny_backbone, run.config)[0].state_dict(), run.weights()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    moving = {name for name in before if name.startswith(("bert.encoder.layer.1.", "classifier."))}
    assert (
        changed == moving - {"bert.encoder.layer.1.attention.self.key.bias"} or changed == moving
    )  # a key bias has no gradient


def test_more_last_layers_than_there_are_is_refused(tiny_backbone):
    config = recipe(trains="last", last_layers=3)
    with pytest.raises(BadInput, match="The encoder has 2 layers, not 3. Train at most 2."):
        choose_trainable(fresh(tiny_backbone, config)[0], config)


def test_adapters_are_all_that_moves_and_a_merged_checkpoint_answers_the_same(
    course, tiny_backbone, tmp_path
):
    run = course(folder=tmp_path, trains="lora", lora_rank=4, epochs=4)
    run.go()
    assert (
        run.history.started.trainable == 2 * 2 * (2 * 4 * 32) + 66
    )  # query and value of two layers: A (4, 32) and B (32, 4)
    before = fresh(tiny_backbone, run.config)[0].state_dict()
    after = {name.replace(".base_layer", ""): value for name, value in run.weights().items()}
    assert all(
        torch.equal(before[name], after[name]) for name in before if name.startswith("bert.")
    )
    plain = load_checkpoint(tmp_path / "step-16").model
    assert not any("lora" in name for name, _ in plain.named_parameters())
    batch = collate(
        run.tokenizer.ids(run.splits.validation.texts, 64), range(8), pad_id=0, limit=64
    )
    with torch.inference_mode():
        adapted = run.model.eval()(batch.input_ids, batch.attention_mask)
        assert torch.allclose(plain(batch.input_ids, batch.attention_mask), adapted, atol=1e-5)
        assert torch.allclose(
            merged(run.model)(batch.input_ids, batch.attention_mask), adapted, atol=1e-5
        )
    query = "bert.encoder.layer.0.attention.self.query.weight"
    moved = (before[query] - plain.state_dict()[query]).abs().max()
    assert moved > 1e-4  # or the comparison would say nothing


def test_distilbert_trains_in_every_way(tiny_distilbert, toy_reviews):
    for trains in ("last", "lora"):
        run = LoopHarness(
            tiny_distilbert, toy_reviews, recipe(trains=trains, last_layers=1, epochs=1)
        )
        assert isinstance(run.go(), Finished)


# What a step computes


@pytest.fixture
def learning(tiny_backbone, toy_reviews):
    """A course before its first step, without dropout, so that it can be worked out by hand."""

    def make(**changes):
        config = recipe(dropout=0.0, hidden_dropout=0.0, **changes)
        model, encoder = fresh(tiny_backbone, config)
        return TrainerState(model, encoder, split(toy_reviews, seed=config.seed), config, "cpu")

    return make


def _first_batch(found):
    positions = shuffled_batches(found.train.lengths, 8, seed=found.config.seed, epoch=0)[0]
    batch = collate(found.train.ids, positions, pad_id=found.tokenizer.pad_id, limit=64)
    return batch, found.train.targets[list(positions)]


def test_the_loss_is_the_cross_entropy_of_the_batch(learning):
    found = learning()
    batch, labels = _first_batch(found)
    with torch.inference_mode():
        logits = found.plain.eval()(batch.input_ids, batch.attention_mask).double().numpy()
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    by_hand = -np.mean([math.log(p[row, label]) for row, label in enumerate(labels)])
    result = found.take_step(1)
    assert result.loss == pytest.approx(by_hand, abs=1e-6)
    assert result.accuracy == np.mean(p.argmax(1) == labels.numpy())
    assert result.tokens == batch.attention_mask.sum()


def test_an_update_is_a_step_of_adamw_written_out_by_hand(learning):
    """Loshchilov & Hutter 2019: decay apart from the gradient, moments corrected for their start;
    clipped to norm 1 before.
    """
    found = learning(weight_decay=0.1)
    model, optimizer = found.plain, found.optimizer
    rates = {
        id(p): (g["peak"], g["weight_decay"]) for g in optimizer.param_groups for p in g["params"]
    }
    names = {id(p): name for name, p in model.named_parameters()}
    assert rates.keys() == names.keys()
    expected = {name: p.detach().double().clone() for name, p in model.named_parameters()}
    m = {name: torch.zeros_like(value) for name, value in expected.items()}
    v = {name: torch.zeros_like(value) for name, value in expected.items()}
    for step in (1, 2, 3):
        gradients = _gradients(found, step)
        norm = math.sqrt(sum(float(g.double().pow(2).sum()) for g in gradients.values()))
        result = found.take_step(step)
        assert result.grad_norm == pytest.approx(norm, rel=1e-4)
        factor = rate_factor(step, found.total_steps, found.config.warmup_share)
        for parameter in model.parameters():
            name, (peak, decay) = names[id(parameter)], rates[id(parameter)]
            gradient, rate = (
                gradients[name].double() * min(1.0, MAX_GRADIENT_NORM / (norm + 1e-6)),
                peak * factor,
            )
            expected[name] *= 1 - rate * decay
            m[name] = 0.9 * m[name] + 0.1 * gradient
            v[name] = 0.999 * v[name] + 0.001 * gradient**2
            expected[name] -= (
                rate * (m[name] / (1 - 0.9**step)) / ((v[name] / (1 - 0.999**step)).sqrt() + 1e-8)
            )
            sure = gradient.abs() > 1e-6  # where a gradient is all rounding, its sign is chance
            assert torch.allclose(parameter[sure].double(), expected[name][sure], atol=2e-5), (
                step,
                name,
            )
            expected[name] = parameter.detach().double().clone()


def _gradients(found, step):
    epoch, place = divmod(step - 1, found.steps_per_epoch)
    positions = shuffled_batches(found.train.lengths, 8, seed=found.config.seed, epoch=epoch)[place]
    batch = collate(found.train.ids, positions, pad_id=found.tokenizer.pad_id, limit=64)
    found.plain.train()
    logits = found.plain(batch.input_ids, batch.attention_mask)
    loss = -logits.log_softmax(-1)[
        range(len(positions)), found.train.targets[list(positions)]
    ].mean()
    named = dict(found.plain.named_parameters())
    return dict(zip(named, torch.autograd.grad(loss, list(named.values())), strict=True))


def test_biases_and_layer_norms_do_not_decay_and_head_and_encoder_learn_at_their_own_rates(
    tiny_backbone,
):
    config = recipe(weight_decay=0.3, encoder_lr=1e-5, head_lr=1e-3)
    model = fresh(tiny_backbone, config)[0]
    names = {id(p): name for name, p in model.named_parameters()}
    groups = build_optimizer(model, config).param_groups
    assert sorted((g["part"], g["weight_decay"], g["peak"]) for g in groups) == [
        ("encoder", 0.0, 1e-5),
        ("encoder", 0.3, 1e-5),
        ("head", 0.0, 1e-3),
        ("head", 0.3, 1e-3),
    ]
    for group in groups:
        for parameter in group["params"]:
            name = names[id(parameter)]
            assert (group["part"] == "head") == name.startswith("classifier")
            assert (group["weight_decay"] == 0) == (name.endswith("bias") or "LayerNorm" in name)
    assert sum(len(g["params"]) for g in groups) == len(names)


@pytest.mark.parametrize(
    ("total", "share"), [(40, 0.1), (40, 0.25), (7, 0.5), (40, 0.0), (10, 1.0), (1, 0.1)]
)
def test_the_schedule_is_the_library_s_without_its_idle_first_step(total, share):
    """The library's linear schedule with warm-up gives update i (counted from 0) the rate f(i), so
    that its first update does
    nothing. Ours starts one ahead while it warms up, reaches the peak with the last warm-up update,
    and then decays as theirs."""
    from transformers import get_linear_schedule_with_warmup

    warmup = round(total * share)
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    scheduler = get_linear_schedule_with_warmup(optimizer, warmup, total)
    library = []
    for _ in range(total + 1):
        library.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    ours = [rate_factor(step, total, share) for step in range(1, total + 1)]
    theirs = [
        library[step] if step < warmup else library[step - 1] if step > warmup else 1.0
        for step in range(1, total + 1)
    ]
    assert ours == pytest.approx(theirs)
    assert all(0 < rate <= 1 for rate in ours) and max(ours) == 1


def test_the_rates_stated_are_the_rates_of_the_schedule(alone):
    for step in alone().history.steps:
        factor = rate_factor(step.step, 8, 0.25)
        assert step.learning_rate == pytest.approx(
            3e-3 * factor
        ) and step.head_learning_rate == pytest.approx(1e-2 * factor)


# When numbers are no numbers


def _poisoned(run, when, what):
    """Spoil the model just before the step after ``when``."""

    def requested():
        if run.events and run.events[-1].step == when:
            what(run.model)
        return ""

    return requested


def _nan_weight(model):
    with torch.no_grad():
        model.classifier.weight[0, 0] = math.nan


def _infinite_gradient(model):
    model.classifier.bias.register_hook(lambda gradient: gradient * math.inf)


@pytest.mark.parametrize(
    ("spoil", "what"), [(_nan_weight, "loss"), (_infinite_gradient, "gradient")]
)
def test_a_number_that_is_none_ends_the_run_and_keeps_the_last_sound_weights(
    course, alone, tmp_path, spoil, what
):
    run = course(folder=tmp_path / "checkpoints", sentinels=SENTINELS, save_seconds=0)
    failed = run.go(requested=_poisoned(run, 5, spoil))
    assert isinstance(failed, Failed) and failed.step == 6
    assert failed.reason == f"The {what} was not a finite number at step 6."
    assert (
        failed.remedy
        == "Start again with lower learning rates or a longer warm-up. The weights of step 5 are "
        "kept."
    )
    assert facts(run.history)["steps"] == facts(alone().history)["steps"][:5]
    kept = load_checkpoint(tmp_path / "checkpoints" / "step-5").model
    assert all(torch.isfinite(value).all() for value in kept.state_dict().values())
    assert "NaN" not in _log(run, tmp_path) and "Infinity" not in _log(run, tmp_path)


def _log(run, tmp_path):
    log = EventLog(tmp_path / "events.jsonl")
    for event in run.events:
        log.append(event)
    text = log.path.read_text()
    for line in text.splitlines():
        json.loads(line, parse_constant=lambda name: pytest.fail(name))
    return text


def test_an_evaluation_that_gives_no_number_ends_the_run(course, tmp_path):
    """The last update before it spoiled the weights: the loss before it was fine, and nothing
    spoiled is saved.
    """
    run = course(folder=tmp_path)
    spoilt = []

    def keep_going():
        if run.events and run.events[-1].step == 4 and not spoilt:
            spoilt.append(_nan_weight(run.model))
        return ""

    failed = run.go(requested=keep_going)
    assert failed.reason == "The validation loss was not a finite number at step 4."
    assert "The weights of step 0 are kept." in failed.remedy
    assert [f.name for f in list_checkpoints(tmp_path)] == ["step-0"]


def test_a_sentinel_that_gives_no_number_ends_the_run(course, monkeypatch):
    run = course(sentinels=SENTINELS)
    score = TrainerState.score

    def no_number_later(self, texts):
        found = score(self, texts)
        return dict.fromkeys(found, math.nan) if len(run.events) > 3 else found

    monkeypatch.setattr(TrainerState, "score", no_number_later)
    failed = run.go()
    assert isinstance(failed, Failed) and failed.step == 3 and "sentinel" in failed.reason


def test_a_poisoned_backbone_is_found_out_before_the_first_step(course, monkeypatch, tmp_path):
    monkeypatch.setattr("tests.training.loop_harness.fresh", _poisoned_fresh)
    run = course(folder=tmp_path)
    failed = run.go()
    assert isinstance(failed, Failed) and failed.step == 0
    assert failed.remedy == "The model is damaged: choose another one."
    assert not list(tmp_path.iterdir())


def _poisoned_fresh(backbone, config, task):
    model, encoder = fresh(backbone, config)
    with torch.no_grad():
        next(model.bert.parameters()).fill_(math.nan)
    return model, encoder


def test_absurd_rates_never_state_what_is_not_a_number(course, tmp_path):
    """Learning rates of 10 either survive (the layer norms of a small BERT forgive much) or end the
    run with words.
    """
    run = course(
        folder=tmp_path / "checkpoints",
        encoder_lr=10.0,
        head_lr=10.0,
        warmup_share=0.0,
        epochs=5,
        sentinels=SENTINELS,
    )
    assert isinstance(run.go(), (Finished, Failed))
    assert "NaN" not in _log(run, tmp_path)
    assert History().add(EventLog(tmp_path / "events.jsonl").read()[0]).last == run.events[-1]


def test_a_sentence_added_while_it_trains_is_scored_at_once_and_one_taken_away_no_more(course):
    asked = iter([("great fun",)] * 3 + [("great fun", "no fun")] * 3)
    run = course(sentinels=lambda: next(asked, ("no fun",)), epochs=3, sentinel_every=6)
    run.go()
    seen = {s.step: list(s.scores) for s in run.events if isinstance(s, Sentinel)}
    assert (
        seen[0] == ["great fun"] and seen[3] == ["great fun", "no fun"] and seen[12] == ["no fun"]
    )
    assert list(seen) == [0, 3, 6, 12]
