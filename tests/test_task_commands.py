"""The command line with models of other tasks: the same numbers as scikit-learn's, files of every
kind, and one line that says what to do where something is wrong.
"""

import json
from pathlib import Path

import pandas as pd
import pytest
from sklearn.metrics import accuracy_score

from bertsent.__main__ import TASKS, main
from bertsent.data.asked_columns import KEYS
from bertsent.data.task_sets import small_set
from bertsent.probing.loaded_model import load
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, SIMILARITY
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.launcher import prepare_run
from bertsent.training.runs.run import list_runs
from bertsent.training.worker import _training
from tests.own_mixture import mixture


@pytest.fixture(scope="module")
def models(tiny_backbone, tmp_path_factory) -> Path:
    """A lab with a run of each kind, named after its task."""
    home = tmp_path_factory.mktemp("commands")
    training = TrainingConfig(epochs=1, batch_size=64, max_length=24, kept_checkpoints=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERTSENT_HOME", str(home))
        patch.setenv("BERTSENT_DEVICE", "cpu")
        for task in (FIVE_STEPS, FEELINGS, SIMILARITY, ASPECTS, None):
            source = small_set(task.name) if task else mixture()
            name = task.name if task else "mixed"
            run = prepare_run(source, training, model=str(tiny_backbone), name=name)
            for event in _training(run, lambda: ""):
                run.log.append(event)
    return home


@pytest.fixture(autouse=True)
def lab(models, monkeypatch) -> Path:
    monkeypatch.setenv("BERTSENT_HOME", str(models))
    monkeypatch.setenv("BERTSENT_DEVICE", "cpu")
    return models


def said(capsys, *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments: str) -> str:
    assert main(list(arguments)) == 2
    streams = capsys.readouterr()
    assert not streams.out and len(streams.err.strip().splitlines()) == 1
    return streams.err


def test_the_choices_of_task_are_those_there_are() -> None:
    assert set(TASKS) == set(KEYS)


def test_predictions_are_those_of_the_model(capsys, tmp_path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("A cat sleeps\tA cat is asleep\nA cat\tA tax form\n", encoding="utf-8")
    rows = json.loads(said(capsys, "predict", "--model", "similarity", "--json", str(texts)))
    pairs = [("A cat sleeps", "A cat is asleep"), ("A cat", "A tax form")]
    expected = load("similarity").answers(pairs)
    assert [row["similarity"] for row in rows["predictions"]] == pytest.approx(list(expected))
    assert [row["second"] for row in rows["predictions"]] == [second for _, second in pairs]
    table = tmp_path / "texts.csv"
    table.write_text("text,aspect\nGood soup,soup\n", encoding="utf-8")
    (row,) = json.loads(said(capsys, "predict", "--model", "aspects", "--json", str(table)))[
        "predictions"
    ]
    (shares,) = load("aspects").answers([("soup", "Good soup")])
    assert list(row["probabilities"].values()) == pytest.approx(list(shares))
    assert row["label"] == ASPECTS.labels[shares.argmax()]


@pytest.mark.parametrize(
    ("asked", "header", "rows"),
    [
        (("five-steps",), "text", ("Fine.", "I slept through it.", "No.")),
        (("feelings",), "text", ("What joy!", "I fear the dark.", "No.")),
        (("aspects",), "aspect,text", ("soup,Good soup", "film,A film and its end", "end,The END")),
        (("similarity",), "text1,text2", ("A cat,A dog", "It rains,It pours", "Yes,No")),
        (("mixed", "--part", "paraphrase"), "text1,text2", ("A cat,A dog", "It rains,It pours")),
    ],
)
def test_parts_hold_what_predict_says(capsys, tmp_path, asked, header, rows) -> None:
    table, out = tmp_path / "rows.csv", tmp_path / "out"
    table.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    command = ("predict", str(table), "--json", "--model", *asked)
    alone = json.loads(said(capsys, *command))["predictions"]
    counts = json.loads(said(capsys, *command, "--out", str(out), "--rows", "2"))
    found = pd.concat(map(pd.read_parquet, sorted((out / "parts").iterdir())))
    assert counts["rows"] == len(rows) == len(found) and not counts["bad"]
    seconds = next((name for name in ("aspect", "second") if name in found), None)
    for row, expected in zip(found.to_dict("records"), alone, strict=True):
        assert row["text"] == expected["text"] and row.get(seconds) == expected.get("second")
        if "similarity" in expected:
            assert row["similarity"] == pytest.approx(expected["similarity"])
            continue
        own = "labels" if "labels" in expected else "label"
        assert list(row[own]) == list(expected[own])
        shares = {f"p_{name}": share for name, share in expected["probabilities"].items()}
        assert {name: row[name] for name in shares} == pytest.approx(shares, abs=1e-5)


def test_rows_that_lack_what_the_task_reads_are_bad(capsys, tmp_path) -> None:
    table, out = tmp_path / "rows.jsonl", tmp_path / "out"
    rows = [
        {"text": "Good soup", "aspect": "soup"},
        {"text": "Good soup", "aspect": "service"},
        {"text": "Good soup", "aspect": " "},
        {"text": "Good soup"},
        {"aspect": "soup"},
        {"text": "Good soup", "aspect": 3},
    ]
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    said(capsys, "predict", str(table), "--model", "aspects", "--out", str(out))
    bad = pd.concat(map(pd.read_parquet, sorted((out / "bad").iterdir())))
    assert dict(zip(bad["row"], bad["reason"], strict=True)) == {
        2: "the aspect is not in its text",
        3: "there is no aspect",
        4: "there is no aspect",
        5: "there is no text",
        6: "not text but int",
    }


@pytest.mark.parametrize(
    ("model", "header", "what"),
    [
        ("aspects", "text,label", "This model reads the columns text and aspect"),
        ("similarity", "text,label", "This model reads the columns text1 and text2"),
        ("mixed", "text,label", "Add --part"),
    ],
)
def test_tables_of_another_task_make_no_folder(capsys, tmp_path, model, header, what) -> None:
    table, out = tmp_path / "rows.csv", tmp_path / "out"
    table.write_text(f"{header}\nGood soup,1\n", encoding="utf-8")
    command = ("predict", str(table), "--model", model, "--out", str(out))
    assert what in refused(capsys, *command) and not out.exists()


def test_evaluations_count_as_scikit_learn_does(capsys, tmp_path) -> None:
    found = json.loads(said(capsys, "evaluate", "--model", "five-steps", "--json"))
    test = [e for e in small_set("five-steps") if e.split == "test"]
    given = load("five-steps").answers([(e.text, "") for e in test]).argmax(1)
    assert found["accuracy"] == pytest.approx(accuracy_score([e.label for e in test], given))
    assert found["n"] == len(test) and len(found["confusion"]) == 5
    several = json.loads(said(capsys, "evaluate", "--model", "feelings", "--json"))
    assert {"jaccard", "micro_f1", "macro_f1"} <= several.keys() and len(several["classes"]) == 8
    joys = tmp_path / "joy.csv"
    joys.write_text("text,joy,fear\nYes,1,0\nNo,0,1\n", encoding="utf-8")
    some = said(capsys, "evaluate", "--model", "feelings", "--data", str(joys), "--json")
    assert list(json.loads(some)["classes"]) == ["joy", "fear"], "of eight, those that it has"
    asked = ("predict", "--model", "mixed", "--part", "similarity", "--json")
    assert json.loads(said(capsys, *asked, str(_pair(tmp_path))))["task"] == "similarity"


def test_training_takes_its_task_from_the_file_or_the_command(capsys, tmp_path) -> None:
    stars = tmp_path / "stars.csv"
    rows = "".join(f"text {i},{1 + i % 5}\n" for i in range(60))
    stars.write_text("text,label\n" + rows, encoding="utf-8")
    common = ("train", "--prepare", "--json", "--data", str(stars))
    said(capsys, *common, "--name", "guessed")
    said(capsys, *common, "--task", "labels", "--name", "asked")
    tasks = {run.id: run.config.task for run in list_runs()}
    assert tasks["guessed"] == FIVE_STEPS, "stars from one to five"
    assert tasks["asked"].output_names == ("1", "2", "3", "4", "5")


def test_an_export_answers_as_the_run_does(capsys, tmp_path) -> None:
    said(capsys, "export", "similarity", str(tmp_path / "away"))
    pairs = [("A cat sleeps", "A cat is asleep")]
    assert load(str(tmp_path / "away")).answers(pairs) == load("similarity").answers(pairs)


def test_rows_of_five_steps_are_grouped(capsys) -> None:
    """Each label's accuracy is its recall, as scikit-learn counts it."""
    found = json.loads(said(capsys, "evaluate", "--model", "five-steps", "--by", "label", "--json"))
    assert found["slices"]["all"]["accuracy"] == pytest.approx(found["accuracy"])
    for label in FIVE_STEPS.labels:
        own = found["slices"][label]
        assert own["accuracy"] == pytest.approx(found["classes"][label]["recall"])
        assert own["n"] == found["classes"][label]["support"]
        assert own["low"] <= own["accuracy"] <= own["high"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("predict", "--model", "similarity", "TEXT"), "with a tab between"),
        (("predict", "--model", "aspects", "PAIR"), "which is not in its text"),
        (("predict", "--model", "mixed", "TEXT"), "Add --part: one of five-steps"),
        (("predict", "--model", "feelings", "--part", "x", "TEXT"), "Leave out --part"),
        (("evaluate", "--model", "similarity", "--data", "STEPS"), "no column for the second"),
        (("evaluate", "--model", "five-steps", "--data", "STEPS"), "unknown label “5”"),
        (("evaluate", "--model", "similarity", "--by", "label"), "Leave out --by"),
        (("evaluate", "--model", "five-steps", "--by", "colour"), "Use one of phenomenon"),
        (("evaluate", "--model", "five-steps", "--subgroups"), "Leave out --subgroups"),
        (("train", "--task", "five-steps", "--data", "STEPS"), "unknown label “5”"),
        (("train", "--task", "aspects", "--sentinel", "so what"), "Leave them out"),
        (("train", "--task", "labels"), "Bring a file of your own"),
    ],
)
def test_one_line_says_what_to_do(arguments, reason, capsys, tmp_path) -> None:
    files = {
        "TEXT": ("one.txt", "just one text\n"),
        "PAIR": ("pair.txt", "rice\tGood soup\n"),
        "STEPS": ("steps.csv", "text,label\n" + "a,0\nb,4\nc,5\nd,6\n"),
    }
    for name, content in files.values():
        (tmp_path / name).write_text(content, encoding="utf-8")
    given = [str(tmp_path / files[each][0]) if each in files else each for each in arguments]
    runs = len(list_runs())
    assert reason in refused(capsys, *given)
    assert len(list_runs()) == runs


def _pair(folder: Path) -> Path:
    path = folder / "two.txt"
    path.write_text("A cat\tA dog\n", encoding="utf-8")
    return path
