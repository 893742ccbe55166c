"""Reviews with minimal pairs and a word or two that matter, and a tiny BERT that was never
trained.
"""

from pathlib import Path

import pytest

from bertsent.data.examples import Example, Reviews


@pytest.fixture(scope="session")
def paired_reviews() -> Reviews:
    """Sixty short reviews in thirty minimal pairs."""
    pairs = [
        ("great", "boring"),
        ("lovely", "awful"),
        ("warm", "dull"),
        ("funny", "flat"),
        ("brave", "stale"),
    ]
    rows = []
    for i in range(30):
        good, bad = pairs[i % 5]
        for label, word in enumerate((bad, good)):
            text = f"a {word} film with {word} people and number {i}" + " and so on" * (i % 4)
            rows.append(
                Example(f"d{i}-{label}", text, label, "plain" if i % 2 else "sarcasm", f"p{i}")
            )
    return Reviews("duel", tuple(rows))


@pytest.fixture
def embedder(tiny_backbone: Path):  # noqa: ANN201
    from bertsent.models.backbone import load_backbone
    from bertsent.models.task_model import BertForTask
    from bertsent.probing.loaded_model import LoadedModel

    found = load_backbone(str(tiny_backbone))
    return LoadedModel(
        "tiny",
        found.sha256,
        BertForTask(found.model),
        found.tokenizer,
        max_length=64,
        fine_tuned=False,
    )
