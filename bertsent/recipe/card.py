"""Measured facts in, the model card of the shipped model out (Mitchell et al. 2019, with the
metadata of the Hugging Face Hub).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from bertsent.models.checkpoint import CheckpointCard
from bertsent.models.export import CLEANING
from bertsent.recipe.card_metadata import metadata
from bertsent.recipe.card_tables import confidence_section, score_sections, subgroup_section

LEARNED, TRAINED, CHOSEN = "What it learned from", "How it was trained", "How it was chosen"
STORY = (LEARNED, TRAINED, CHOSEN)  # what measuring the model again does not change
NAME = "The built-in sentiment model of bertsent"
EXAMPLES = ("This is not a bad film", "Great, another boring movie")
HARD = {  # sentences of nobody's, and what a reader would say
    "The film is two hours long.": "neither",
    "Well, I have certainly seen it now.": "against, or neither",
    "Sure, because what this story needed was a third twin.": "against",
    "I came to hate it and failed.": "for",
    "sick film, absolutely sick": "for, as the young say it",
    "I wish I could say that it was as good as the book.": "against",
}
_DETAILS = """\
## Model details
Two labels for a film review in English: NEGATIVE (0) and POSITIVE (1). A BERT of six layers, twelve
heads, 384 wide, with a linear head on the vector of `[CLS]`. The file holds the trained layers in
half precision and the head; the input vectors are those of all-MiniLM-L6-v2, which were not
trained. {cleaning}

| | |
|---|---|
| made by | the maintainers of bertsent, for bertsent {version} |
| weights | SHA-256 begins with {sha256} |
| this card | written by `python -m bertsent.recipe DATA --only scores` on {date} |
| licence | that of the sources, see [{learned}](#{anchor}); this card CC0-1.0 |
| questions | the issues of the repository |

## Intended use
A lab and a classroom: to be questioned, examined and taken apart, by people who learn how such a
model works and where it fails. It is not a product. Not intended: deciding about people, judging
writers, moderating, reviews of other things, other languages, measuring what a public thinks.

## How to use it
```python
import bertsent

for answer in bertsent.load("builtin").predict(
    {examples}
):
    print(answer.label, f"{{answer.p_positive:.3f}}")
```
prints

```
{output}
```

`echo "This is not a bad film" | python -m bertsent predict` asks the same; `python -m bertsent
export builtin FOLDER` writes it as a whole model that `transformers` loads by itself.
"""
_FACTORS = """\
## Factors
What its answers depend on, as far as it was measured: the phenomenon that a review shows (the
slices below), its length and its author (whole reviews of IMDb users, critics' snippets, one-liners
and comments written by language models), whether two versions of a text differ in a word or two
(pairs), and whether a text judges anything at all. Not measured: the age, the first language or the
place of writers.

## The sets that it is judged on
| set | who wrote it, who labelled it |
|---|---|
| Built-in reviews, one-liners, comments | language models wrote them for this project; other \
sessions of language models read them without their labels ([how](../../reviews/README.md)) |
| Texts without an opinion | the same ([more](../../tasks/README.md)), validation and test part |
| IMDb, held-out films | users of IMDb, by their own stars (Maas et al. 2011); fold 9 of the \
training part |
| IMDb contrast sets | reviews of the same, edited by researchers (Gardner et al. 2020); \
development part |
| Counterfactual pairs | the same, edited by crowd workers (Kaushik et al. 2020); development part |
| SST sentences, Rotten Tomatoes snippets | critics; sentences were labelled by crowd workers \
(Socher et al. 2013), snippets by the critics' own verdict (Pang and Lee 2005); SST's development \
part in both |

Nothing of them was learned from. **All were looked at while choices were made** (the built-in test
part at the last of them alone), so their scores flatter. None is a test of people's reviews that
nobody had looked at.
"""
_LIMITS = """\
## Limits, and what flatters
- **Same authors.** The built-in reviews, one-liners and comments that judge it were written by
  language models, like those that it learned from. People's own are harder for it.
- **Chosen on.** The public sets are development parts on which choices were made.
- **Filtered.** The built-in test part holds next to no review that counting words gets right, so on
  it the distance to word counters is larger than elsewhere. Compare on the validation part.
- **The sentence that the lab begins with.** {another}
- Some of the revisions that it learned from were written in the manner of the development part of
  the IMDb contrast sets, so its score on that part flatters it.
- It knows two answers: a text without an opinion gets one of them as well (see Confidence).
- The temperature was fitted on IMDb. On short texts the confidence fits less.
- It reads 512 tokens and ignores the rest. It knows English film and series reviews.
- Names, dialects and identity words shift its answers (see Subgroups); pairs typed into the Probe
  page are a way to find out more.
- It errs on sarcasm, understatement and long turns ("…, but …"). Examples, with what it answers:

| text | a reader would say | P(positive) |
|---|---|---|
{hard}
"""


@dataclass(frozen=True)
class Facts:
    """What the card says that was measured, counted or chosen.

    Attributes:
        card: what ``bertsent.json`` says.
        story: the sections ``STORY``, as Markdown.
        scores, confidence: as ``evaluation`` measures them.
        subgroups: as ``subgroups.summary.card_table`` writes it; empty if it was not measured.
        answers: P(positive) of each of ``EXAMPLES`` and ``HARD``.
        another: how many training rows begin with "Great, another", negative and positive.
        version, date: of the program, of the card.
    """

    card: CheckpointCard
    story: Mapping[str, str]
    scores: pd.DataFrame
    confidence: pd.DataFrame
    subgroups: str
    answers: Mapping[str, float]
    another: tuple[int, int]
    version: str
    date: str


def card_text(facts: Facts) -> str:
    """The card as Markdown."""
    story = [f"## {name}\n{facts.story[name]}\n" for name in STORY if facts.story.get(name)]
    return "\n".join(
        [
            f"---\n{metadata(NAME, facts.scores, facts.story.get(LEARNED, ''))}\n---",
            f"# {NAME}\n",
            _details(facts),
            _FACTORS,
            score_sections(facts.scores),
            confidence_section(facts.confidence, facts.card.temperature),
            subgroup_section(facts.subgroups),
            *story,
            _limits(facts),
        ]
    )


def story_in(card: str) -> dict[str, str]:
    """The sections of a card that measuring again does not change."""
    parts = {name: card.partition(f"\n## {name}\n")[2] for name in STORY}
    return {name: part.partition("\n## ")[0].strip() for name, part in parts.items() if part}


def asked() -> Sequence[str]:
    """What the model is asked for its card."""
    return [*EXAMPLES, *HARD]


def _details(facts: Facts) -> str:
    output = "\n".join(
        f"{'POSITIVE' if facts.answers[text] > 0.5 else 'NEGATIVE'} {facts.answers[text]:.3f}"
        for text in EXAMPLES
    )
    return _DETAILS.format(
        cleaning=CLEANING,
        version=facts.version,
        sha256=f"`{facts.card.sha256[:12]}`",
        date=facts.date,
        learned=LEARNED,
        anchor=LEARNED.lower().replace(" ", "-"),
        examples=str(list(EXAMPLES)).replace("'", '"'),
        output=output,
    )


def _limits(facts: Facts) -> str:
    negative, positive = facts.another
    another = (
        f'"{EXAMPLES[1]}" is not in what it learned from, but {negative + positive} rows of the '
        f'training parts of this project begin with "Great, another" ({negative} negative, '
        f"{positive} positive): the pattern is known to it."
    )
    hard = "\n".join(
        f"| {text} | {said} | {facts.answers[text]:.3f} |" for text, said in HARD.items()
    )
    return _LIMITS.format(another=another, hard=hard)
