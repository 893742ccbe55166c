"""``python -m tests.benchmarks [NAME ...] [--quick] [--json FILE]``: how fast and how small, as
ratios in one run.

Ours and its peer are measured in turns on the same machine and the same reviews, so a ratio means
something where a time
would not. Nothing is asserted.
"""

import argparse
import importlib
import json
import platform
import sys
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

from bertsent.settings import machine
from tests.benchmarks.reviews import long_reviews
from tests.benchmarks.rows import Row, table
from tests.benchmarks.temporary_home import temporary_home

NAMES = (
    "training",
    "peak",
    "attention",
    "three_tasks",
    "accuracy",
    "prediction",
    "micro_batching",
    "drawing",
    "heads",
    "maps",
    "page",
    "browser",
    "home",
    "viewers",
    "live_viewers",
    "class_hour",
    "copies",
    "memory",
    "cluster",  # needs the extra of that name
)
LIBRARIES = ("torch", "transformers", "accelerate", "streamlit", "plotly")


def main() -> int:
    """Measure what was asked for; exit status 1 when something could not be measured."""
    options = _options()
    failed, rows, began = [], [], time.perf_counter()
    with temporary_home():
        for name in options.names or NAMES:
            try:
                rows += _measured(name, options.quick)
            except Exception as error:
                print(f"{name}: {error}", file=sys.stderr)
                failed.append(name)
    minutes = (time.perf_counter() - began) / 60
    print(
        f"\n{table(rows)}\n\n{_machine_line(options.quick)}\n{minutes:.1f} minutes. A ratio over 1 "
        "says that ours is better."
    )
    if options.json:
        options.json.write_text(
            json.dumps(_document(rows, options.quick), indent=2, ensure_ascii=False) + "\n",
            encoding="utf-8",
        )
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="How fast and how small, as ratios in one run.",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"which benchmarks; all by default: {', '.join(NAMES)}",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="few rows and turns: shows that everything works, measures roughly",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(NAMES))
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]}; choose from {', '.join(NAMES)}")
    return options


def _measured(name: str, quick: bool) -> list[Row]:
    began = time.perf_counter()
    rows = importlib.import_module(f"tests.benchmarks.{name}").rows(quick)
    print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return rows


def _machine_line(quick: bool) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    rough = " Quick: few rows and turns, so rough." if quick else ""
    return (
        f"{machine().sentence()}; Python {platform.python_version()}, "
        f"{versions}.\n{date.today()}; {long_reviews().name}.{rough}"
    )


def _document(rows: list[Row], quick: bool) -> dict[str, object]:
    return {
        "date": str(date.today()),
        "machine": machine().sentence(),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in LIBRARIES},
        },
        "reviews": long_reviews().name,
        "quick": quick,
        "rows": [row.document() for row in rows],
    }


if __name__ == "__main__":
    sys.exit(main())
