"""The command line: ``bertsent COMMAND``, or ``python -m bertsent COMMAND``.

``--json`` prints one JSON document on standard output and nothing else there. Bad input is one line
on standard error and exit status 2. Nothing heavy is imported before a command needs it.
"""

import argparse
import os
import sys
from typing import Any, NoReturn

from bertsent.errors import BertsentError

HYPERPARAMETERS = {
    **dict.fromkeys(
        (
            "epochs",
            "batch-size",
            "max-length",
            "accumulate",
            "patience",
            "last-layers",
            "lora-rank",
            "seed",
            "sentinel-every",
        ),
        int,
    ),
    **dict.fromkeys(
        (
            "encoder-lr",
            "head-lr",
            "warmup-share",
            "weight-decay",
            "dropout",
            "hidden-dropout",
            "attention-dropout",
            "label-smoothing",
            "layer-decay",
            "save-seconds",
        ),
        float,
    ),
    **dict.fromkeys(("class-weights", "pooling", "trains", "precision"), str),
}


TASKS = (  # of bertsent.data.asked_columns, which need not be loaded for --help
    *("sentiment", "five-steps", "aspects", "feelings", "similarity", "paraphrase"),
    *("masked-words", "labels", "several", "rating"),
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(2)


def name(text: str) -> str:
    """A name as given; an empty one would mean the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def _flag(text: str) -> dict[str, Any]:
    return {"action": "store_true", "default": argparse.SUPPRESS, "help": text}


_MODEL = {
    "type": name,
    "default": "builtin",
    "help": "builtin, builtin/five-steps and other tasks, a run, run/step-N, a folder or a Hub id",
}
_PART = {"type": name, "metavar": "TASK", "help": "of a model of several tasks, which is asked"}
_BULK: dict[str, dict[str, Any]] = {
    "--out": {
        "type": name,
        "metavar": "FOLDER",
        "help": "write Parquet parts there, of tables of any size; finished parts are kept, so the "
        "same command goes on where it was",
    },
    "--cluster": {
        "nargs": "?",
        "const": "here",
        "type": name,
        "metavar": "ADDRESS",
        "help": "answer on a Ray cluster: auto, host:port or ray://host:port; without an address "
        "on one of this machine that ends with the command (docs/cluster.md)",
    },
    "--workers": {
        "type": int,
        "help": "models on the cluster; one for each graphics card, or core, unless chosen",
    },
    "--rows": {"type": int, "default": 4_096, "help": "rows of a part (4096)"},
}
_DROP_INCOMPLETE = {"action": "store_true", "help": "leave out rows without text or label"}
_JSON = {"--json": {"action": "store_true", "help": "print one JSON document"}}
COMMANDS: dict[str, tuple[str, dict[str, dict[str, Any]]]] = {
    "serve": (
        "start the app; further options go to Streamlit",
        {"--port": {"type": int, "help": "8501, or the next free one, unless chosen"}},
    ),
    "predict": (
        "what a model says of texts",
        {
            "file": {
                "nargs": "*",
                "default": ["-"],
                "help": "one text per line (where two are read, with a tab between them; an aspect "
                "first), or a table with the columns of the task; - is standard input. With --out "
                "tables, or folders with tables",
            },
            "--model": _MODEL,
            "--part": _PART,
            **_BULK,
            **_JSON,
        },
    ),
    "embed": (
        "one vector for each text of tables of any size, as Parquet parts",
        {
            "file": {"nargs": "*", "type": name, "help": "tables, or folders with tables"},
            "--model": _MODEL,
            "--pooling": {
                "choices": ("cls", "mean", "max"),
                "default": "cls",
                "help": "what one vector is made of",
            },
            "--layer": {"type": int, "default": -1, "help": "of which layer; -1 is the last"},
            **_BULK,
            **_JSON,
        },
    ),
    "evaluate": (
        "how good a model is: accuracy, macro-F1 and more, per class and per slice",
        {
            "--data": {
                "type": name,
                "default": "builtin",
                "help": "builtin, or a CSV/TSV/JSONL/Parquet file with the columns of the task",
            },
            "--model": _MODEL,
            "--part": _PART,
            "--by": {
                "metavar": "COLUMN",
                "help": "also for each value of phenomenon, split, pair or label",
            },
            "--subgroups": {
                "action": "store_true",
                "help": "instead: how the answer moves when identity words, names or varieties of "
                "English are swapped in the texts that ship for it",
            },
            "--split": {
                "help": "only rows of this split, or all; test by default for the built-in reviews"
            },
            "--drop-incomplete": _DROP_INCOMPLETE,
            **_JSON,
        },
    ),
    "train": (
        "fine-tune; the same engine as the app",
        {
            "--data": {
                "type": name,
                "default": "builtin",
                "help": "builtin, imdb, a CSV/TSV/JSONL/Parquet file, or a downloaded Hub id",
            },
            "--task": {
                "choices": TASKS,
                "help": "what it learns; what the columns of the file say unless chosen",
            },
            "--model": {
                "type": name,
                "default": "builtin",
                "help": "the backbone: builtin, a folder or a downloaded Hub id",
            },
            "--resume": {
                "type": name,
                "metavar": "RUN",
                "help": "resume a paused or interrupted run; other options are ignored",
            },
            "--name": {"type": name, "help": "the name of the run"},
            **{
                f"--{option}": {"type": kind, "default": argparse.SUPPRESS}
                for option, kind in HYPERPARAMETERS.items()
            },
            "--kept-checkpoints --waypoints": {  # its former name
                "type": int,
                "default": argparse.SUPPRESS,
                "help": "about how many checkpoints are kept within the epochs",
            },
            "--prepare": {
                "action": "store_true",
                "help": "write the run's folder, print it, start nothing (for accelerate launch)",
            },
            "--freeze-embeddings": _flag("keep the input vectors as pretrained"),
            "--keep-head": _flag("start from a fine-tuned model with its head"),
            "--contrastive-share": {
                "type": float,
                "help": "share of handcrafted contrastive rows among the training rows",
            },
            "--sentinel": {
                "action": "append",
                "default": [],
                "metavar": "TEXT",
                "help": "follow P(positive) of this sentence, the expected step or the number; of "
                "masked words, what is guessed for its [MASK]",
            },
            "--drop-incomplete": _DROP_INCOMPLETE,
            **_JSON,
        },
    ),
    "runs": ("list all runs", _JSON),
    "export": (
        "write a model as a Hugging Face folder",
        {
            "run": {"type": name, "help": "a run's id, run/step-N, or builtin"},
            "folder": {"type": name},
            **_JSON,
        },
    ),
    "fetch": (
        "download a model or a data set from the Hub",
        {"kind": {"choices": ("model", "dataset")}, "id": {"type": name}},
    ),
    "doctor": ("show what this machine can do", _JSON),
    "lesson": (
        "check lesson files; each problem with its line",
        {
            "action": {"choices": ("check",)},
            "file": {"nargs": "+", "type": name, "help": "Markdown files (docs/lessons.md)"},
            **_JSON,
        },
    ),
}


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = _Parser(
        prog="bertsent",
        description="Fine-tune BERT on movie reviews, watch it train, and find out why it answers "
        "as it does.",
    )
    commands = parser.add_subparsers(
        dest="command", required=True, parser_class=_Parser, metavar="COMMAND"
    )
    for command, (summary, options) in COMMANDS.items():
        of_command = commands.add_parser(command, help=summary)
        for flags, settings in options.items():
            of_command.add_argument(*flags.split(), **settings)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives back the exit status."""
    parser = build_parser()
    options, further = parser.parse_known_args(arguments)
    if further and options.command != "serve":
        parser.error(f"unrecognized arguments: {' '.join(further)}")
    try:
        if options.command == "serve":
            return _serve(options.port, further)
        from bertsent import commands

        return getattr(commands, options.command)(options)
    except BertsentError as error:
        print(f"bertsent: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1
    except OSError as error:
        reason = f"{error.filename or 'The disk'}: {error.strerror or error}"
        print(f"bertsent: {reason}. Free some space or choose another place.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _serve(port: int | None, streamlit_options: list[str]) -> int:
    from bertsent.ui.serve import main as start_app

    if port:
        os.environ["PORT"] = str(port)
    sys.argv[1:] = streamlit_options
    start_app()
    return 0


if __name__ == "__main__":
    sys.exit(main())
