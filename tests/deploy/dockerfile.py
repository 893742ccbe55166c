"""A Dockerfile without Docker: its steps, read and executed one after the other in a fresh folder.

What needs a kernel's help is left out and named: the base image (this Python stands for it), users,
and the root of the file system, for which a folder stands: a path of the image becomes one below.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

IMAGE_PATHS = ("/app", "/venv", "/data", "/tmp/uv")


@dataclass(frozen=True)
class Step:
    """One instruction and what follows it."""

    name: str
    text: str

    def words(self) -> list[str]:
        """Of an instruction in its JSON form, or split at spaces."""
        return json.loads(self.text) if self.text.startswith("[") else self.text.split()


def steps(file: Path) -> list[Step]:
    """The instructions, each with its continued lines joined."""
    text = re.sub(r"^\s*#.*\n", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [Step(*line.split(maxsplit=1)) for line in lines if line.strip()]


def copied(file: Path) -> Iterator[tuple[list[str], str]]:
    """Sources and target of every COPY."""
    for step in steps(file):
        if step.name == "COPY":
            *sources, target = step.words()
            yield sources, target


def command(file: Path, name: str) -> list[str]:
    """The words of the last CMD, or of the check behind HEALTHCHECK."""
    text = [step.text for step in steps(file) if step.name == name][-1]
    return json.loads(text[text.index("[") :])


@dataclass
class Image:
    """A folder in which the steps of a Dockerfile were executed."""

    root: Path
    arguments: Mapping[str, str]
    environment: dict[str, str] = field(default_factory=dict)
    executed: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def build(self, file: Path, context: Path) -> None:
        """Execute every step.

        Raises:
            subprocess.CalledProcessError: a RUN failed.
        """
        for path in IMAGE_PATHS[:1]:
            self.path(path).mkdir(parents=True)
        for step in steps(file):
            done = self._execute(step, context)
            (self.executed if done else self.left_out).append(f"{step.name} {step.text}"[:90])

    def path(self, of_image: str) -> Path:
        """Where a path of the image is."""
        return self.root / of_image.lstrip("/")

    def translated(self, text: str) -> str:
        """With the paths of the image as they are here."""
        pattern = "|".join(re.escape(path) for path in IMAGE_PATHS)
        return re.sub(rf"(?<![\w./-])({pattern})(?![\w-])", lambda m: str(self.path(m[1])), text)

    def variables(self) -> dict[str, str]:
        """Those of a container, and of the host only what programs need to be found."""
        kept = ("LANG", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "PIP_CERT", "HOSTNAME")
        host = {k: v for k, v in os.environ.items() if k in kept or k.startswith("UV_")}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {"PATH": path, **host, **self.arguments, **self.environment}

    def _execute(self, step: Step, context: Path) -> bool:
        if step.name == "COPY":
            *sources, target = step.words()
            for source in sources:
                self._copy(context / source, target)
        elif step.name == "RUN":
            return self._run(step.text)
        elif step.name == "ENV":
            for name, value in re.findall(r"(\w+)=(\S+)", step.text):
                value = self.translated(value).replace("$PATH", self.variables()["PATH"])
                self.environment[name] = value
        elif step.name == "ARG":
            name, _, default = step.text.partition("=")
            self.arguments = {name: default, **self.arguments}
        elif step.name == "VOLUME":
            self.path(step.text).mkdir(exist_ok=True)
        elif step.name == "WORKDIR":
            self.path(step.text).mkdir(parents=True, exist_ok=True)
        else:
            return False
        return True

    def _copy(self, source: Path, target: str) -> None:
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "screenshots")
            shutil.copytree(source, self.path("/app") / target, ignore=ignored, dirs_exist_ok=True)
        else:
            name = target if Path(target).name == source.name else Path(target) / source.name
            shutil.copy(source, self.path("/app") / name)

    def _run(self, text: str) -> bool:
        if text.startswith("useradd"):  # needs root, and a system of its own
            return False
        subprocess.run(
            ["sh", "-ec", self.translated(text)],
            cwd=self.path("/app"),
            env=self.variables() | {"HOME": str(self.root), "TMPDIR": str(self.root)},
            check=True,
        )
        return True
