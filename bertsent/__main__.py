"""The command line: ``bertsent COMMAND``, or ``python -m bertsent COMMAND``.

``--json`` prints one JSON document on standard output and nothing else there. Bad input is one line
on standard error and exit status 2. Nothing heavy is imported before a command needs it.
"""

import argparse
import os
import sys
from typing import NoReturn

from bertsent.errors import BertsentError

MODEL_HELP = "builtin, a run, run/step-N, a folder or a Hub id"
HYPERPARAMETERS = {
    "epochs": int,
    "batch-size": int,
    "max-length": int,
    "encoder-lr": float,
    "head-lr": float,
    "warmup-share": float,
    "weight-decay": float,
    "dropout": float,
    "hidden-dropout": float,
    "attention-dropout": float,
    "label-smoothing": float,
    "layer-decay": float,
    "accumulate": int,
    "class-weights": str,
    "patience": int,
    "last-layers": int,
    "lora-rank": int,
    "seed": int,
    "sentinel-every": int,
    "save-seconds": float,
    "pooling": str,
    "trains": str,
    "precision": str,
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(2)


def name(text: str) -> str:
    """A name as given; an empty one would mean the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name is empty")
    return text


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
    json_output = _Parser(add_help=False)
    json_output.add_argument("--json", action="store_true", help="print one JSON document")
    serve = commands.add_parser("serve", help="start the app; further options go to Streamlit")
    serve.add_argument("--port", type=int, help="8501, or the next free one, unless chosen")
    predict = commands.add_parser(
        "predict", help="label and P(positive) of texts", parents=[json_output]
    )
    predict.add_argument(
        "file",
        nargs="?",
        default="-",
        help="a text a line, or a table with a text column; - is standard input",
    )
    predict.add_argument("--model", type=name, default="builtin", help=MODEL_HELP)
    _evaluate_options(
        commands.add_parser(
            "evaluate", help="accuracy, macro-F1, per class and per slice", parents=[json_output]
        )
    )
    _train_options(
        commands.add_parser(
            "train", help="fine-tune; the same engine as the app", parents=[json_output]
        )
    )
    commands.add_parser("runs", help="list all runs", parents=[json_output])
    export = commands.add_parser(
        "export", help="write a model as a Hugging Face folder", parents=[json_output]
    )
    export.add_argument("run", type=name, help="a run's id, run/step-N, or builtin")
    export.add_argument("folder", type=name)
    fetch = commands.add_parser("fetch", help="download a model or a data set from the Hub")
    fetch.add_argument("kind", choices=("model", "dataset"))
    fetch.add_argument("id", type=name)
    commands.add_parser("doctor", help="say what this machine can do", parents=[json_output])
    return parser


def _evaluate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=name,
        default="builtin",
        help="builtin (the default), or a CSV/TSV/JSONL/Parquet file with text and label",
    )
    parser.add_argument("--model", type=name, default="builtin", help=MODEL_HELP)
    parser.add_argument(
        "--by", metavar="COLUMN", help="also for each value of phenomenon, split, pair or label"
    )
    parser.add_argument(
        "--split", help="only rows of this split, or all; test by default for the built-in reviews"
    )
    parser.add_argument(
        "--drop-incomplete", action="store_true", help="leave out rows without text or label"
    )


def _train_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=name,
        default="builtin",
        help="builtin, imdb, a CSV/TSV/JSONL/Parquet file, or a downloaded Hub id",
    )
    parser.add_argument(
        "--model",
        type=name,
        default="builtin",
        help="the backbone: builtin, a folder or a downloaded Hub id",
    )
    parser.add_argument(
        "--resume",
        type=name,
        metavar="RUN",
        help="resume a paused or interrupted run; other options are ignored",
    )
    parser.add_argument("--name", type=name, help="what the run is called")
    for option, kind in HYPERPARAMETERS.items():
        parser.add_argument(f"--{option}", type=kind, default=argparse.SUPPRESS)
    parser.add_argument(
        "--kept-checkpoints",
        "--waypoints",  # its former name
        type=int,
        default=argparse.SUPPRESS,
        help="about how many checkpoints stay inside the epochs",
    )
    parser.add_argument(
        "--prepare",
        action="store_true",
        help="write the run's folder, print it, start nothing (for accelerate launch)",
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
        help="start from a fine-tuned model with its head",
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
        where = error.filename or "The disk"
        print(
            f"bertsent: {where}: {error.strerror or error}. Free some space or choose another "
            "place.",
            file=sys.stderr,
        )
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
