"""Measured scores in, the model card of the language-model heads that ship out (Mitchell et al.
2019).
"""

from collections.abc import Mapping

import pandas as pd

from bertsent.probing.fill_mask import FilledGap
from bertsent.probing.shipped_word_scores import (
    COUNTS,
    NEXT,
    PERPLEXITY,
    TOP_1,
    TOP_10,
    WITH_HEAD,
    WITHOUT,
)

_HEAD = """\
---
license: other
language: en
base_model: sentence-transformers/all-MiniLM-L6-v2
pipeline_tag: fill-mask
---
# The heads of pretraining for the built-in encoder

all-MiniLM-L6-v2 came without what BERT is pretrained with. Here are both heads, trained anew: one
fills in masked words (dense, GELU, LayerNorm, then the dot product with each of the encoder's own
input vectors, plus a bias), one says whether a second sentence follows the first (dense, tanh and
two labels over `[CLS]`). Tensors have the names of transformers' `BertForPreTraining`; those that
begin with `delta.` are to be added to the encoder's. Half precision, {megabytes:.1f} MB, of which
the heads take {heads_megabytes:.2f}. {delta}

`bertsent.probing.fill_mask.fill_masks` asks them.

They are made for a lab and a classroom: to show what an encoder knows before any label. They are
not a product, and what they put into a gap says what film reviews often say, not what is true.
"""
_SCORES = """\
## Scores
On texts that were not learned from: passages of the films of IMDb's fold 9, and the development
sentences of SST. Words were drawn and corrupted as in training (15 %; of these 80 % hidden, 10 %
replaced, 10 % left). **top 1** and **top 10** say how often the true word piece is the likeliest,
or one of the ten likeliest, in per cent with 95 % intervals (Wilson; the words of one text are a
group). **perplexity** is exp of the mean of −log p of the true pieces: among how many equally
likely pieces the model would be as undecided.

“{without}” is the encoder as it came, its last vectors compared with the input vectors as they are;
“{counts}” answers with the shares of the word pieces in the training texts, whatever the sentence.

| set | model | words | top 1 | top 10 | perplexity |
|---|---|---|---|---|---|
{rows}

{following}
"""
_NEXT = """\
**Next sentence**: {share:.1f} % ({low:.1f} to {high:.1f}) of {n:,} pairs of held-out reviews are
told apart, half of them neighbours, half with a random sentence of another review; guessing gets
50. Most sentences of another review are about another film, so a change of subject alone would give
many away; the number says little about whether one sentence follows from another (Liu et al. 2019
left the task out)."""
_EXAMPLES = """\
## Some gaps
What they answered when this card was written:

| sentence | likeliest |
|---|---|
{rows}
"""
_DATA = """\
## What they learned from
Texts without their labels; training parts only.

| set | texts | from |
|---|---|---|
{rows}

Left out are the films of fold 9, the originals of development pairs, the development sentences of
SST with the snippets that repeat them, and edited copies of IMDb reviews. No text of these sets is
in this repository. The weights derive from all-MiniLM-L6-v2 (Apache-2.0) and from those texts;
whoever wants to use them outside research should look at the terms of the sources, several of which
state none.

## How they were trained
A step takes a batch of one set, drawn by fixed shares, and corrupts it anew; the loss is the
cross-entropy of the drawn words alone, and of pairs also that of the two labels. AdamW, a linear
schedule with warm-up, gradients clipped at 1; the bias of each word began with the logarithm of its
share of the texts. What ships is the exponential average of the weights.
{story}

`python -m bertsent.recipe DATA --only words` trains, measures and writes this folder again.

## Limits
- A small encoder, distilled for sentence similarity and trained here for a short while: BERT-base
  read 3.3 billion words for this and guesses much better.
- It has read film reviews above all. Other texts are filled in as if they were about films.
- Several gaps of one sentence are filled in each by itself; the answers need not go together.
- One gap holds one word piece. A rare word is several.
- Reviews, comments and headlines of the web can be offensive, and so can what is put into a gap.
"""
SOURCES: Mapping[str, str] = {
    "reviews": "Large Movie Review Dataset (Maas et al. 2011): passages of about 90 words",
    "pairs": "two sentences of the same reviews, half of them random",
    "snippets": "Rotten Tomatoes snippets (Pang and Lee 2005); Stanford Sentiment Treebank",
    "comments": "GoEmotions (Demszky et al. 2020): Reddit comments",
    "others": "Quora questions, STS-B, SICK, MRPC, SemEval-2018 E-c tweets, sarcastic headlines, "
    "iSarcasm, MUStARD, SemEval-2014 restaurants and laptops",
}


def words_card_text(
    scores: pd.DataFrame,
    counts: Mapping[str, int],
    examples: Mapping[str, FilledGap],
    bytes_of: Mapping[str, int],
    story: str = "",
) -> str:
    """The card as Markdown.

    Args:
        scores: rows of ``shipped_word_scores.COLUMNS``.
        counts: how many texts of each set were learned from.
        examples: sentences with a gap, and what was put there.
        bytes_of: of the ``heads`` and of the ``delta``.
        story: the plan in words.
    """
    total = sum(bytes_of.values())
    changed = (
        f"The last layers of the encoder were changed for this purpose as well "
        f"({bytes_of['delta'] / 1e6:.1f} MB)."
        if bytes_of["delta"]
        else "The encoder is as it came."
    )
    sizes = {"megabytes": total / 1e6, "heads_megabytes": bytes_of["heads"] / 1e6}
    gaps = (f"| {text} | {_guesses(gap)} |" for text, gap in examples.items())
    sources = (f"| {name} | {counts[name]:,} | {SOURCES[name]} |" for name in counts)
    return "\n".join(
        [
            _HEAD.format(delta=changed, **sizes),
            _SCORES.format(
                without=WITHOUT, counts=COUNTS, rows=_score_rows(scores), following=_next(scores)
            ),
            _EXAMPLES.format(rows="\n".join(gaps)),
            _DATA.format(rows="\n".join(sources), story=story),
        ]
    )


def _score_rows(scores: pd.DataFrame) -> str:
    words = scores[scores["metric"] != NEXT]
    lines = []
    for (name, model), rows in words.groupby(["set", "model"], sort=False):
        of = rows.set_index("metric")
        shares = [_share(of.loc[metric]) for metric in (TOP_1, TOP_10)]
        perplexity = f"{of.loc[PERPLEXITY, 'value']:,.0f}"
        cells = (name, model, f"{of.loc[TOP_1, 'n']:,}", *shares, perplexity)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _next(scores: pd.DataFrame) -> str:
    found = scores[(scores["metric"] == NEXT) & (scores["model"] == WITH_HEAD)].iloc[0]
    percents = {"share": "value", "low": "low", "high": "high"}
    return _NEXT.format(n=found["n"], **{k: 100 * found[v] for k, v in percents.items()})


def _share(found: pd.Series) -> str:
    return f"{100 * found['value']:.1f} ({100 * found['low']:.1f} to {100 * found['high']:.1f})"


def _guesses(gap: FilledGap) -> str:
    return ", ".join(f"{word} {100 * p:.0f} %" for word, p in gap.words)
