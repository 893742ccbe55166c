"""A model folder that answers at once, and tables of short reviews in every format."""

import json
import random
from pathlib import Path

import pandas as pd
import pytest

WORDS = (
    "a fine warm film lovely acting great fun dull cold awful no but the story never works".split()
)


@pytest.fixture(scope="session")
def tiny_model(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny BERT under a random head with strong opinions, saved as a model folder."""
    import torch

    from bertsent.models.backbone import load_backbone
    from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
    from bertsent.models.task_model import BertForTask

    found = load_backbone(str(tiny_backbone))
    torch.manual_seed(1)
    model = BertForTask(found.model)
    with torch.no_grad():
        model.classifier.weight.mul_(8)
    folder = tmp_path_factory.mktemp("bulk") / "tiny"
    save_checkpoint(folder, model, found.tokenizer, CheckpointCard(max_length=24))
    return folder


def short_reviews(count: int, seed: int = 0) -> list[str]:
    """Texts of 3 to 40 words, some of which are longer than the tiny model reads."""
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(3, 40))) for _ in range(count)]


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    """Three parts of one table: Parquet, CSV and JSON Lines; 90 rows, four of them bad."""
    folder = tmp_path / "in"
    folder.mkdir()
    texts = short_reviews(89)
    texts[35], texts[64] = "  <br /> ", "x" * 100_001
    rows = [{"id": f"row {place}", "Text": text} for place, text in enumerate(texts)]
    pd.DataFrame(rows[:30]).assign(other=1).to_parquet(folder / "a.parquet")
    pd.DataFrame(rows[30:60]).to_csv(folder / "b.csv", index=False)
    lines = [json.dumps(row) for row in rows[60:]]
    lines[9] = json.dumps({"id": "row 69", "Text": 12})
    (folder / "c.jsonl").write_text("\n".join([*lines, "no JSON"]) + "\n", encoding="utf-8")
    return sorted(folder.iterdir())


def parts(folder: Path, kind: str = "parts") -> pd.DataFrame:
    """All rows that lie in an output folder, in the order of their parts."""
    files = sorted((folder / kind).glob("*.parquet"))
    return pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)
