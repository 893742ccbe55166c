"""The command line as somebody in a shell meets it: documents, lines, exit statuses."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bertsent.__main__ import main
from bertsent.settings import PROJECT
from bertsent.training.runs import list_runs


@pytest.fixture
def shell(capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, lab: Path) -> Callable[..., tuple[int, str, str]]:
    """Run one command in this process: exit status, standard output, standard error."""

    def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        try:
            status = main(list(arguments))
        except SystemExit as end:
            status = int(end.code or 0)
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def trained(shell: Callable[..., tuple[int, str, str]], toy_csv: Path, tiny_backbone: Path) -> dict:
    """What `train --json` says of a run of the tiny model."""
    status, out, err = shell(
        "train", "--data", str(toy_csv), "--model", str(tiny_backbone), "--epochs", "2", "--batch-size", "8", "--max-length", "32",
        "--sentinel", "Great, another boring movie", "--json",
    )  # fmt: skip
    assert status == 0, err
    return json.loads(out)


def test_train_predict_evaluate_export(trained: dict, shell: Callable[..., tuple[int, str, str]], toy_csv: Path, tmp_path: Path) -> None:
    assert trained["state"] == "finished" and trained["steps"] == 8 and trained["validation_rows"] == 8
    run = trained["run"]

    status, out, err = shell("predict", "--model", run, "--json", stdin="Great, another boring movie\nfine\n")
    answers = json.loads(out)["predictions"]
    assert (status, err) == (0, "")
    assert [a["text"] for a in answers] == ["Great, another boring movie", "fine"]
    assert answers[0]["p_positive"] == pytest.approx(trained["sentinels"]["Great, another boring movie"], abs=1e-6)
    assert answers[0]["label"] == ("POSITIVE" if answers[0]["p_positive"] > 0.5 else "NEGATIVE")

    status, out, _ = shell("predict", str(toy_csv), "--model", f"{run}/step-8")
    assert status == 0 and len(out.splitlines()) == 40
    assert out.splitlines()[0].split("\t")[0] in ("POSITIVE", "NEGATIVE")

    status, out, _ = shell("evaluate", "--data", str(toy_csv), "--model", run, "--by", "label", "--json")
    facts = json.loads(out)
    assert status == 0 and facts["n"] == 40 and set(facts["slices"]) == {"0", "1"}
    assert facts["accuracy"] == pytest.approx(sum(facts["confusion"][i][i] for i in (0, 1)) / 40)

    status, out, _ = shell("runs", "--json")
    assert [row["run"] for row in json.loads(out)] == [run]
    status, out, _ = shell("export", run, str(tmp_path / "away"), "--json")
    assert status == 0 and (tmp_path / "away" / "README.md").is_file()
    status, _, err = shell("export", run, str(tmp_path / "away"))
    assert status == 2 and "not empty" in err


def test_resume_of_a_finished_run_ends_at_once(trained: dict, shell: Callable[..., tuple[int, str, str]]) -> None:
    status, out, _ = shell("train", "--resume", trained["run"], "--json")
    again = json.loads(out)
    assert status == 0 and again["state"] == "finished" and again["accuracy"] == trained["accuracy"]


def test_doctor_says_what_this_machine_can_do(shell: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = shell("doctor", "--json")
    facts = json.loads(out)
    assert (status, err) == (0, "")
    assert facts["device"] == "cpu" and facts["built_in_backbone"].startswith("ok") and facts["hub"].startswith("switched off")


def test_no_runs_yet(shell: Callable[..., tuple[int, str, str]]) -> None:
    assert "no runs yet" in shell("runs")[1]


BAD = {
    "no trained model ships": (["predict"], "fine", "No trained sentiment model ships"),
    "empty input": (["predict", "--model", "x"], "", "nothing to classify"),
    "blank input": (["predict", "--model", "x"], "  \n \n", "nothing to classify"),
    "blank line": (["predict", "--model", "x"], "a\n\nb", "Line 2 is empty"),
    "ten megabytes in a line": (["predict", "--model", "x"], "a" * 10_000_000, "characters; the limit is"),
    "missing file": (["predict", "nowhere.csv"], "", "no file nowhere.csv"),
    "unknown run": (["predict", "--model", "nobody"], "fine", "There is no run"),
    "hub away": (["predict", "--model", "google-bert/bert-base-uncased"], "fine", "not on this machine"),
    "hub away for training": (["train", "--model", "bert-base-uncased"], "", "fetch"),
    "hub data away": (["train", "--data", "imdb"], "", "not on this machine"),
    "no such data": (["train", "--data", "nowhere.csv"], "", "no file"),
    "too short": (["train", "--max-length", "5"], "", "max length of 5 tokens"),
    "too long": (["train", "--max-length", "100000"], "", "max length of 100,000 tokens"),
    "no epochs": (["train", "--epochs", "0"], "", "epochs cannot be 0"),
    "no number": (["train", "--epochs", "many"], "", "invalid int value"),
    "unknown option": (["train", "--epoches", "3"], "", "unrecognized arguments"),
    "unknown pooling": (["train", "--pooling", "sum"], "", "cls, mean, max"),
    "nothing": ([], "", "COMMAND"),
    "unknown slice": (["evaluate", "--data", "builtin", "--by", "colour"], "", "cannot be sliced"),
    "nothing to export": (["export", "nobody", "somewhere"], "", "There is no run"),
    "nothing to resume": (["train", "--resume", "nobody"], "", "There is no run"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_and_exit_status_2(name: str, shell: Callable[..., tuple[int, str, str]], lab: Path) -> None:
    arguments, stdin, said = BAD[name]
    status, out, err = shell(*arguments, stdin=stdin)
    assert status == 2, err
    assert out == "" and len(err.splitlines()) == 1 and said in err, err
    assert not list_runs() and not list(lab.iterdir()), "something was left behind"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"review_of,label\nfine,1\n", "no text column"),
        (b"text,label\n" + b"fine,1\n" * 20, "are positive"),
        (b"text,label\nfine,\n", "has no label"),
        (b"text,label\nfine,superb\n", "is not a label"),
        ("text,label\nfine,1\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_bad_files_are_one_line_too(data: bytes, said: str, shell: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_bytes(data)
    status, out, err = shell("train", "--data", str(tmp_path / "bad.csv"), "--json")
    assert (status, out) == (2, "") and len(err.splitlines()) == 1 and said in err
    assert not list_runs()


def test_a_folder_that_is_no_model(shell: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for command in (["predict", "--model"], ["train", "--model"]):
        status, out, err = shell(*command, str(tmp_path / "empty"), stdin="fine")
        assert (status, out) == (2, "") and "no model folder" in err


def test_as_a_process_of_its_own(lab: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-m", "bertsent", *arguments], cwd=PROJECT, capture_output=True, text=True, input="")

    assert "evaluate" in run("--help").stdout
    ended = run("predict")
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (2, "", 1)
