"""The style of a step: what is not needed is dimmed but stays readable and usable, and what would
give the answer away is hidden until the question is answered.
"""

from collections.abc import Sequence

from bertsent.ui.shared.components import browser_component
from bertsent.ui.shared.results import result_class

_ANY = '[class*="st-key-result_"]'
_BAR = ".st-key-review_bar_answer"
# grey text of captions is drawn at full strength, so that it keeps its contrast when it is dimmed
_DIM = """
.stApp:has({bright}) {others} {{
  opacity: 0.75;
  filter: grayscale(1);
  transition: opacity 0.15s;
}}
.stApp:has({bright}) {others}:is(:hover, :focus-within) {{
  opacity: 1;
  filter: none;
}}
.stApp:has({bright}) {others} :is(
  [data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] *
) {{
  color: light-dark(#000, #fff) !important;
  opacity: 1;
}}
"""
_HIDE = """
{hidden} {{
  position: relative;
  min-height: 5rem;
}}
{inside} {{
  visibility: hidden !important;
}}
{label} {{
  content: "It appears when the question is answered.";
  position: absolute;
  inset: 0;
  z-index: 1;
  max-height: 12rem;
  display: grid;
  place-items: center;
  text-align: center;
  border: 1px dashed #8a8a8a;
  border-radius: 0.5rem;
}}
"""


def bring_into_sight(step: str, focus: Sequence[str]) -> None:
    """Scroll to the first result in focus once the step is drawn, if it is out of sight.

    Args:
        step: tells one opening of a step from another.
        focus: the results in focus; without any nothing is scrolled.
    """
    if focus:
        data = {"step": step, "focus": result_class(focus[0])}
        browser_component(__file__)(key="player_focus", data=data, height=1)


def focus_style(focus: Sequence[str], hidden: Sequence[str], *, answer_hidden: bool) -> str:
    """The style sheet of a step.

    Args:
        focus: the results that stay bright; none means all.
        hidden: the results that are hidden now.
        answer_hidden: whether the answer in the review bar is.
    """
    sheets = [_dimmed(focus), _hidden(hidden)]
    if answer_hidden:
        # what is inside sets its own, so that the place of the answer keeps its size
        sheets.append(f":is({_BAR}, {_BAR} *) {{ visibility: hidden !important; }}")
    return "".join(sheets)


def _dimmed(focus: Sequence[str]) -> str:
    if not focus:
        return ""
    bright = f":is({', '.join(f'.{result_class(name)}' for name in focus)})"
    others = f"{_ANY}:not({bright}, {bright} *, :has({bright}))"
    return _DIM.format(bright=bright, others=others)


def _hidden(names: Sequence[str]) -> str:
    if not names:
        return ""
    hidden = f":is({', '.join(f'.{result_class(name)}' for name in names)})"
    return _HIDE.format(hidden=hidden, inside=f"{hidden} *", label=f"{hidden}::before")
