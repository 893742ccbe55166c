"""The tasks that the lab knows by name."""

from bertsent.errors import BadInput
from bertsent.tasks.task import OneLabel, Rating, SeveralLabels, Task

SENTIMENT = OneLabel("sentiment", "Sentiment, two labels", labels=("NEGATIVE", "POSITIVE"))
FIVE_STEPS = OneLabel(  # Socher et al. 2013
    "five-steps",
    "Sentiment in five steps",
    labels=("very negative", "negative", "neutral", "positive", "very positive"),
    ordered=True,
)
ASPECTS = OneLabel(  # Pontiki et al. 2014, without "conflict"; pairs as in Sun et al. 2019
    "aspects",
    "What is said of each aspect",
    reads="aspect",
    labels=("negative", "neutral", "positive"),
    ordered=True,
)
# Plutchik 1980; the last three are dyads of his wheel (Mohammad et al. 2018, task E-c)
FEELINGS = SeveralLabels(
    "feelings",
    "Feelings",
    labels=(
        *("joy", "trust", "fear", "surprise", "sadness", "disgust", "anger", "anticipation"),
        *("love", "optimism", "pessimism"),
    ),
)
SIMILARITY = Rating(  # Cer et al. 2017
    "similarity", "How alike two texts are", "two texts", low=0.0, high=5.0, measure="similarity"
)
PARAPHRASE = OneLabel(
    "paraphrase",
    "Do two texts say the same?",
    reads="two texts",
    labels=("different", "same"),
)
TASKS: dict[str, Task] = {
    task.name: task for task in (SENTIMENT, FIVE_STEPS, ASPECTS, FEELINGS, SIMILARITY, PARAPHRASE)
}


def find_task(name: str) -> Task:
    """The task of that name.

    Raises:
        BadInput: there is none.
    """
    BadInput.raise_if(
        name not in TASKS, f"There is no task “{name[:40]}”.", f"Choose one of {', '.join(TASKS)}."
    )
    return TASKS[name]
