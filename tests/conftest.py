"""What tests share: a lab of their own, a tiny BERT that trains in a second, a few reviews."""

import os

os.environ.setdefault("GOMP_SPINCOUNT", "0")
os.environ["HF_HUB_OFFLINE"] = "1"
if "PYTEST_XDIST_WORKER" in os.environ:  # the others compute, too
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import json  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from dataclasses import replace  # noqa: E402
from pathlib import Path  # noqa: E402

import pytest  # noqa: E402

from bertsent.data.examples import Example, Reviews  # noqa: E402
from bertsent.training.precision import PrecisionMeasurement, save_measurement  # noqa: E402

_CACHE = tempfile.TemporaryDirectory(prefix="bertsent-cache-")
os.environ["XDG_CACHE_HOME"] = _CACHE.name
save_measurement(PrecisionMeasurement(fp32=2000.0, bf16=1000.0))  # on whatever machine tests run


def pytest_sessionfinish() -> None:
    """Workers of pytest-xdist end without the finalizers of Python."""
    _CACHE.cleanup()


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's AppTest leaves its script as ``__main__``, which every process begun later would
    run again.
    """
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty BERTSENT_HOME."""
    home = tmp_path / "lab"
    home.mkdir()
    monkeypatch.setenv("BERTSENT_HOME", str(home))
    monkeypatch.setenv("BERTSENT_DEVICE", "cpu")
    return home


@pytest.fixture(scope="session")
def tiny_backbone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real BERT of 2 layers, 2 heads and 32 dimensions with random weights and the built-in
    vocabulary.
    """
    import torch
    from transformers import BertConfig, BertModel

    from bertsent.models.backbone import builtin_folder

    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (folder / name).write_bytes((builtin_folder() / name).read_bytes())
    return folder


@pytest.fixture(scope="session")
def heads_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Heads of five tasks with random weights over the built-in encoder, as they ship."""
    import torch

    from bertsent.models.backbone import load_backbone
    from bertsent.models.heads_card import HeadsCard
    from bertsent.models.task_heads import save_heads
    from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, PARAPHRASE, SIMILARITY

    random = torch.Generator().manual_seed(5)
    tasks = (FIVE_STEPS, ASPECTS, FEELINGS, replace(SIMILARITY, squashed=True), PARAPHRASE)
    heads = {
        task.name: (
            torch.randn(task.outputs, 384, generator=random),
            torch.randn(task.outputs, generator=random) / 4,
        )
        for task in tasks
    }
    folder = tmp_path_factory.mktemp("shipped") / "tasks"
    card = HeadsCard({task.name: task for task in tasks}, "mean", 64)
    save_heads(folder, load_backbone("builtin").model, heads, card)
    return folder


@pytest.fixture(scope="session")
def words_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Heads of pretraining with random weights over the built-in encoder, whose last layer was
    changed for them, and made-up scores, as they ship.
    """
    import torch

    from bertsent.models.backbone import load_backbone
    from bertsent.models.language_model_head import LanguageModel, save_language_model

    torch.manual_seed(4)
    model = LanguageModel(load_backbone("builtin").model)
    with torch.no_grad():
        model.words.dense.weight.mul_(8)  # so that guesses differ
        model.words.bias.normal_()
        for parameter in model.bert.get_submodule("encoder.layer.5").parameters():
            parameter.add_(0.02 * torch.randn_like(parameter))
    scores = (
        b"set,model,metric,n,value,low,high\n"
        b"passages,with the head,top 1,900,0.40,0.37,0.43\n"
        b"passages,with the head,top 10,900,0.61,0.58,0.64\n"
        b"passages,without,top 1,900,0.01,0.005,0.02\n"
        b"pairs,with the head,next sentence,800,0.734,0.702,0.764\n"
    )
    folder = tmp_path_factory.mktemp("shipped") / "words"
    save_language_model(folder, model, {"scores.csv": scores})
    return folder


@pytest.fixture(scope="session")
def toy_reviews() -> Reviews:
    """Forty short reviews that a tiny model can tell apart, of many lengths."""
    good, bad = (
        ("a fine warm film", "lovely acting", "great fun"),
        ("a dull cold film", "awful acting", "no fun"),
    )
    rows = []
    for i in range(40):
        words = (good if i % 2 else bad)[i % 3]
        rows.append(Example(f"toy-{i}", f"{words} number {i} " + "and so on " * (i % 7), i % 2))
    return Reviews("toy", tuple(rows))


@pytest.fixture
def toy_csv(toy_reviews: Reviews, tmp_path: Path) -> Path:
    path = tmp_path / "toy.csv"
    toy_reviews.frame()[["id", "text", "label"]].to_csv(path, index=False)
    return path


def wait_until(
    condition: Callable[[], object], seconds: float = 240.0, every: float = 0.05
) -> object:
    """Poll until ``condition()`` is true and give its value back; fail after ``seconds``."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(every)
    raise AssertionError(f"it did not happen within {seconds} s")


def read_events(folder: Path) -> list[dict]:
    """The raw events of a run."""
    return [
        json.loads(line)
        for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
    ]
