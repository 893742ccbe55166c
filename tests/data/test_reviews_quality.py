"""The built-in reviews keep what their README promises: balanced, unrepeated, pairs whole, every
phenomenon there.
"""

import re
from collections import Counter, defaultdict
from itertools import combinations

import pytest

from bertsent.data.sources import BUILTIN, contrastive_reviews, load_reviews
from bertsent.data.splits import split
from bertsent.probing.baselines.pipelines import baseline_pipeline

PHENOMENA = {
    *("plain", "negation", "contrast", "mixed", "sarcasm", "sincere"),
    *("irony-marks", "understatement", "intensity", "comparison", "temporal", "quoted"),
}


@pytest.fixture(scope="module")
def reviews():
    return load_reviews("builtin")


def test_there_are_enough_reviews_and_half_of_them_are_positive(reviews):
    assert len(reviews) >= 1_600
    labels = Counter(reviews.labels)
    assert set(labels) == {0, 1} and abs(labels[0] - labels[1]) <= 1
    counts = Counter(e.phenomenon for e in reviews)
    assert counts["sarcasm"] >= 300 and counts["negation"] >= 200 and counts["sincere"] >= 200


def test_the_first_eight_rows_are_the_handcrafted_ones_and_all_are_learned_from(reviews):
    assert [e.id for e in reviews.examples[:8]] == [f"handcrafted-{n}" for n in range(1, 9)]
    assert [e.contrastive for e in reviews] == [True] * 8 + [False] * (len(reviews) - 8)
    assert Counter(e.label for e in contrastive_reviews()) == {0: 4, 1: 4}
    assert {e.split for e in contrastive_reviews()} == {"train"}


def test_every_phenomenon_is_there_and_balanced(reviews):
    assert {e.phenomenon for e in reviews} == PHENOMENA
    for phenomenon in PHENOMENA:
        counts = Counter(e.label for e in reviews if e.phenomenon == phenomenon)
        assert abs(counts[0] - counts[1]) <= 2, (phenomenon, counts)


def test_the_splits_are_balanced_and_have_the_promised_sizes(reviews):
    sizes = Counter(e.split for e in reviews)
    assert set(sizes) == {"train", "validation", "test"}
    for name, share in (("train", 0.77), ("validation", 0.09), ("test", 0.14)):
        assert sizes[name] / len(reviews) == pytest.approx(share, abs=0.02)
        labels = Counter(e.label for e in reviews if e.split == name)
        assert abs(labels[0] - labels[1]) <= 0.02 * sizes[name], (name, labels)
        assert {e.phenomenon for e in reviews if e.split == name} == PHENOMENA


def test_a_run_learns_and_is_judged_on_the_sets_own_splits_and_never_sees_the_test_rows(reviews):
    halves = split(reviews)
    assert {e.split for e in halves.train} == {"train"} and {
        e.split for e in halves.validation
    } == {"validation"}
    assert len(halves.train) + len(halves.validation) + sum(
        e.split == "test" for e in reviews
    ) == len(reviews)


def test_pairs_have_two_sides_with_opposite_labels_in_one_split(reviews):
    pairs = defaultdict(list)
    for example in reviews:
        pairs[example.pair].append(example)
    del pairs[""]
    assert len(pairs) >= 500
    for name, sides in pairs.items():
        assert sorted(e.label for e in sides) == [0, 1], name
        assert len({e.split for e in sides}) == 1, name


def test_no_id_and_no_text_is_there_twice(reviews):
    assert len({e.id for e in reviews}) == len(reviews)
    assert len({" ".join(words(e.text)) for e in reviews}) == len(reviews)


def test_no_two_reviews_are_nearly_the_same(reviews):
    """Shared words over all words of the two (Jaccard 1912) stay at 0.7 or below, but for the two
    sides of a pair. Two that are nearer share one of their rarest words (prefix filtering,
    Chaudhuri et al. 2006), so only those are compared.
    """
    sets = [set(words(example.text)) for example in reviews]
    frequency = Counter(word for found in sets for word in found)
    holders = defaultdict(list)
    for row, found in enumerate(sets):
        rarest = sorted(found, key=lambda word: (frequency[word], word))
        for word in rarest[: int(0.3 * len(found)) + 1]:
            holders[word].append(row)
    near = {
        (i, j)
        for rows in holders.values()
        for i, j in combinations(rows, 2)
        if len(sets[i] & sets[j]) > 0.7 * len(sets[i] | sets[j])
    }
    alike = [(reviews.examples[i], reviews.examples[j]) for i, j in near]
    assert len(alike) > 1_000, "the sides of the pairs are found"
    assert not [(a.text, b.text) for a, b in alike if not a.pair or a.pair != b.pair]


def test_the_sides_of_a_pair_differ_in_few_words(reviews):
    """Half of the pairs by at most two words, nearly all by at most a third of theirs."""
    pairs = defaultdict(list)
    for example in reviews:
        if example.pair:
            pairs[example.pair].append(Counter(words(example.text)))
    changed = [max(sum((a - b).values()), sum((b - a).values())) for a, b in pairs.values()]
    share = [
        max(sum((a - b).values()), sum((b - a).values())) / max(sum(a.values()), sum(b.values()))
        for a, b in pairs.values()
    ]
    assert sorted(changed)[len(changed) // 2] <= 2
    assert sum(part <= 0.34 for part in share) >= 0.9 * len(share)


def test_no_phrase_of_five_words_is_worn_out(reviews):
    """Two sides of a pair share their words on purpose and count once."""
    users = defaultdict(set)
    for example in reviews:
        found = words(example.text)
        for start in range(len(found) - 4):
            users[tuple(found[start : start + 5])].add(example.pair or example.id)
    phrase, most = max(users.items(), key=lambda item: len(item[1]))
    assert len(most) <= len(reviews) / 100, " ".join(phrase)


def test_reviews_are_neither_stubs_nor_essays_and_hold_no_markup(reviews):
    for example in reviews:
        assert 4 <= len(example.text.split()) <= 120, example.id
        assert example.text == " ".join(example.text.split()), example.id
        assert not re.search(r"<\w|&\w+;|https?:", example.text), example.id


def test_the_readme_counts_what_is_in_the_file(reviews):
    readme = (BUILTIN.parent / "README.md").read_text(encoding="utf-8")
    table = {
        row[0].strip("* "): row
        for row in (
            line.strip("| ").split(" | ") for line in readme.splitlines() if line.startswith("| ")
        )
    }
    for phenomenon in [*PHENOMENA, "all"]:
        mine = [e for e in reviews if phenomenon in ("all", e.phenomenon)]
        cells = [cell.strip("* ") for cell in table[phenomenon]]
        for place, name in ((2, "train"), (3, "validation"), (4, "test")):
            counts = Counter(e.label for e in mine if e.split == name)
            assert cells[place] == f"{counts[0]} + {counts[1]}", (phenomenon, name)
        assert cells[5:7] == [str(len(mine)), str(sum(e.pair != "" for e in mine))], phenomenon
    assert "CC0-1.0" in readme


def test_the_readme_says_what_a_word_counter_gets(reviews):
    learned, judged = ([e for e in reviews if e.split == name] for name in ("train", "test"))
    counter = baseline_pipeline("BOW + SVM").fit(
        [e.text for e in learned], [e.label for e in learned]
    )
    right = dict(
        zip(
            (e.id for e in judged),
            counter.predict([e.text for e in judged]) == [e.label for e in judged],
            strict=True,
        )
    )
    pairs = defaultdict(list)
    for e in judged:
        if e.pair:
            pairs[e.pair].append(right[e.id])
    of = {
        name: [right[e.id] for e in judged if e.phenomenon == name]
        for name in ("sarcasm", "negation")
    }
    readme = " ".join((BUILTIN.parent / "README.md").read_text(encoding="utf-8").split())
    assert (
        f"{sum(of['sarcasm'])} of the {len(of['sarcasm'])} sarcastic and {sum(of['negation'])} of "
        f"the {len(of['negation'])}" in readme
    )
    assert f"both sides of {sum(map(all, pairs.values()))} of its {len(pairs)} pairs" in readme


def words(text):
    return re.findall(r"[\w']+", text.lower())
