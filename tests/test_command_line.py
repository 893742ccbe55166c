"""The command line: one JSON document or one line of trouble, exit status 2 for bad input, and
nothing half-written.
"""

import io
import json
import os
import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bertsent import terminal
from bertsent.__main__ import build_parser, main
from bertsent.data import sources
from bertsent.probing import registry
from bertsent.probing.loaded_model import load
from bertsent.probing.subgroups.check import check_subgroups
from bertsent.settings import PROJECT
from bertsent.tasks.catalogue import FEELINGS, SENTIMENT, SIMILARITY
from bertsent.tasks.mixed import THREE_TASKS
from bertsent.training.runs.run import find_run, list_runs
from bertsent.training.runs.run_tables import UNREADABLE
from tests.models.conftest import tiny_backbone  # noqa: F401 - a fixture that is faster than the general one
from tests.own_reviews import write_few
from tests.training.workers import Workers

COMMANDS = ("predict", "evaluate", "train", "runs", "export", "fetch", "doctor")


def python(*arguments, given=None, **environment):
    """A fresh interpreter in the project's folder."""
    return subprocess.run(
        [sys.executable, *arguments],
        input=given,
        capture_output=True,
        text=True,
        cwd=PROJECT,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory, tiny_backbone, toy_reviews):  # noqa: F811
    """A lab with one run: started by command, interrupted with Ctrl-C as soon as it had done a
    step, and resumed by command.

    Gives the lab, the run, and the JSON document that the resuming command printed.
    """
    workers = (
        Workers()
    )  # which start faster than real ones; those are tested in tests/training/test_runs.py
    home = tmp_path_factory.mktemp("commands") / "lab"
    table = home.parent / "toy.csv"
    frame = toy_reviews.frame()[["id", "text", "label"]].assign(
        phenomenon=["sarcasm", "negation"] * 20
    )
    frame.to_csv(table, index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERTSENT_HOME", str(home))
        patch.setenv("BERTSENT_DEVICE", "cpu")
        draw, errors, output = terminal._draw, io.StringIO(), io.StringIO()

        def interrupt(bar, history, run):
            if history.steps:
                raise KeyboardInterrupt
            draw(bar, history, run)

        patch.setattr("bertsent.training.runs.launcher._spawn", workers.spawn)
        patch.setattr("sys.stderr", errors)
        patch.setattr("sys.stdout", output)
        patch.setattr(terminal, "_draw", interrupt)
        arguments = [
            "--data",
            str(table),
            "--model",
            str(tiny_backbone),
            "--epochs",
            "20",
            "--batch-size",
            "8",
            "--max-length",
            "64",
        ]
        assert (
            main(["train", *arguments, "--encoder-lr", "3e-3", "--sentinel", "great fun", "--json"])
            == 130
        )
        (run,) = list_runs()
        assert (
            f"Resume with: python -m bertsent train --resume {run.id}" in errors.getvalue()
            and output.getvalue() == ""
        )
        patch.setattr(terminal, "_draw", draw)
        assert main(["train", "--resume", run.id, "--json"]) == 0, errors.getvalue()
    return home, run, output.getvalue()


@pytest.fixture
def run(trained, monkeypatch):
    """The finished run, in the lab of which the commands work."""
    monkeypatch.setenv("BERTSENT_HOME", str(trained[0]))
    monkeypatch.setenv("BERTSENT_DEVICE", "cpu")
    return trained[1]


@pytest.fixture
def answer(capsys):
    """Run a command that succeeds; gives back what it printed, parsed when ``--json`` was given."""

    def get(*arguments):
        assert main(list(arguments)) == 0, capsys.readouterr().err
        printed = capsys.readouterr()
        return json.loads(printed.out) if "--json" in arguments else printed.out

    return get


@pytest.fixture
def refusal(capsys):
    """Run a command that must be refused: status 2, one line on standard error, nothing on standard
    output.
    """

    def get(*arguments):
        try:
            status = main(list(arguments))
        except SystemExit as error:
            status = error.code
        printed = capsys.readouterr()
        assert status == 2, printed
        assert printed.out == "" and printed.err.endswith("\n") and printed.err.count("\n") == 1, (
            printed
        )
        assert len(printed.err) < 400 and "Traceback" not in printed.err
        return printed.err

    return get


# Training


def test_training_prints_one_document_of_what_was_measured(trained, run):
    document = json.loads(trained[2])
    history = run.history()
    assert document["run"] == run.id and document["state"] == "finished" and document["steps"] == 80
    assert (
        document["accuracy"] == history.evaluations[-1].accuracy
        and document["train_loss"] == history.steps[-1].loss
    )
    assert (
        document["sentinels"] == history.sentinels[-1].scores and document["validation_rows"] == 8
    )
    assert sum(map(sum, document["confusion"])) == 8
    assert document["checkpoint"].endswith("step-80")
    assert [s.step for s in history.steps] == list(range(1, 81))


def test_resuming_what_is_finished_ends_at_once(trained, run, answer, monkeypatch):
    workers = Workers()
    monkeypatch.setattr("bertsent.training.runs.launcher._spawn", workers.spawn)
    assert answer("train", "--resume", run.id, "--json") == json.loads(trained[2])
    workers.end()


def test_runs_are_listed(run, answer):
    (row,) = answer("runs", "--json")
    assert (row["run"], row["status"], row["step"], row["steps"]) == (run.id, "finished", 80, 80)
    assert run.id in answer("runs")


def test_runs_of_other_tasks_are_listed_with_their_own_measure(run, lab, answer):
    """Their accuracy was “None”, and what they had instead came nine columns later; a run that
    cannot be read, and one that waits, have empty places.
    """
    tasks = {"plain": SENTIMENT, "alike": SIMILARITY, "felt": FEELINGS, "three": THREE_TASKS}
    for other, task in tasks.items():
        folder = shutil.copytree(run.folder, lab / "runs" / other)
        config = json.loads((folder / "config.json").read_text())
        config["data"]["task"] = task.to_dict()
        (folder / "config.json").write_text(json.dumps({**config, "id": other}))
    (lab / "runs" / "alike" / "events.jsonl").write_text("")
    (lab / "runs" / "broken").mkdir()
    (lab / "runs" / "broken" / "config.json").write_text("{")
    best = run.history().best_accuracy
    said = answer("runs")
    for measured in ("Accuracy {:.1f} %", "Jaccard index {:.3f}", "Mean of the tasks {:.3f}"):
        assert measured.format(best * (100 if "%" in measured else 1)) in said
    assert THREE_TASKS.title in said and UNREADABLE in said
    assert not {"None", "NaN", "nan"} & set(said.split())
    assert str(Path(run.config.model).parent) not in said


def test_no_runs_is_said(lab, answer):
    assert answer("runs", "--json") == []
    assert "There are no runs yet. Start one: python -m bertsent train" in answer("runs")


# Answering


def test_texts_of_a_file_are_answered_in_order(run, answer, tmp_path):
    (tmp_path / "texts.txt").write_text("great fun\na dull cold film\n\n", encoding="utf-8-sig")
    document = answer("predict", "--model", run.id, "--json", str(tmp_path / "texts.txt"))
    learner = load(run.id)
    assert document["model"] == learner.name == f"{run.id}, step 80"
    expected = learner.predict(["great fun", "a dull cold film"])
    assert [p["text"] for p in document["predictions"]] == ["great fun", "a dull cold film"]
    assert [p["p_positive"] for p in document["predictions"]] == [e.p_positive for e in expected]
    assert (
        [p["label"] for p in document["predictions"]]
        == [e.label for e in expected]
        == ["POSITIVE", "NEGATIVE"]
    )
    lines = answer(
        "predict", "--model", f"{run.id}/step-0", str(tmp_path / "texts.txt")
    ).splitlines()
    assert len(lines) == 2 and lines[0].split("\t")[2] == "great fun"


def test_what_was_cleaned_and_what_is_not_known_is_in_the_document(run, answer, tmp_path):
    """Markup was read unseen, and a text of unknown tokens was answered like any other."""
    (tmp_path / "texts.txt").write_text("great<br />fun\n\U0001f3ac\n", encoding="utf-8")
    rows = answer("predict", "--model", run.id, "--json", str(tmp_path / "texts.txt"))
    marked, unknown = rows["predictions"]
    assert (marked["text"], marked["removed"]) == ("great fun", {"HTML tag": 1})
    alone = load(run.id).predict(["great fun"])[0].p_positive  # not in a batch of two
    assert marked["p_positive"] == pytest.approx(alone, abs=1e-6)
    assert (unknown["label"], unknown["tokens"], unknown["unknown_tokens"]) == ("UNDECIDED", 1, 1)


def test_texts_of_standard_input_are_answered(run, answer, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("great\tfun\nno fun"))
    assert [line.split("\t")[2] for line in answer("predict", "--model", run.id).splitlines()] == [
        "great fun",
        "no fun",
    ]


def test_a_table_without_labels_is_answered(run, answer, tmp_path):
    pd.DataFrame({"review": ["great, “fun”\nand more", "no fun"]}).to_csv(
        tmp_path / "t.csv", index=False
    )
    document = answer("predict", "--model", run.id, "--json", str(tmp_path / "t.csv"))
    assert len(document["predictions"]) == 2


def test_a_model_is_found_by_its_folder(run, answer, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("great fun"))
    assert (
        answer("predict", "--model", str(run.checkpoints / "step-80"), "--json")["predictions"][0][
            "label"
        ]
        == "POSITIVE"
    )


def test_a_model_is_judged_as_a_whole_and_slice_by_slice(run, answer, trained):
    table = trained[0].parent / "toy.csv"
    document = answer(
        "evaluate", "--data", str(table), "--model", run.id, "--by", "phenomenon", "--json"
    )
    frame = pd.read_csv(table)
    guess = load(run.id).probabilities(frame["text"])[:, 1] > 0.5
    right = guess == frame["label"].astype(bool)
    assert document["n"] == 40 and document["accuracy"] == pytest.approx(right.mean())
    assert (
        set(document["classes"]) == {"Negative", "Positive"} and np.sum(document["confusion"]) == 40
    )
    for name in ("sarcasm", "negation"):
        found = document["slices"][name]
        assert (found["n"], found["accuracy"]) == (
            20,
            pytest.approx(right[frame["phenomenon"] == name].mean()),
        )
        assert found["low"] <= found["accuracy"] <= found["high"]
    printed = answer("evaluate", "--data", str(table), "--model", run.id, "--by", "phenomenon")
    assert "precision" in printed and "sarcasm" in printed and "40 reviews" in printed


def test_swapped_groups_are_compared_as_in_the_scorecard(run, answer):
    found = answer("evaluate", "--model", run.id, "--subgroups", "--json")
    own = check_subgroups(load(run.id))
    groups, attributes = (pd.DataFrame(found[name]) for name in ("groups", "attributes"))
    pd.testing.assert_frame_equal(groups, own.groups)
    pd.testing.assert_frame_equal(attributes, own.attributes())
    assert found["n"] == own.cases["text"].nunique() and found["model"] == load(run.id).name
    printed = answer("evaluate", "--model", run.id, "--subgroups")
    assert len(printed.strip().splitlines()) == len(groups) + 1 and found["finding"] in printed


# Taking away


def test_a_model_is_taken_away(run, answer, tmp_path):
    assert answer("export", run.id, str(tmp_path / "away"), "--json") == {
        "folder": str(tmp_path / "away")
    }
    assert (tmp_path / "away" / "README.md").is_file()
    assert "Exported to" in answer("export", f"{run.id}/step-0", str(tmp_path / "early"))


def test_the_doctor_says_what_this_machine_can_do(lab, answer):
    facts = answer("doctor", "--json")
    assert (
        facts["device"] == "cpu"
        and facts["built_in_backbone"].startswith("ok")
        and facts["home"] == str(lab)
    )
    assert (
        facts["runs"] == 0 and facts["free_disk_gb"] > 0 and facts["precision"] in ("bf16", "fp32")
    )


# Refused


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", "There is nothing to classify."),
        (" \n\t\n", "There is nothing to classify."),
        ("good\n\nbad", "Line 2 is empty."),
        ("good\n   \nbad", "Line 2 is empty."),
        ("good\n" + "x" * 10_000_000, "Line 2 has 10,000,000 characters; the limit is 100,000."),
        ("x\n" * 100_001, "There are 100,001 lines; the limit is 100,000."),
    ],
)
def test_texts_that_cannot_be_answered(refusal, monkeypatch, run, given, told):
    monkeypatch.setattr("sys.stdin", io.StringIO(given))
    assert told in refusal("predict", "--model", run.id)


def test_standard_input_that_is_no_text(refusal, monkeypatch, run):
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(b"great \xff\xfe fun"), encoding="utf-8")
    )
    assert "The input is not UTF-8 text." in refusal("predict", "--model", run.id)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", "text\ngreat".encode("utf-16"), "is in UTF-16. Save it as UTF-8"),
        ("a.csv", b"colour\nred\n", "text"),
        ("a.csv", b"", "is empty"),
        ("a.csv", b"text,label\n", "no rows"),
        ("a.csv", b'text,label\n"great,1\n', ""),
        ("a.parquet", b"PAR1", ""),
        ("a.txt", b"great \xff\xfe", "is not UTF-8"),
        ("a.txt", b"", "There is nothing to classify."),
    ],
)
def test_files_that_cannot_be_answered(refusal, run, tmp_path, name, content, told):
    (tmp_path / name).write_bytes(content)
    assert told in refusal("predict", "--model", run.id, str(tmp_path / name))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nothing.txt", "There is no file nothing.txt. Check the path."),
        ("nothing.csv", "There is no file"),
        (".", ""),
        ("x" * 300, ""),
        ("~nobody/x.txt", "There is no file"),
    ],
)
def test_files_that_are_not_there(refusal, run, name, told):
    assert told in refusal("predict", "--model", run.id, name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("no-such-run", "There is no run “no-such-run”."),
        ("bert-base-uncased", "There is no run"),
        ("somebody/else", "Fetch it once: python -m bertsent fetch model somebody/else"),
        ("../secret", "There is no run"),
        ("~nobody/model", "There is no run"),
        ("x" * 5_000, "There is no run"),
        (".", "is not a model folder"),
    ],
)
def test_models_that_are_not_there(refusal, lab, tmp_path, monkeypatch, name, told):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("great fun"))
    assert told in refusal("predict", "--model", name)
    assert not list(lab.rglob("*"))


def test_without_a_shipped_model_the_way_to_one_is_named(refusal, lab, run, monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "SHIPPED", tmp_path / "none")
    monkeypatch.setattr("sys.stdin", io.StringIO("great fun"))
    assert f"--model {run.id}" in refusal("predict")
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path / "empty"))
    monkeypatch.setattr("sys.stdin", io.StringIO("great fun"))
    assert "python -m bertsent train --data builtin" in refusal("predict")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "required: COMMAND"),
        (["dance"], "invalid choice: 'dance'"),
        (["train", "--colour", "red"], "unrecognized arguments: --colour red"),
        (["train", "--epochs", "many"], "argument --epochs: invalid int value: 'many'"),
        (["train", "--epochs", "0"], "The epochs cannot be 0. Choose from 1 to 100."),
        (
            ["train", "--max-length", "5"],
            "A max length of 5 tokens is not possible. Choose from 8 to 512.",
        ),
        (
            ["train", "--max-length", "100000"],
            "A max length of 100,000 tokens is not possible. Choose from 8 to 512.",
        ),
        (
            ["train", "--max-length", "200"],
            "A max length of 200 tokens is not possible. Choose from 8 to 128.",
        ),
        (["train", "--encoder-lr", "nan"], "The encoder learning rate cannot be nan."),
        (
            ["train", "--pooling", "first"],
            "The pooling cannot be “first”. Choose one of cls, mean, max.",
        ),
        (["train", "--trains", "last", "--last-layers", "9"], "The encoder has 2 layers, not 9."),
        (
            ["train", "--contrastive-share", "2"],
            "A share of 2.0 contrastive reviews is not possible.",
        ),
        (["train", "--sentinel", "x" * 301], "more than 300 characters"),
        (
            ["train", "--model", "bert-base-uncased"],
            "The model bert-base-uncased is not on this machine.",
        ),
        (["train", "--model", "."], "is not a model folder"),
        (["train", "--data", "nothing.csv"], "There is no file nothing.csv."),
        (
            ["train", "--data", "imdb"],
            "The data set stanfordnlp/imdb is not on this machine.",
        ),
        (["train", "--data", "somebody/reviews"], "is not on this machine"),
        (["train", "--data", "one.csv"], "Training needs both classes."),
        (["train", "--data", "bare.csv"], "label"),
        (["train", "--data", "pairs.csv"], "Row 2 of pairs.csv has “nan” in “score”."),
        (["train", "--data", "steps.csv"], "Validation needs at least five of each label."),
        (["train", "--data", "toy.csv", "--task", "aspects"], "no column for the aspect"),
        (["train", "--resume", "nobody"], "There is no run “nobody”."),
        (
            ["evaluate", "--data", "toy.csv", "--by", "colour"],
            "There are no slices by “colour”.",
        ),
        (
            ["evaluate", "--data", "toy.csv", "--split", "test"],
            "No review of toy.csv is in the split “test”.",
        ),
        (["evaluate", "--data", "toy.csv", "--model", "nobody"], "There is no run “nobody”."),
        (["evaluate", "--subgroups", "--by", "label"], "has texts of its own"),
        (["evaluate", "--subgroups", "--data", "toy.csv"], "has texts of its own"),
        (["export", "nobody", "away"], "There is no run “nobody”."),
        (["fetch", "model", "../secret"], "is not a Hub id"),
        (["fetch", "poem", "x"], "invalid choice: 'poem'"),
    ],
)
def test_commands_that_cannot_be_done(
    refusal,
    lab,
    tmp_path,
    toy_csv,
    tiny_backbone,  # noqa: F811
    monkeypatch,
    arguments,
    told,
):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"text": ["a film"] * 20, "label": [1] * 20}).to_csv("one.csv", index=False)
    pd.DataFrame({"text": ["a film"] * 20}).to_csv("bare.csv", index=False)
    Path("pairs.csv").write_text("text1,text2,score\na,b,5\na,c,nan\n")
    parts = ["train"] * 45 + ["validation"] * 9
    steps = {"text": [f"film {n}" for n in range(54)], "label": [n % 5 for n in range(54)]}
    pd.DataFrame({**steps, "split": parts}).to_csv("steps.csv", index=False)
    if arguments[:1] == ["train"]:
        usual = {"--data": "toy.csv", "--model": str(tiny_backbone), "--max-length": "64"}
        arguments = [
            *arguments,
            *(
                part
                for name, value in usual.items()
                if name not in arguments
                for part in (name, value)
            ),
        ]
    before = sorted(path.name for path in tmp_path.rglob("*"))
    assert told in refusal(*arguments)
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("{run}/step-7777", "has no checkpoint of step 7777"),
        ("{run}/step-x", "is not run/step-N"),
        ("{run}/step-²", "is not run/step-N"),
        ("{run}/step--1", "is not run/step-N"),
        ("nobody", "There is no run “nobody”"),
    ],
)
def test_what_cannot_be_taken_away(refusal, run, tmp_path, name, told):
    assert told in refusal("export", name.format(run=run.id), str(tmp_path / "away"))
    assert not (tmp_path / "away").exists()


def test_taking_away_never_overwrites(refusal, run, tmp_path):
    (tmp_path / "precious.txt").write_text("mine")
    assert "exists and is not empty. Choose another folder." in refusal(
        "export", run.id, str(tmp_path)
    )
    assert "exists and is not empty." in refusal("export", run.id, str(tmp_path / "precious.txt"))
    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


def test_a_place_that_cannot_be_written_is_one_line(refusal, run, tmp_path):
    (tmp_path / "file").write_text("mine")
    assert "Not a directory" in refusal("export", run.id, str(tmp_path / "file" / "away"))


def test_a_full_disk_is_one_line(refusal, lab, toy_csv, tiny_backbone, monkeypatch):  # noqa: F811
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bertsent.training.config.RunConfig.save", full)
    told = refusal(
        "train", "--data", str(toy_csv), "--model", str(tiny_backbone), "--max-length", "64"
    )
    assert "No space left on device" in told and not list((lab / "runs").iterdir())


def test_a_failed_run_says_why_and_how_to_go_on(run, capsys, monkeypatch):
    from bertsent import commands
    from bertsent.training.events import Failed

    history = run.history().add(
        [Failed(step=3, reason="The disk is full.", remedy="Free some space.")]
    )
    monkeypatch.setattr(
        type(run), "status", lambda self, h=None: type("S", (), {"state": "failed"})
    )
    assert commands._outcome(find_run(run.id), history, Namespace(json=True)) == 1
    printed = capsys.readouterr()
    assert (
        printed.err == "bertsent: The disk is full. Free some space.\n"
        and json.loads(printed.out)["state"] == "failed"
    )


# As a program


def test_help_names_every_command_and_loads_nothing_heavy():
    code = "import sys; sys.argv = ['bertsent', '--help']; from bertsent.__main__ import main\n"
    code += (
        "try: main()\nexcept SystemExit: print(sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    assert all(command in done.stdout for command in COMMANDS)
    loaded = set(done.stdout.splitlines()[-1].strip("[]").replace("'", "").split(", "))
    assert not loaded & {
        "torch",
        "streamlit",
        "transformers",
        "pandas",
        "numpy",
        "sklearn",
        "plotly",
        "altair",
    }


@pytest.mark.slow
def test_as_a_program_it_prints_one_document_and_nothing_else(run):
    done = python("-m", "bertsent", "predict", "--model", run.id, "--json", given="great fun\n")
    assert done.returncode == 0 and done.stderr == ""
    assert json.loads(done.stdout)["predictions"][0]["label"] == "POSITIVE"


def test_as_a_program_bad_input_is_one_line_and_status_2(lab):
    done = python("-m", "bertsent", "train", "--epochs", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "bertsent: The epochs cannot be 0. Choose from 1 to 100.\n"


@pytest.mark.slow
def test_the_built_in_data_and_backbone_by_command(lab, answer, tmp_path, monkeypatch):
    few = write_few(sources.BUILTIN, tmp_path, units=20)
    monkeypatch.setattr(sources, "BUILTIN", few)
    document = answer("train", "--epochs", "1", "--max-length", "32", "--trains", "head", "--json")
    assert document["state"] == "finished" and document["validation_rows"] > 50
    judged = answer(
        "evaluate",
        "--data",
        "builtin",
        "--split",
        "validation",
        "--by",
        "phenomenon",
        "--model",
        document["run"],
        "--json",
    )
    assert judged["accuracy"] == pytest.approx(document["accuracy"]) and len(judged["slices"]) > 1


def test_without_a_word_the_built_in_model_is_evaluated_on_the_built_in_test_part(
    answer, tmp_path, monkeypatch
):
    monkeypatch.setattr(sources, "BUILTIN", write_few(sources.BUILTIN, tmp_path))
    rows = [row for row in sources.load_reviews("builtin") if row.split == "test"]
    document = answer("evaluate", "--by", "phenomenon", "--json")
    assert document["model"] == "Built-in" and 0 <= document["ece"] < 1
    assert document["n"] == document["slices"]["all"]["n"] == len(rows) > 20
    whole = len({row.pair for row in rows if row.pair})
    assert document["slices"]["pairs, both right"]["n"] == whole > 10


def test_the_built_in_model_is_taken_away_whole(answer, tmp_path, monkeypatch):
    assert answer("export", "builtin", str(tmp_path / "away"), "--json") == {
        "folder": str(tmp_path / "away")
    }
    for model in ("builtin", str(tmp_path / "away")):
        monkeypatch.setattr("sys.stdin", io.StringIO("Great, another boring movie"))
        assert (
            answer("predict", "--model", model, "--json")["predictions"][0]["label"] == "NEGATIVE"
        )


def test_a_prepared_run_is_laid_down_and_nothing_starts(lab, toy_csv, tiny_backbone, capsys):  # noqa: F811
    from bertsent.training.runs.run import Run

    assert (
        main(
            [
                "train",
                "--data",
                str(toy_csv),
                "--model",
                str(tiny_backbone),
                "--max-length",
                "64",
                "--epochs",
                "1",
                "--prepare",
            ]
        )
        == 0
    )
    run = Run(Path(capsys.readouterr().out.strip()))
    assert run.folder.parent == lab / "runs" and run.config.training.epochs == 1
    assert (
        run.status().state == "new"
        and not run.alive()
        and not (run.folder / "events.jsonl").exists()
    )


# The command itself


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "--model", ""),
        ("evaluate", "--model", " "),
        ("train", "--model", ""),
        ("train", "--data", ""),
        ("train", "--resume", ""),
        ("export", "", "folder"),
        ("export", "builtin", ""),
    ],
)
def test_an_empty_name_is_refused(arguments, capsys, monkeypatch, tmp_path):
    """``--model ""`` meant the current folder, and ``--resume ""`` began another run."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    lines = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2 and len(lines) == 1 and "empty" in lines[0]


def test_serve_starts_the_app_with_the_options_of_streamlit(monkeypatch):
    from bertsent.ui import serve

    seen = []
    monkeypatch.setattr(sys, "argv", ["bertsent", "serve"])
    monkeypatch.setenv("PORT", "1")
    monkeypatch.setattr(serve, "main", lambda: seen.append((os.environ["PORT"], sys.argv[1:])))
    assert main(["serve", "--port", "8612", "--server.address", "127.0.0.1"]) == 0
    assert seen == [("8612", ["--server.address", "127.0.0.1"])]


def test_the_former_name_of_an_option_is_understood():
    options = build_parser().parse_args(["train", "--waypoints", "3"])
    assert options.kept_checkpoints == 3


def test_a_run_is_called_as_somebody_wants(lab, toy_csv, tiny_backbone, capsys):  # noqa: F811
    common = ["train", "--prepare", "--json", "--data", str(toy_csv), "--model", str(tiny_backbone)]
    assert main([*common, "--max-length", "64", "--name", "my-run"]) == 0
    assert find_run("my-run").config.id == "my-run"
    for taken in ("my-run", "builtin", "My run", "../x", "-x"):
        capsys.readouterr()
        assert main([*common, "--max-length", "64", f"--name={taken}"]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert len(list_runs()) == 1
