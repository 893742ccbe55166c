"""What does “it” mean? One sentence with two endings, read by the model in use: whom “it” looks at,
and how its own vector changes with the ending (BERT notes, section 4.2).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import text, words
from bertsent.worked_examples.worked_example import Input, Values, WorkedExample

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

FIRST = "The animal didn't cross the street because it was too tired"
SECOND = "The animal didn't cross the street because it was too wide"
LONGEST = 300  # characters
Places = tuple[int, ...]  # of the pieces of a word among the tokens


@dataclass(frozen=True)
class _Reading:
    """One sentence as the model reads it: its words with the places of their pieces, all attention
    weights (L, H, T, T), and the hidden states (L + 1, T, W).
    """

    words: tuple[tuple[str, Places], ...]
    weights: np.ndarray
    states: np.ndarray

    def places(self, word: str) -> Places:
        """Where a word stands.

        Raises:
            BadInput: the sentence does not have it.
        """
        for own, places in self.words:
            if own.lower() == word.lower():
                return places
        raise BadInput(f"“{word[:40]}” is not in both sentences.", "Choose a word that is.")

    def attention(self, source: str, target: str) -> np.ndarray:
        """(L, H): the mean over the pieces of one word of what they give to all pieces of
        another.
        """
        rows = self.weights[:, :, list(self.places(source))].mean(axis=2, dtype=np.float64)
        return np.asarray(rows[..., list(self.places(target))].sum(axis=-1))

    def vectors(self, places: Places) -> np.ndarray:
        """(L + 1, W): the mean of the pieces of a word after each layer."""
        return np.asarray(self.states[:, list(places)].mean(axis=1))


def it_pair(model: "LoadedModel", first: str, second: str, words: tuple[str, ...]) -> Values:
    """Attention from a word to two others in two sentences, and how much its vector and those of
    the other words that both sentences have differ between them: ``words`` are the three.

    Gives ``by_layer`` (2 sentences, 2 others, L), the attention as the mean of the heads;
    ``in_head`` (2 sentences, 2 others) of that ``head`` (layer, head) where the two sentences
    differ most in whom the word prefers; ``changed`` and ``others_changed`` (L + 1,)
    as 1 − cosine.

    Raises:
        BadInput: a sentence does not have one of the words.
    """
    readings = [_read(model, sentence) for sentence in (first, second)]
    source, *targets = words
    attention = np.array(
        [[reading.attention(source, target) for target in targets] for reading in readings]
    )
    prefers = attention[:, 0] - attention[:, 1]
    head = divmod(int((prefers[0] - prefers[1]).argmax()), attention.shape[-1])
    return {
        "by_layer": attention.mean(axis=-1),
        "head": np.array(head),
        "heads": attention[0, 0].size,
        "in_head": attention[:, :, head[0], head[1]],
        "changed": _change(readings, [readings[n].places(source) for n in (0, 1)]),
        "others_changed": _others(readings, source),
    }


def _read(model: "LoadedModel", sentence: str) -> _Reading:
    import torch

    from bertsent.probing.attribution.units import segment_review

    review = segment_review(model, sentence)
    bert: Any = model.model.bert
    ids = torch.tensor([review.ids], device=model.device)
    with torch.inference_mode():
        mask = torch.ones_like(ids)
        found = bert(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
    states = torch.cat(list(found)).double().cpu().numpy()
    words = tuple((unit.text, unit.tokens) for unit in review.units)
    return _Reading(words, model.attend(sentence).weights, states)


def _change(readings: list[_Reading], places: list[Places]) -> np.ndarray:
    """(L + 1,): 1 − cosine of a word's vectors in both sentences after each layer."""
    one, other = (reading.vectors(at) for reading, at in zip(readings, places, strict=True))
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    return np.asarray(1 - (one * other).sum(axis=-1) / lengths)


def _others(readings: list[_Reading], source: str) -> np.ndarray:
    """(L + 1,): the mean change of the other words that stand at the same place in both."""
    pairs = zip(readings[0].words, readings[1].words, strict=False)
    kept = [
        [at_first, at_second]
        for (word, at_first), (other, at_second) in pairs
        if word.lower() == other.lower() != source.lower()
    ]
    BadInput.raise_if(
        not kept, "The sentences have no other word in common.", "Change the ending only."
    )
    return np.mean([_change(readings, places) for places in kept], axis=0)


def _finding(found: Values) -> str:
    word, one, other = found["words"]
    layer, head = (int(n) + 1 for n in found["head"])
    (first_one, first_other), (second_one, second_other) = (100 * found["in_head"]).tolist()
    turns = first_one > first_other and second_one < second_other
    changed, others = found["changed"], found["others_changed"]
    most = int((changed - others).argmax())
    return (
        f"Of {found['heads']} heads, {layer}·{head} changes its preference most: from “{word}” "
        f"{first_one:.1f} % go to “{one}” and {first_other:.1f} % to “{other}” in the first "
        f"sentence, {second_one:.1f} % and {second_other:.1f} % in the second, so it "
        f"{'changes sides as in the picture' if turns else 'does not change sides'}. The vector of "
        f"“{word}” stands out most after layer {most}: there it differs by {changed[most]:.3f} "
        f"(1 − cosine), the other words that both have by {others[most]:.3f} on average."
    )


IT_PAIR = WorkedExample(
    key="it_pair",
    rows=("002-15",),
    title="What does “it” mean? One sentence with two endings",
    source="BERT notes, section 4.2",
    says=(
        "Two pictures, of which the text that we have keeps the caption: in the left one “it” "
        "looks at “animal”, in the right one at “street”. Here the model in use reads both."
    ),
    inputs=(
        Input("first", "First sentence", FIRST, text(LONGEST)),
        Input("second", "Second sentence", SECOND, text(LONGEST)),
        Input("words", "Word, and two it may mean", "it, animal, street", words(3)),
    ),
    work=it_pair,
    finding=_finding,
    of_model=True,
)
