"""The guesses at a checkpoint are those of transformers' ``BertForMaskedLM`` with the weights of
the checkpoint plus the shipped delta; the first frame is the model that answers before fine-tuning.
"""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from bertsent.errors import BadInput, Cancelled, NotAvailable
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
from bertsent.models.folders import WEIGHTS
from bertsent.models.language_model_head import DELTA, language_model_over
from bertsent.models.task_model import BertForTask
from bertsent.probing import fill_mask as filling
from bertsent.probing import guesses_by_checkpoint as module
from bertsent.probing.fill_mask import fill_hidden, fill_masks
from bertsent.probing.guesses_by_checkpoint import EncoderFrame, frames_of, guesses_by_checkpoint

TEXT = "The movie was fantastic"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of step 30, whose weights differ everywhere from the built-in ones."""
    torch.manual_seed(7)
    backbone = load_backbone("builtin")
    model = BertForTask(backbone.model)
    with torch.no_grad():
        for parameter in model.bert.parameters():
            parameter.add_(0.02 * torch.randn_like(parameter))
    folder = tmp_path_factory.mktemp("run") / "step-30"
    save_checkpoint(folder, model, backbone.tokenizer, CheckpointCard(backbone="builtin"))
    return folder


@pytest.fixture(scope="module")
def frames(trained: Path) -> list[EncoderFrame]:
    return [EncoderFrame(0, "step 0", None), EncoderFrame(30, "step 30", trained)]


def by_hand(words: Path, checkpoint: Path, ids: list[int]) -> torch.Tensor:
    """Probabilities (T, V) of transformers' class, with the summed weights."""
    from transformers import BertForMaskedLM

    config = load_backbone("builtin").model.config
    state = {
        name: value.clone()
        for name, value in load_file(checkpoint / WEIGHTS).items()
        if name.startswith("bert.")
    }
    for name, value in load_file(words / WEIGHTS).items():
        if name.startswith(DELTA):
            state[f"bert.{name.removeprefix(DELTA)}"] += value.float()
        else:
            state[name] = value.float()
    model = BertForMaskedLM(config).eval()
    missing = model.load_state_dict(state, strict=False).missing_keys
    model.tie_weights()
    assert all("decoder" in name or "position_ids" in name for name in missing)
    with torch.no_grad():
        return model(input_ids=torch.tensor([ids])).logits[0].double().softmax(-1)


def test_guesses_are_those_of_the_summed_weights(
    words_folder: Path, trained: Path, frames: list[EncoderFrame]
) -> None:
    [gap] = guesses_by_checkpoint(frames, words_folder, TEXT, chosen=[3])
    fast = load_backbone("builtin").tokenizer.fast
    ids = fast("The movie was [MASK]")["input_ids"]
    p = by_hand(words_folder, trained, ids)[4]
    best = p.topk(10)
    last = gap.at(1)
    assert [word for word, _ in last.words] == fast.convert_ids_to_tokens(best.indices.tolist())
    assert [chance for _, chance in last.words] == pytest.approx(best.values.tolist(), rel=1e-3)
    true = fast.convert_tokens_to_ids("fantastic")
    assert last.rank == 1 + int((p > p[true]).sum())
    assert last.loss == pytest.approx(-torch.log(p[true]).item(), rel=1e-4)
    assert gap.p.shape == (2, len(gap.words)) and len(set(gap.words)) == len(gap.words)


def test_the_first_frame_is_the_model_before_fine_tuning(
    words_folder: Path, frames: list[EncoderFrame]
) -> None:
    [gap] = guesses_by_checkpoint(frames, words_folder, TEXT, chosen=[3])
    [before] = fill_hidden(words_folder, TEXT, [3])
    assert gap.at(0).words == before.words
    assert (gap.at(0).rank, gap.at(0).truth) == (before.rank, "fantastic")
    assert gap.at(0).p_truth == pytest.approx(before.p_truth)
    untouched = language_model_over(words_folder, load_backbone("builtin").model)
    ids = torch.tensor([[101, 103, 102]])
    with torch.no_grad():
        again = untouched.word_logits(untouched.hidden(ids, torch.ones_like(ids)))[0, 1]
    [found] = fill_masks(words_folder, "[MASK]", 3)
    assert again.double().softmax(-1).topk(3).values.tolist() == pytest.approx(
        [chance for _, chance in found.words], rel=1e-5
    )


def test_several_gaps_with_and_without_a_truth(
    words_folder: Path, frames: list[EncoderFrame]
) -> None:
    gaps = guesses_by_checkpoint(frames, words_folder, "The [mask] was [MASK]", truths=("film", ""))
    assert [gap.truth for gap in gaps] == ["film", ""] and gaps[1].at(1).loss is None
    assert gaps[0].followed()[0] == "film" and len(gaps[1].followed()) == 4
    table = gaps[0].table()
    rows = table[(table["step"] == 30) & (table["word"] == "film")]
    assert rows["probability"].item() == pytest.approx(gaps[0].at(1).p_truth)
    assert "at step 0" in gaps[0].sentence() and "“film”" in gaps[0].sentence()
    assert "true word" not in gaps[1].sentence()
    [unknown] = guesses_by_checkpoint(frames, words_folder, "I \u2603 it", chosen=[1])
    assert unknown.unknown and unknown.at(0).unknown and not unknown.ranks


def test_it_can_be_cancelled_and_refuses_what_cannot_be_asked(
    words_folder: Path, frames: list[EncoderFrame], tiny_backbone: Path
) -> None:
    def stop(fraction: float) -> None:
        if fraction >= 0.5:
            raise Cancelled("Enough.")

    with pytest.raises(Cancelled):
        guesses_by_checkpoint(frames, words_folder, TEXT, chosen=[3], progress=stop)
    with pytest.raises(BadInput, match="No word is hidden"):
        guesses_by_checkpoint(frames, words_folder, TEXT)
    with pytest.raises(BadInput, match="size of the built-in"):
        language_model_over(words_folder, load_backbone(str(tiny_backbone)).model)


def test_which_trainings_have_frames(
    words_folder: Path, trained: Path, lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "SHIPPED_WORDS", words_folder)
    with pytest.raises(NotAvailable, match="no checkpoints"):
        frames_of("backbone")
    assert [frame.folder is None for frame in frames_of("builtin")] == [True, False]
    run = SimpleNamespace(checkpoints=trained.parent, config=SimpleNamespace(model="builtin"))
    otter = SimpleNamespace(run="otter", folder=None, head="")
    for place in (module, filling):
        monkeypatch.setattr(place, "find_model", lambda name, folders: otter)
        monkeypatch.setattr(place, "find_run", lambda name: run)
    [frame] = frames_of("otter")
    assert (frame.step, frame.when, frame.folder) == (30, "at step 30", trained)
    run.config.model = "nowhere/at-all"
    with pytest.raises(NotAvailable, match="built-in encoder"):
        frames_of("otter")


def test_a_single_frame_has_its_sentence(words_folder: Path, frames: list[EncoderFrame]) -> None:
    [gap] = guesses_by_checkpoint(frames[:1], words_folder, "[MASK]")
    assert "the only checkpoint" in gap.sentence() and np.isfinite(gap.p).all()
