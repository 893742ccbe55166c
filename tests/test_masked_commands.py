"""Masked words from the command line: a run on texts without labels, its guesses, and what is
refused in one sentence.
"""

import json

import pytest
import torch
from transformers import AutoTokenizer, BertForMaskedLM

from bertsent.__main__ import main
from bertsent.probing.fill_mask import folder_with_language_model_head
from bertsent.training.runs.run import find_run
from tests.test_task_commands import refused

NUMBERED = "text\n" + "".join(f"a film {n}\n" for n in range(30))
TRAIN = ("--epochs", "1", "--batch-size", "16", "--max-length", "32", "--precision", "fp32")


@pytest.fixture
def texts(tmp_path, toy_reviews):
    path = tmp_path / "texts.csv"
    toy_reviews.frame()[["text"]].to_csv(path, index=False)
    return path


def test_a_file_of_texts_alone_is_pretrained_on(capsys, lab, tiny_backbone, texts, tmp_path):
    """A file whose one column is its texts used to be refused for its missing labels."""
    gap = "the movie was [MASK]."
    given = ("train", "--data", str(texts), "--model", str(tiny_backbone), "--name", "words")
    assert main([*given, *TRAIN, "--sentinel", gap, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["state"] == "finished" and found["perplexity"] > 1
    assert find_run("words").config.task.name == "masked-words"
    assert len(found["guesses"][gap]) == 10
    lines = tmp_path / "gaps.txt"
    lines.write_text(f"{gap}\na [MASK] [MASK] film\n", encoding="utf-8")
    assert main(["predict", "--model", "words", "--json", str(lines)]) == 0
    first, second = json.loads(capsys.readouterr().out)["predictions"]
    folder = folder_with_language_model_head("words")
    theirs = BertForMaskedLM.from_pretrained(folder, local_files_only=True).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    batch = tokenizer(gap, return_tensors="pt")
    place = batch["input_ids"][0].tolist().index(tokenizer.mask_token_id)
    with torch.no_grad():
        best = theirs(**batch).logits[0, place].double().softmax(-1).topk(5)
    assert [guess["p"] for guess in first["gaps"][0]] == pytest.approx(
        best.values.tolist(), abs=1e-6
    )
    assert [each["p"] for each in first["gaps"][0]] == pytest.approx(
        [p for _, p in found["guesses"][gap][:5]], abs=1e-6
    )
    assert len(second["gaps"]) == 2
    lines.write_text("no gap here\n", encoding="utf-8")
    assert "Text 1" in refused(capsys, "predict", "--model", "words", str(lines))
    assert "fills in words" in refused(capsys, "evaluate", "--model", "words")


@pytest.mark.parametrize(
    ("content", "more", "words"),
    [
        ("text\n", (), "no rows"),
        ("text\ngood\nbad\nso so\n", (), "at least 10"),
        ("number\n1\n2\n", ("--task", "masked-words"), "no column for the text"),
        (
            NUMBERED,
            ("--sentinel", "a fine film"),
            "[MASK]",
        ),
    ],
)
def test_what_cannot_be_learned_from_is_refused(
    capsys, lab, tiny_backbone, tmp_path, content, more, words
):
    path = tmp_path / "texts.csv"
    path.write_text(content, encoding="utf-8")
    given = ("train", "--data", str(path), "--model", str(tiny_backbone), *more)
    assert words in refused(capsys, *given)
    assert not (lab / "runs").exists()
