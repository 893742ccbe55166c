"""One text, one answer: alone, in a batch, from many threads, whatever the text; and what cannot be
loaded says why.
"""

import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from bertsent.data.examples import LABELS
from bertsent.errors import BadCheckpoint, BadInput, Cancelled, NotAvailable
from bertsent.probing.loaded_model import load, load_folder
from bertsent.probing.registry import find_model

TEXTS = [
    "bad",
    "Great, another boring movie",
    "Blew my mind how bad it was. What a waste. " * 12,
    "This is not a bad film",
    "Somewhat good",
] * 3
STRANGE = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "emoji": "😀" * 5000,
    "right to left": "هذا الفيلم رائع \u202eלא טוב",
    "nul": "\x00",
    "nul inside": "good\x00film",
    "half a surrogate": "good \ud83d film",
    "typed markers": "[CLS] great [SEP] [MASK] [PAD]",
    "combining": "e" + "\u0301" * 3000,
    "empty": "",
}


@pytest.fixture(autouse=True)
def nothing_listed(lab, monkeypatch):
    monkeypatch.delenv("BERTSENT_MODELS", raising=False)


@pytest.fixture(scope="module")
def folder(tiny_backbone, tmp_path_factory):
    """A checkpoint of the tiny BERT, saved the way runs save theirs."""
    from bertsent.models.backbone import load_backbone
    from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
    from bertsent.models.task_model import BertForTask

    torch.manual_seed(0)
    backbone = load_backbone(str(tiny_backbone))
    made = tmp_path_factory.mktemp("checkpoints") / "tiny"
    save_checkpoint(
        made, BertForTask(backbone.model), backbone.tokenizer, CheckpointCard(max_length=64)
    )
    return made


@pytest.fixture(scope="module")
def learner(folder):
    return load_folder(folder)


@pytest.fixture(scope="module")
def backbone():
    return load("backbone")


def test_a_batch_answers_as_each_text_alone(learner):
    together = learner.probabilities(TEXTS)
    alone = np.concatenate([learner.probabilities([text]) for text in TEXTS])
    assert together.shape == (len(TEXTS), 2)
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(together.sum(1), 1, atol=1e-9)


def test_the_real_encoder_embeds_a_batch_as_each_text_alone(backbone):
    alone = np.concatenate([backbone.embed([text]) for text in TEXTS[:5]])
    np.testing.assert_allclose(backbone.embed(TEXTS[:5]), alone, atol=1e-5)


def test_label_probability_and_logits_tell_the_same(learner):
    for text, answer in zip(TEXTS[:5], learner.predict(TEXTS[:5]), strict=True):
        p = learner.probabilities([text])[0]
        assert answer.p_positive == pytest.approx(p[1], abs=1e-5)
        assert answer.label == LABELS[int(answer.p_positive > 0.5)]
        assert answer.p_positive == pytest.approx(
            1 / (1 + np.exp(answer.logits[0] - answer.logits[1])), abs=1e-9
        )


def test_eight_threads_get_the_answers_of_one(learner):
    """Lengths differ from text to text, which makes a shared tokenizer that is not guarded give
    wrong tokens silently.
    """
    texts = TEXTS * 6
    serial = [learner.embed_and_answer([text]) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for (vectors, p), (expected, q) in zip(
            pool.map(lambda t: learner.embed_and_answer([t]), texts), serial, strict=True
        ):
            np.testing.assert_allclose(vectors, expected, atol=1e-5)
            np.testing.assert_allclose(p, q, atol=1e-5)


@pytest.mark.parametrize("name", STRANGE)
def test_strange_texts_get_finite_answers(learner, name):
    text = STRANGE[name]
    vectors, p = learner.embed_and_answer([text, "good"])
    maps = learner.attend(text)
    assert np.isfinite(vectors).all() and np.isfinite(p).all() and np.isfinite(maps.weights).all()
    assert len(maps.tokens) <= 64 and maps.tokens[0] == "[CLS]" and maps.tokens[-1] == "[SEP]"
    assert sum(maps.special) == 2  # what a person types is never a marker


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_pooling_equals_numpy(backbone, pooling):
    text = TEXTS[1]
    with torch.inference_mode():
        hidden = (
            backbone.model.bert(input_ids=torch.tensor([backbone.tokens(text).ids]))
            .last_hidden_state[0]
            .numpy()
        )  # (T, width)
    expected = {"cls": hidden[0], "mean": hidden.mean(0), "max": hidden.max(0)}[pooling]
    np.testing.assert_allclose(
        backbone.embed([text, *TEXTS[:3]], pooling=pooling)[0], expected, atol=1e-5
    )


def test_every_layer_can_be_embedded(backbone):
    text = TEXTS[1]
    with torch.inference_mode():
        states = backbone.model.bert(
            input_ids=torch.tensor([backbone.tokens(text).ids]), output_hidden_states=True
        ).hidden_states
    for layer in range(backbone.layers + 1):
        np.testing.assert_allclose(
            backbone.embed([text], layer=layer)[0], states[layer][0, 0].numpy(), atol=1e-5
        )
    np.testing.assert_allclose(
        backbone.embed([text]), backbone.embed([text], layer=backbone.layers), atol=1e-6
    )


def test_no_texts_no_answers(learner):
    vectors, p = learner.embed_and_answer([])
    assert vectors.shape == (0, 32) and p.shape == (0, 2) and learner.predict([]) == []


def test_the_backbone_has_no_opinion_but_can_be_looked_into(backbone):
    assert backbone.gives == {"attention", "embedding"}
    assert backbone.embed_and_answer(["good"])[1] is None
    with pytest.raises(NotAvailable, match="was not fine-tuned: it has no opinion on reviews"):
        backbone.probabilities(["good"])
    assert backbone.attend("good").weights.shape == (6, 12, 3, 3)


def test_progress_comes_and_can_say_stop(learner):
    told = []
    learner.logits(TEXTS * 5, progress=told.append)
    assert told == sorted(told) and told[-1] == 1

    def stop(_fraction: float) -> None:
        raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        learner.embed(TEXTS * 5, progress=stop)


def test_equal_weights_have_equal_keys(learner, folder, backbone):
    assert load_folder(folder).key == learner.key != backbone.key
    assert learner.name == "tiny" and (
        learner.layers,
        learner.heads,
        learner.width,
        learner.max_length,
    ) == (2, 2, 32, 64)


def test_a_name_that_nobody_knows_says_what_to_do():
    with pytest.raises(NotAvailable) as told:
        load("nonsense")
    assert "nonsense" in str(told.value) and told.value.remedy


def test_a_missing_built_in_model_is_refused(monkeypatch, tmp_path):
    from bertsent.probing import registry

    monkeypatch.setattr(registry, "SHIPPED", tmp_path / "nowhere")
    with pytest.raises(NotAvailable, match="missing from assets/models"):
        load(registry.BUILTIN)


@pytest.mark.parametrize("keep", [0, 6, 20_000])
def test_a_checkpoint_that_was_cut_short_is_refused(folder, tmp_path, keep):
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:keep])
    with pytest.raises(
        BadCheckpoint, match="The weights of broken are .* Export or download the model again."
    ):
        load(str(broken))


@pytest.mark.parametrize(
    ("file", "content"), [("config.json", "{"), ("bertsent.json", "{"), ("tokenizer.json", "{}")]
)
def test_a_checkpoint_with_a_damaged_file_is_refused(folder, tmp_path, file, content):
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / file).write_text(content)
    with pytest.raises(BadCheckpoint, match="broken"):
        load(str(broken))


def test_a_folder_that_is_no_model_says_so(tmp_path):
    with pytest.raises(
        BadCheckpoint,
        match="is not a model folder: it has no config.json. Choose a Hugging Face model folder.",
    ):
        load(str(tmp_path))


def test_a_folder_is_a_model_for_the_host_and_never_for_a_viewer(folder, tmp_path, monkeypatch):
    assert find_model(str(folder)).folder == folder
    monkeypatch.chdir(folder.parent)
    for path in (
        str(folder),
        "tiny",
        "./tiny",
        f"../{folder.parent.name}/tiny",
        "~/tiny",
        "/",
        "..",
        "",
        "a/../tiny",
        f"{folder}/step-1",
    ):
        with pytest.raises((NotAvailable, BadInput)):
            find_model(path, folders=False)
    monkeypatch.setenv("BERTSENT_MODELS", str(folder))
    assert (
        find_model("tiny", folders=False).folder == folder
    )  # by its name, because the host listed it


@pytest.mark.parametrize(
    ("text", "undecided"), [("🎬", True), ("🎬 🍿🍿", True), ("🎬 fine", False), ("!?", False)]
)
def test_a_text_without_a_known_token_is_undecided(backbone, learner, text, undecided):
    """Emoji alone got "POSITIVE 94.9 %" with no mark: every text of as many [UNK] gets the same."""
    answer = learner.predict([text])[0]
    assert (answer.label == "UNDECIDED") == undecided
    assert answer.tokens == len(learner.tokens(text)) - 2
    assert answer.unknown == learner.tokens(text).pieces.count("[UNK]")


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_no_answer(folder, bad):
    """A NaN is not above 0.5, so a broken head answered NEGATIVE."""
    broken = load_folder(folder)
    with torch.no_grad():
        broken.model.classifier.bias[1] = bad
    for ask in (broken.predict, broken.probabilities, broken.embed_and_answer):
        with pytest.raises(BadCheckpoint, match="not finite"):
            ask(["a fine film"])


def test_what_is_cut_is_counted_to_the_token(learner):
    """A review that filled the last place exactly was called cut."""
    exact = "good " * (learner.max_length - 2)
    assert not learner.is_cut(exact) and learner.is_cut(exact + "good")


def test_a_list_of_models_offers_the_run_that_a_link_names(monkeypatch):
    """Lists were cut at 50 runs, and a link to an older one opened another run."""
    from types import SimpleNamespace

    from bertsent.probing import registry

    runs = [SimpleNamespace(id=f"run-{number}") for number in range(registry.LISTED_RUNS + 20)]
    monkeypatch.setattr(registry, "runs_with_checkpoints", lambda: runs)
    assert registry.offered_runs() == runs[: registry.LISTED_RUNS]
    assert registry.offered_runs("run-60") == [*runs[: registry.LISTED_RUNS], runs[60]]
    assert registry.offered_runs("run-3") == runs[: registry.LISTED_RUNS]
