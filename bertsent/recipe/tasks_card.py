"""Measured scores in, the model card of the heads that ship out (Mitchell et al. 2019)."""

import pandas as pd

_HEAD = """\
---
license: other
language: en
base_model: sentence-transformers/all-MiniLM-L6-v2
pipeline_tag: text-classification
---
# The built-in heads for further tasks

One encoder of six layers, twelve heads, 384 wide, and a linear head on the mean of its token
vectors for each of five tasks. The file holds the trained layers in half precision and the heads;
the input vectors are those of all-MiniLM-L6-v2, which were not trained. Load one with
`bertsent.load("builtin/five-steps")`; all share the encoder in memory.

| name | reads | answers |
|---|---|---|
| `builtin/five-steps` | a text | very negative, negative, neutral, positive, very positive |
| `builtin/aspects` | an aspect and the sentence it is in | negative, neutral or positive |
| `builtin/feelings` | a text | any of eleven: Plutchik's eight, love, optimism, pessimism |
| `builtin/similarity` | two texts | how alike they are, 0 to 5: a sigmoid of one logit, times 5 |
| `builtin/paraphrase` | two texts | different or same |

They are made for a lab and a classroom: to be questioned, examined and taken apart. They are not a
product, and no decision about people should rest on them.
"""
_TABLE = """\
## Scores
With 95 % intervals: Wilson's for shares of right answers (rows of one sentence are one group), of
2,000 bootstrap samples for the rest. None of these rows was learned from.

| set | task | metric | n | score |
|---|---|---|---|---|
{rows}

Published for comparison, on the sets' own test parts and with other encoders: the minBERT multitask
model of seed 004 has .527 on SST-5, .795 on paraphrase and .854 on STS-B; BERT-base has about 84 %
on restaurant aspects.
"""
_DATA = """\
## What they learned from
| source | for | terms, as stated there |
|---|---|---|
| Stanford Sentiment Treebank (Socher et al. 2013), sentences and phrases | five steps | none |
| SemEval-2014 task 4 (Pontiki et al. 2014), restaurants and laptops | aspects | none stated |
| this project's sentences on restaurants | aspects | CC0-1.0 |
| this project's small sets, training parts | aspects, five steps, similarity | CC0-1.0 |
| SemEval-2018 task 1 E-c (Mohammad et al. 2018), tweets | feelings | none stated |
| STS-B (Cer et al. 2017) | similarity | scores CC BY-SA 4.0; texts under their own terms |
| further pairs of its sentences, scored by the backbone | similarity | as above |
| SICK (Marelli et al. 2014) | similarity | none stated |
| Quora question pairs | paraphrase | none stated |
| PAWS-Wiki (Zhang et al. 2019), 6,000 pairs | paraphrase | none stated |

No text of these sets is in this repository. The weights derive from all-MiniLM-L6-v2 (Apache-2.0)
and from those texts; whoever wants to use them outside research should look at the terms of the
sources, several of which state none.

## How they were trained
All at once: each step takes a batch of 32 rows of each of two tasks, drawn by fixed shares, and
adds their losses before the update. Cross-entropy for one of several labels, binary cross-entropy
for feelings and paraphrase, squared error for similarity. AdamW, a linear schedule with warm-up,
gradients clipped at 1, bfloat16; what ships is the exponential average of the weights.
{story}
`python -m bertsent.recipe DATA --only heads` trains, measures and writes this folder again.
"""
_LIMITS = """\
## Limits
- They read 128 tokens and ignore the rest.
- Five steps learned from film reviews: a fact or a question about anything else is new to it.
- Aspects learned from restaurants and laptops. An aspect of a film is a guess by analogy.
- Feelings learned from tweets, where readers marked what the writer seems to feel; trust and
  surprise are rare there, and rarely found.
- Similarity and paraphrase read the two texts together and in order, so swapping them can move the
  answer. Paraphrase learned from questions; word overlap fools it, as the PAWS rows show.
- They were not tested for differences between groups of people.
"""


def tasks_card_text(scores: pd.DataFrame, story: str = "") -> str:
    """The card as Markdown; ``scores`` has set, task, metric, n, value, low and high, and ``story``
    says more of the training: its steps, rates and seed.
    """
    rows = "\n".join(
        f"| {row.set} | {row.task} | {row.metric.replace('_', ' ')} | {row.n:,} "
        f"| {row.value:.3f} ({row.low:.3f} to {row.high:.3f}) |"
        for row in scores.itertuples()
    )
    return "\n".join([_HEAD, _TABLE.format(rows=rows), _DATA.format(story=story), _LIMITS])


def story_in(card: str) -> str:
    """What a card says of the training, as it was given to ``tasks_card_text``."""
    before, after = (part.strip().splitlines() for part in _DATA.split("{story}"))
    return card.split(before[-1])[1].split(after[0])[0].strip()
