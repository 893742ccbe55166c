"""The command line: ``python -m bertsent predict | evaluate | train | runs | export | fetch |
doctor``.

``--json`` prints one JSON document on standard output and nothing else there. Bad input is one line
on standard error and
exit status 2. Nothing heavy is imported before a command needs it.
"""

import argparse
import sys
from typing import NoReturn

from bertsent.errors import BertsentError


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(2)


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = _Parser(
        prog="bertsent",
        description="Fine-tune BERT on movie reviews, watch it learn, and find out why it answers "
        "as it does.",
    )
    commands = parser.add_subparsers(
        dest="command", required=True, parser_class=_Parser, metavar="COMMAND"
    )
    _predict_options(commands.add_parser("predict", help="label and P(positive) of texts"))
    _evaluate_options(
        commands.add_parser("evaluate", help="accuracy, macro-F1, per class and per slice")
    )
    _train_options(commands.add_parser("train", help="fine-tune; the same engine as the app"))
    commands.add_parser("runs", help="list all runs").add_argument("--json", action="store_true")
    export = commands.add_parser("export", help="take a model away as a Hugging Face folder")
    export.add_argument("run", help="a run's id, run/step-N, or builtin")
    export.add_argument("folder")
    export.add_argument("--json", action="store_true")
    fetch = commands.add_parser("fetch", help="bring a model or a data set from the Hub")
    fetch.add_argument("kind", choices=("model", "dataset"))
    fetch.add_argument("id")
    doctor = commands.add_parser("doctor", help="say what this machine can do")
    doctor.add_argument("--json", action="store_true")
    return parser


def _predict_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        default="-",
        help="a text a line, or a table with a text column; - is standard input",
    )
    parser.add_argument(
        "--model", default="builtin", help="builtin, a run, run/step-N, a folder or a Hub id"
    )
    parser.add_argument("--json", action="store_true")


def _evaluate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        default="builtin",
        help="builtin (the default), or a CSV/TSV/JSONL/Parquet file with text and label",
    )
    parser.add_argument(
        "--model", default="builtin", help="builtin, a run, run/step-N, a folder or a Hub id"
    )
    parser.add_argument(
        "--by", metavar="COLUMN", help="also judge each value of phenomenon, split, pair or label"
    )
    parser.add_argument(
        "--split",
        help="only rows of this split, or all; of the built-in reviews the test split unless told "
        "otherwise",
    )
    parser.add_argument(
        "--drop-incomplete", action="store_true", help="leave out rows without text or label"
    )
    parser.add_argument("--json", action="store_true")


def _train_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        default="builtin",
        help="builtin, imdb, a CSV/TSV/JSONL/Parquet file, or a fetched Hub id",
    )
    parser.add_argument(
        "--model", default="builtin", help="the backbone: builtin, a folder or a fetched Hub id"
    )
    parser.add_argument(
        "--resume",
        metavar="RUN",
        help="go on with a paused or interrupted run; other options are ignored",
    )
    for name, kind in (
        ("epochs", int),
        ("batch-size", int),
        ("max-length", int),
        ("encoder-lr", float),
        ("head-lr", float),
        ("warmup-share", float),
        ("weight-decay", float),
        ("dropout", float),
        ("hidden-dropout", float),
        ("attention-dropout", float),
        ("label-smoothing", float),
        ("layer-decay", float),
        ("accumulate", int),
        ("class-weights", str),
        ("patience", int),
        ("last-layers", int),
        ("lora-rank", int),
        ("seed", int),
        ("sentinel-every", int),
        ("save-seconds", float),
        ("pooling", str),
        ("trains", str),
        ("precision", str),
    ):
        parser.add_argument(f"--{name}", type=kind, default=argparse.SUPPRESS)
    parser.add_argument("--kept-checkpoints", "--waypoints", type=int, default=argparse.SUPPRESS)
    parser.add_argument(
        "--prepare",
        action="store_true",
        help="lay the run down, print its folder, start nothing (for accelerate launch)",
    )
    parser.add_argument(
        "--freeze-embeddings",
        action="store_true",
        default=argparse.SUPPRESS,
        help="leave the input vectors as pretrained",
    )
    parser.add_argument(
        "--keep-head",
        action="store_true",
        default=argparse.SUPPRESS,
        help="go on from a fine-tuned model with its head",
    )
    parser.add_argument(
        "--contrastive-share",
        type=float,
        help="share of handcrafted contrastive rows among the training rows",
    )
    parser.add_argument(
        "--sentinel",
        action="append",
        default=[],
        metavar="TEXT",
        help="follow P(positive) of this sentence",
    )
    parser.add_argument(
        "--drop-incomplete", action="store_true", help="leave out rows without text or label"
    )
    parser.add_argument("--json", action="store_true")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives back the exit status."""
    options = build_parser().parse_args(arguments)
    from bertsent import commands

    try:
        return getattr(commands, options.command)(options)
    except BertsentError as error:
        print(f"bertsent: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1
    except OSError as error:
        where = error.filename or "The disk"
        print(
            f"bertsent: {where}: {error.strerror or error}. Free some space or choose another "
            "place.",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
