"""The corruption is that of Devlin et al. 2019: shares by the binomial distribution, special tokens
never, the same by seed, and shown as it is learned from.
"""

import pytest
import torch
from scipy.stats import binomtest, kstest

from bertsent.errors import BadInput
from bertsent.text.masking import NO_LABEL, WHY, Fate, corrupt, count_fates, mask_tokens
from bertsent.text.masking_counts import draw_sentence, share_sentence, share_table

TEXT = "The friendly dog plays in the park, and nobody hurries him at all today."
UNLIKELY = 1e-4  # of a two-sided exact test


def drawn_of(tokenizer, rows: int, seed: int = 7) -> tuple[torch.Tensor, ...]:
    ids = torch.tensor(tokenizer.ids([TEXT], 32)[0] + [tokenizer.pad_id] * 3).repeat(rows, 1)
    return ids, *mask_tokens(ids, tokenizer, seed)


def test_shares_are_15_and_80_10_10(tokenizer) -> None:
    ids, read, labels = drawn_of(tokenizer, 20_000)
    words = ~torch.isin(ids, torch.tensor(tokenizer.fast.all_special_ids))
    drawn = labels != NO_LABEL
    n, k = int(words.sum()), int(drawn.sum())
    assert n > 300_000 and not (drawn & ~words).any()
    masked = read[drawn] == tokenizer.fast.convert_tokens_to_ids("[MASK]")
    kept = read[drawn] == ids[drawn]
    other = ~masked & ~kept
    for count, of, share in (
        (k, n, 0.15),
        (int(masked.sum()), k, 0.8),
        (int(kept.sum()), k, 0.1),
        (int(other.sum()), k, 0.1),
    ):
        assert binomtest(count, of, share).pvalue > UNLIKELY, (count, of, share)
    assert torch.equal(labels[drawn], ids[drawn])
    assert torch.equal(read[~drawn], ids[~drawn])
    chosen = read[drawn][other].double() / len(tokenizer.fast)
    assert kstest(chosen.numpy(), "uniform").pvalue > UNLIKELY  # any word of the vocabulary


def test_every_word_is_drawn_alike(tokenizer) -> None:
    _, _, labels = drawn_of(tokenizer, 10_000)
    words = len(tokenizer.ids([TEXT], 32)[0]) - 2
    for count in (labels != NO_LABEL).sum(0)[1 : 1 + words].tolist():
        assert binomtest(count, 10_000, 0.15).pvalue > UNLIKELY


def test_a_draw_is_that_of_its_seed(tokenizer) -> None:
    ids, first, labels = drawn_of(tokenizer, 50)
    torch.manual_seed(1)
    again = mask_tokens(ids, tokenizer, 7)
    other = mask_tokens(ids, tokenizer, 8)
    assert torch.equal(first, again[0]) and torch.equal(labels, again[1])
    assert not torch.equal(labels, other[1])


def test_what_is_shown_is_what_would_be_learned_from(tokenizer) -> None:
    ids = torch.tensor(tokenizer.ids([TEXT], 32))
    met = set()
    for seed in range(40):
        read, labels = mask_tokens(ids, tokenizer, seed)
        shown = corrupt(TEXT, tokenizer, seed=seed, max_length=32)
        names = tokenizer.fast.convert_ids_to_tokens
        assert [token.piece for token in shown] == names(ids[0].tolist())
        assert [token.read for token in shown] == names(read[0].tolist())
        asked = [label != NO_LABEL for label in labels[0].tolist()]
        assert [t.fate in (Fate.MASKED, Fate.REPLACED, Fate.KEPT) for t in shown] == asked
        for token in shown:
            assert (token.fate is Fate.MASKED) == (token.read == "[MASK]")
            assert (token.read == token.piece) == (token.fate not in (Fate.MASKED, Fate.REPLACED))
            assert token.why == WHY[token.fate]
        assert [token.fate for token in shown if token.piece in ("[CLS]", "[SEP]")] == [
            Fate.SPECIAL
        ] * 2
        met |= {token.fate for token in shown}
    assert met == set(Fate)


def test_counts_of_many_draws(tokenizer) -> None:
    counts = count_fates(TEXT, tokenizer, draws=10_000, seed=3, max_length=32)
    assert sum(counts.values()) == 10_000 * len(tokenizer.ids([TEXT], 32)[0])
    assert counts[Fate.SPECIAL] == 20_000
    drawn = sum(counts[fate] for fate in (Fate.MASKED, Fate.REPLACED, Fate.KEPT))
    for fate, share in ((Fate.MASKED, 0.8), (Fate.REPLACED, 0.1), (Fate.KEPT, 0.1)):
        assert binomtest(counts[fate], drawn, share).pvalue > UNLIKELY
    one = count_fates(TEXT, tokenizer, draws=1, seed=5, max_length=32)
    shown = corrupt(TEXT, tokenizer, seed=5, max_length=32)
    assert one == {fate: sum(token.fate is fate for token in shown) for fate in Fate}


@pytest.mark.parametrize("text", ["", "   ", "\u2603"])
def test_a_text_without_words_is_refused(tokenizer, text: str) -> None:
    """A snowman is [UNK] for this vocabulary, which is no word either."""
    with pytest.raises(BadInput, match="no word"):
        corrupt(text, tokenizer, seed=1, max_length=32)
    with pytest.raises(BadInput):
        count_fates(text, tokenizer, draws=2, seed=1, max_length=32)


def test_findings_are_those_of_the_numbers(tokenizer) -> None:
    tokens = corrupt(TEXT, tokenizer, seed=5, max_length=32)
    words = len(tokens) - 2
    said = draw_sentence(tokens)
    drawn = [t for t in tokens if t.fate not in (Fate.SPECIAL, Fate.NOT_DRAWN)]
    assert said.startswith(f"{len(drawn)} of {words} word pieces")
    nothing = [t for t in tokens if t.fate in (Fate.SPECIAL, Fate.NOT_DRAWN)]
    assert "happens in" in draw_sentence(nothing)
    counts = {Fate.SPECIAL: 2, Fate.NOT_DRAWN: 8_500}
    good = counts | {Fate.MASKED: 1_190, Fate.REPLACED: 155, Fate.KEPT: 155}
    assert "lies within all three" in share_sentence(good, 10) and "15.00 %" in share_sentence(
        good, 10
    )
    odd = counts | {Fate.MASKED: 1_100, Fate.REPLACED: 250, Fate.KEPT: 150}
    assert "interval of: masked, replaced" in share_sentence(odd, 10)
    assert share_table(odd)["share"].sum() == pytest.approx(1)
