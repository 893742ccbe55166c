"""What was turned over of a question, as lines and as a figure."""

from typing import TYPE_CHECKING

from bertsent.classroom.room_events import Answer
from bertsent.classroom.room_state import AskedQuestion
from bertsent.classroom.tally import (
    right_option,
    sure_and_wrong_sentence,
    tally,
    tally_sentence,
    turned_over,
)
from bertsent.data.examples import LABELS

if TYPE_CHECKING:
    import plotly.graph_objects as go

CLASS = "Class"


def answer_lines(asked: AskedQuestion) -> list[str]:
    """One sentence for each answer that was turned over, then who was sure and wrong."""
    lines = [_line(asked, answer) for answer in turned_over(asked)]
    sentence = sure_and_wrong_sentence(asked)
    return [*lines, sentence] if sentence else lines


def reveal_finding(asked: AskedQuestion) -> str:
    """What everybody may know of the answers, in words."""
    return " ".join([tally_sentence(asked), *answer_lines(asked)])


def reveal_summary(asked: AskedQuestion) -> str:
    """What the figure of them does not say: of the class, and in the end what is right."""
    right = right_option(asked)
    said = "" if right is None else f"Right is “{asked.content.options[right]}”. "
    return f"{said}{tally_sentence(asked)} {sure_and_wrong_sentence(asked)}"


def reveal_figure(asked: AskedQuestion) -> "go.Figure":
    """The answers that were turned over: a bar each where they are labels, else a bar an option
    with who said it.
    """
    from bertsent.figures.classification import answer_bars
    from bertsent.figures.votes import vote_bars

    counted, options, truth = tally(asked), asked.content.options, right_option(asked)
    over = turned_over(asked)
    if options == tuple(LABELS) and counted.votes:
        shares = {CLASS: counted.counts[1] / counted.votes}
        shares |= {a.name: _p_positive(a) for a in over}
        choices = {CLASS: counted.majority} | {a.name: a.choice for a in over}
        wrong = [name for name, said in choices.items() if truth is not None and said != truth]
        votes = "1 vote" if counted.votes == 1 else f"{counted.votes} votes"
        notes = {CLASS: f"{votes}, {100 * (counted.sure or 0):.0f} % sure"}
        return answer_bars(shares, outlined=wrong, notes=notes)
    said = [[a.name for a in over if a.choice == place] for place in range(len(options))]
    return vote_bars(options, counted.counts, counted.confidences, said, truth)


def _p_positive(answer: Answer) -> float:
    sure = 1.0 if answer.probability is None else answer.probability
    return sure if answer.choice else 1 - sure


def _line(asked: AskedQuestion, answer: Answer) -> str:
    sure = "" if answer.probability is None else f" ({100 * answer.probability:.0f} %)"
    return f"{answer.name}: {asked.content.options[answer.choice]}{sure}."
