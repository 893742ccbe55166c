"""The four stages: counted parameters are those of real modules, and every number is the run's or
the model's own.
"""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bertsent.data.examples import Reviews
from bertsent.models.backbone import load_backbone
from bertsent.models.task_model import BertForTask
from bertsent.probing import fine_tuning_stages, registry
from bertsent.probing.fine_tuning_stages import (
    RecipeStage,
    head_parameters,
    recipe_of,
    stages_of_builtin,
    stages_of_run,
)
from bertsent.recipe.sentiment_plan import SENTIMENT_PLAN
from bertsent.training.config import TrainingConfig
from bertsent.training.curves.curve_sentences import duration_in_words, training_sentences
from bertsent.training.runs.run import Run, create_run
from tests.training.loop_harness import LoopHarness, recipe


@pytest.fixture
def trained(lab: Path, tiny_backbone: Path, toy_reviews: Reviews) -> Run:
    """A run folder with what a real short training states and saves."""
    config = recipe()
    course = LoopHarness(tiny_backbone, toy_reviews, config)
    run = create_run(course.splits, config, source="toy <b>reviews</b>", model=str(tiny_backbone))
    course = LoopHarness(tiny_backbone, toy_reviews, config, folder=run.checkpoints)
    course.go()
    for event in course.events:
        run.log.append(event)
    return run


def facts_of(stages: tuple) -> list[dict[str, str]]:
    return [dict(stage.facts) for stage in stages]


def test_the_head_is_as_large_as_the_real_one(tiny_backbone: Path) -> None:
    assert (head_parameters(384), head_parameters(768)) == (770, 1_538)
    model = BertForTask(load_backbone(str(tiny_backbone)).model)
    assert head_parameters(32) == sum(p.numel() for p in model.classifier.parameters())
    limit = float(model.classifier.weight.detach().abs().max())
    assert limit <= (6 / 34) ** 0.5


def test_the_stages_of_a_run_are_its_own_numbers(trained: Run, tiny_backbone: Path) -> None:
    history = trained.history()
    stages = stages_of_run(trained, history)
    assert [stage.number for stage in stages] == [1, 2, 3, 4]
    encoder, head, tuned, deployed = facts_of(stages)
    model = load_backbone(str(tiny_backbone)).model
    assert encoder["encoder"] == tiny_backbone.name, "never a path of the server"
    assert encoder["parameters"] == f"{sum(p.numel() for p in model.parameters()):,}"
    assert encoder["size"] == "2 layers × 2 heads, 32 wide"
    assert head["parameters"] == "66 = 32 × 2 + 2" and head["start"] == "random, seed 42"
    first, last = history.evaluations[0], history.evaluations[-1]
    assert f"{100 * first.accuracy:.1f} % right, loss {first.loss:.3f}" in head["before any step"]
    assert (
        tuned["reviews"] == "32 from toy <b>reviews</b>"
        and tuned["steps"] == "8 of 8 (2 of 2 epochs)"
    )
    assert f"{history.started.trainable:,}" in tuned["trains"] and tuned["time used"].endswith(
        "on cpu"
    )
    assert deployed["folder of the run"] == "checkpoints/step-8"
    assert deployed["validation"] == f"{100 * last.accuracy:.1f} % right at step 8"
    size = (trained.checkpoints / "step-8" / "model.safetensors").stat().st_size
    assert deployed["weights"] == f"{size / 1e6:.1f} MB"


def test_training_details_are_three_measured_sentences(trained: Run) -> None:
    history = trained.history()
    loss, descent, resources = training_sentences(trained.config, history)
    assert (
        f"{history.evaluations[0].loss:.3f} before the first step and "
        f"{history.evaluations[-1].loss:.3f} at step 8" in loss
    )
    assert (
        f"all {history.started.parameters:,} parameters 8 times" in descent
        and "up to 8 reviews" in descent
    )
    assert (
        "(cpu, fp32, up to 64 tokens)" in resources
        and "2 epochs of 32 training reviews" in resources
    )


def test_a_run_that_has_not_begun_says_so(
    lab: Path, tiny_backbone: Path, toy_reviews: Reviews
) -> None:
    course = LoopHarness(tiny_backbone, toy_reviews, recipe())
    run = create_run(course.splits, recipe(), source="toy", model=str(tiny_backbone))
    _, head, tuned, deployed = facts_of(stages_of_run(run, run.history()))
    assert (
        "before any step" not in head
        and tuned["steps"] == "none yet"
        and "none yet" in deployed["folder"]
    )
    assert len(training_sentences(run.config, run.history())) == 2


def test_an_encoder_that_is_gone_and_a_head_that_was_kept(
    lab: Path, tiny_backbone: Path, toy_reviews: Reviews, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    shutil.copytree(tiny_backbone, gone)
    training = replace(recipe(), keep_head=True, label_smoothing=0.03)
    run = create_run(
        LoopHarness(tiny_backbone, toy_reviews, training).splits,
        training,
        source="toy",
        model=str(gone),
    )
    assert facts_of(stages_of_run(run, run.history()))[1]["start"] == "not random: that of gone"
    assert "label smoothing 0.03" in training_sentences(run.config, run.history())[0]
    shutil.rmtree(gone)
    encoder, head, *_ = facts_of(stages_of_run(run, run.history()))
    assert "not on this machine" in encoder["parameters"] and "parameters" not in head
    assert encoder["encoder"] == "gone", "the path of a folder that was gone stood on the page"


def test_the_built_in_model_tells_its_own_numbers() -> None:
    if not registry.shipped():
        pytest.skip("no model ships")
    encoder, head, tuned, deployed = facts_of(stages_of_builtin())
    assert (
        encoder["parameters"] == f"{sum(p.numel() for p in load_backbone().model.parameters()):,}"
    )
    assert head["parameters"] == "770 = 384 × 2 + 2" and head["start"] == "random, seed 42"
    assert tuned["short"] == "320,000 texts, 5,000 steps of 64"
    assert deployed["folder"] == "assets/models/sentiment" and deployed["weights"].endswith(" MB")


def test_where_no_model_ships_the_last_stages_are_empty(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(registry, "SHIPPED", tmp_path / "nothing")
    encoder, head, tuned, deployed = facts_of(stages_of_builtin())
    assert head["parameters"].startswith("770") and tuned == deployed == fine_tuning_stages._NOTHING


def test_the_recipe_is_read_from_the_card_of_the_recipe_itself(tmp_path: Path) -> None:
    if registry.shipped():
        assert recipe_of(registry.SHIPPED)
        card = (registry.SHIPPED / "bertsent.json").read_text(encoding="utf-8")
        assert f'"step": {recipe_of(registry.SHIPPED)[-1].steps}' in card, (
            "the last run ended where the weights say"
        )
    (tmp_path / "README.md").write_text(SENTIMENT_PLAN.story(), encoding="utf-8")
    planned = SENTIMENT_PLAN.stages
    assert [(each.name, each.steps) for each in recipe_of(tmp_path)] == [
        (stage.name, stage.steps) for stage in planned
    ]
    first = RecipeStage("short", 5_000, 64, 128, 42)  # two batches of 32 a step
    assert recipe_of(tmp_path)[0] == first and first.texts == 320_000
    (tmp_path / "README.md").write_bytes(b"\xff\xfe\x00 nothing of the kind")
    assert recipe_of(tmp_path) == () == recipe_of(tmp_path / "none")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "0 s"), (99, "99 s"), (100, "1.7 min"), (5400, "90.0 min"), (7200, "2.0 h")],
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration_in_words(seconds) == words


def test_the_usual_settings_have_a_random_head() -> None:
    assert not TrainingConfig().keep_head
