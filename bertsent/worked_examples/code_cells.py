"""The code of each part of the way out of its file, with the review, the model and the choices of
the page in it: as cells, as one script, as a notebook. It is read, never imported.
"""

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CODE = Path(__file__).parent / "code"
PARTS = ("text", "input", "layers", "logits", "loss", "back")
MODEL, BEFORE = "model", "model_before"
_CELL = "# %% "
_INSTALLED = "Runs wherever bertsent is installed, with BERTSENT_HOME as it was for the lab."
# what a DistilBERT calls otherwise, or does not have
_DISTILBERT = {
    "segments = torch.zeros_like(ids)\n": "",
    "segment = embeddings.token_type_embeddings.weight[segments]\n": "",
    "token + position + segment": "token + position",
    "model.bert.encoder.layer": "model.bert.transformer.layer",
    "attention = block.attention.self\n": "attention = block.attention\n",
    "(attention.query, attention.key, attention.value)": (
        "(attention.q_lin, attention.k_lin, attention.v_lin)"
    ),
    "block.attention.output.dense": "block.attention.out_lin",
    "block.attention.output.LayerNorm": "block.sa_layer_norm",
    "block.intermediate.dense": "block.ffn.lin1",
    "block.intermediate.intermediate_act_fn": "block.ffn.activation",
    "block.output.dense": "block.ffn.lin2",
    "block.output.LayerNorm": "block.output_layer_norm",
}


@dataclass(frozen=True)
class Cell:
    """A few lines that belong together, and what they do."""

    title: str
    code: str


@dataclass(frozen=True)
class Code:
    """The code for one model and one review: ``model`` is ``MODEL`` or ``BEFORE``, ``family`` is
    bert or distilbert, ``values`` are put in place of those that the files assign.
    """

    model: str
    family: str
    values: Mapping[str, object]

    def title(self, part: str) -> str:
        """What the file of a part says it is."""
        return (ast.get_docstring(ast.parse(_read(part))) or part).rstrip(".")

    def cells(self, part: str) -> list[Cell]:
        """The cells of a part, or of ``MODEL`` what comes before all of them."""
        source = _read(self.model if part == MODEL else part)
        if self.family == "distilbert":
            for bert, distilbert in _DISTILBERT.items():
                source = source.replace(bert, distilbert)
        source = with_values(source, self.values)
        _, *cells = source.split(_CELL)
        return [Cell(*map(str.strip, cell.split("\n", 1))) for cell in cells]

    def script(self) -> str:
        """Everything in one file."""
        blocks = [f'"""One review, from letters to loss and back. {_INSTALLED}"""']
        for part in (MODEL, *PARTS):
            blocks.append(f"# {self.title(part)}")
            blocks += [f"{_CELL}{cell.title}\n{cell.code}" for cell in self.cells(part)]
        return "\n\n".join(blocks) + "\n"

    def notebook(self) -> str:
        """The same as a Jupyter notebook (nbformat 4.5)."""
        found = [_notebook_cell("markdown", f"# From letters to loss and back\n{_INSTALLED}", "0")]
        for part in (MODEL, *PARTS):
            found.append(_notebook_cell("markdown", f"## {self.title(part)}", part))
            found += [
                _notebook_cell("code", f"# {cell.title}\n{cell.code}", f"{part}-{place}")
                for place, cell in enumerate(self.cells(part))
            ]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}}
        return json.dumps({**whole, "cells": found}, indent=1, ensure_ascii=False)


def with_values(source: str, values: Mapping[str, object]) -> str:
    """``source`` with other values in its top-level assignments of constants, such as
    ``layer, head = 1, 2``: those of names that ``values`` has.
    """
    lines = source.splitlines(keepends=True)
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign) or node.lineno != node.end_lineno:
            continue
        names = [each.id for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name)]
        if not set(names) & values.keys():
            continue
        try:
            given = ast.literal_eval(node.value)
        except ValueError:
            continue  # worked out, not given
        given = given if len(names) > 1 else (given,)
        shown = [repr(values.get(name, own)) for name, own in zip(names, given, strict=True)]
        after = lines[node.lineno - 1][node.end_col_offset or 0 :]  # a comment
        lines[node.lineno - 1] = f"{', '.join(names)} = {', '.join(shown)}{after}"
    return "".join(lines)


def _read(name: str) -> str:
    return (CODE / f"{name}.py").read_text(encoding="utf-8")


def _notebook_cell(kind: str, text: str, name: str) -> dict[str, object]:
    cell = {"cell_type": kind, "id": name, "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})
