"""What the link of each page can say and which results a page has: the one table by which the links
of lessons are checked. A test compares it with the pages themselves.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bertsent.data.asked_columns import KEYS
from bertsent.settings import LIMITS

TEXT_CHARS = 2_000  # of a parameter that is typed


@dataclass(frozen=True)
class Values:
    """What a parameter may say: some words, a number, a flag, or any text."""

    options: tuple[str, ...] = ()
    pattern: str = ""  # a regular expression
    lowest: float | None = None
    highest: float | None = None
    longest: int = TEXT_CHARS  # characters
    example: str = ""

    def about(self) -> str:
        """The values in words, as in “one of ROC, Precision–recall”."""
        if self.options:
            return f"one of {', '.join(self.options)}"
        if self.lowest is not None:
            return f"a number from {self.lowest:g} to {self.highest:g}"
        if self.pattern:
            return f"written like “{self.example}”"
        return f"a text of at most {self.longest:,} characters"

    def accept(self, value: str) -> bool:
        """Whether the page understands this value."""
        if self.options:
            return value in self.options
        if self.lowest is not None and self.highest is not None:
            return self._is_number(value) and self.lowest <= float(value) <= self.highest
        if self.pattern:
            return re.fullmatch(self.pattern, value) is not None
        return len(value) <= self.longest

    def _is_number(self, value: str) -> bool:
        return re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", value) is not None


@dataclass(frozen=True)
class PageParameters:
    """The parameters of a page by name, those that may stand there more than once, and the names of
    its results.
    """

    values: Mapping[str, Values]
    results: frozenset[str]
    repeated: frozenset[str] = frozenset()


def _one_of(*options: str) -> Values:
    return Values(options)


def _number(lowest: float, highest: float) -> Values:
    return Values(lowest=lowest, highest=highest)


FLAG = _one_of("true", "false")
ANY = Values()
REVIEW = Values(longest=LIMITS.review_chars)
TOKEN = Values(pattern=r"\d{1,3} \S{1,40}", example="5 boring")
LAYER = Values(pattern=r"last|\d{1,2}", example="last")
HEAD = Values(
    pattern=r"strongest of the layer|mean of the layer|mean of all|rollout|\d{1,2}",
    example="strongest of the layer",
)
LAYER_HEAD = Values(pattern=r"\d{1,2}·\d{1,2}", example="6·10")
MODEL, RUN, GROUP = Values(longest=200), Values(longest=200), Values(longest=200)
BAR = {"text": REVIEW, "model": MODEL, "step": _number(0, 999_999_999)}

PARTS = ("text", "input", "layers", "logits", "loss", "back")
BOXES = (
    *("input", "query weights", "key weights", "value weights", "queries", "keys", "values"),
    *("scores", "attention weights", "gathered", "heads side by side", "output weights"),
    *("attention", "input + attention", "normalised", "inner weights", "inner", "activated"),
    *("outer weights", "fed forward", "normalised + fed forward", "output"),
)
CARDS = {  # the inputs of the lecture's worked examples
    "paris": ("sentence", "length"),
    "unhappiness": ("word", "pieces"),
    "my_dog": ("tokens",),
    "my_dog_sum": ("tokens", "place"),
    "paris_vectors": ("sentence", "length", "place"),
    "attention_score": ("query", "key", "others"),
    "attention_by_hand": ("inputs", "to_query", "to_key", "to_value"),
    "multi_head": ("tokens", "width", "heads"),
    "it_pair": ("first", "second", "words"),
    "model_cards": ("layers", "width", "heads"),
    "head_size": ("width", "labels", "millions"),
    "head_answer": ("hidden", "bias", "weights"),
    "softmax": ("logits",),
    "sentence_vectors": ("sentence", "length"),
    "mini_data_set": ("pooling",),
    "cross_entropy": ("truth", "probabilities", "logits"),
    "one_loss": ("p_positive",),
    "loss_gradient": ("logits", "truth"),
    "weight_gradient": ("query", "keys"),
    "adamw": ("weight", "gradient", "learning_rate", "decay", "steps"),
}
WORDS_CARDS = {  # those of the page Words
    "like_detector": ("sentence", "detector", "seen"),
    "skip_gram_pairs": ("sentence", "window", "word"),
    "skip_gram_shapes": ("entries", "width", "place"),
    "masked_word": ("sentence", "hidden", "p"),
}


def _inputs(cards: Mapping[str, tuple[str, ...]]) -> dict[str, Values]:
    return {f"{card}_{name}": ANY for card, inputs in cards.items() for name in inputs}


CARD_INPUTS = _inputs(CARDS) | _inputs(WORDS_CARDS)
_CARD_PARTS = {
    "text": ("paris", "unhappiness"),
    "input": ("my_dog", "my_dog_sum", "paris_vectors"),
    "layers": ("attention_score", "attention_by_hand", "multi_head", "it_pair", "model_cards"),
    "logits": ("head_size", "head_answer", "softmax", "sentence_vectors", "mini_data_set"),
    "loss": ("cross_entropy", "one_loss", "mean_loss"),
    "back": ("loss_gradient", "weight_gradient", "adamw"),
}
_CARD_RESULTS = {f"{part}_{card}" for part, cards in _CARD_PARTS.items() for card in cards}

HOME = PageParameters(BAR, frozenset({"verdict", "heads", "map", "others", "scores"}))
FINE_TUNE = PageParameters(
    {
        **BAR,
        "tab": _one_of("Run", "New run", "Compare", "All runs", "Loss landscape", "Lesson"),
        "run": RUN,
        "runs": RUN,
        "group": GROUP,
        "lesson": _one_of("stages", "quiz", "curves"),
        "learn": _one_of(*KEYS),
        "threshold_curve": _one_of("ROC", "Precision–recall"),
        "compare_over": _one_of("Steps", "Epochs", "Seconds of training"),
        "tasks-result": _one_of("Mean", "SST", "PARA", "STS"),
    },
    frozenset(
        {
            *("curves", "report", "confusion", "epochs", "gradient", "reviews", "runs"),
            "guesses",
            *("compared_runs", "published", "published_reports", "group", "ab_reports"),
            *("landscape", "lesson", "stage_1", "stage_2", "stage_3", "stage_4"),
            *("training_details", "mistakes", "published_rows", "remarks"),
            *("sentence_vectors", "printed_examples", *(f"claim_{n}" for n in range(1, 6))),
        }
    ),
)
PROBE = PageParameters(
    {
        **BAR,
        "probe": _one_of(
            *("Answer", "Others say", "Why", "What would flip it", "Layer by layer"),
            *("Milliseconds", "Pairs", "Irony grid", "Scorecard", "Batch"),
            *("Five steps", "Aspects", "Feelings", "Two texts", "Your labels", "Prompt"),
        ),
        "part": _one_of(*PARTS),
        "numbers": _one_of("review", "lecture"),
        "when": _one_of("As it is", "Before fine-tuning"),
        "true_label": _one_of("NEGATIVE", "POSITIVE"),
        "split_word": Values(longest=100),
        "text_stretch": Values(pattern=r"\d{1,4}", example="40"),
        "reads": _one_of("padded", "pair"),
        "longer_review": REVIEW,
        "second_text": REVIEW,
        "token": TOKEN,
        "layer": LAYER,
        "head": HEAD,
        "qk_from": TOKEN,
        "qk_to": TOKEN,
        "box": _one_of(*BOXES),
        "softmax_t": _number(0.25, 4),
        "back_layer": LAYER,
        "back_head": LAYER,
        "back_from": TOKEN,
        "back_to": TOKEN,
        "step_trains": _one_of("everything", "head"),
        "step_rates": FLAG,
        "step_rate": _one_of("1e-7", "1e-6", "5e-6", "2e-5", "5e-5", "1e-4", "1e-3", "1e-2"),
        "duel_trained": _one_of("Ordinary reviews", "Hard reviews"),
        "duel_frozen": _one_of("logistic regression", "SVM", "small network"),
        "duel_on": Values(
            pattern=r"(Validation|Built-in test) reviews \([\d,]{1,9}\)",
            example="Validation reviews (733)",
        ),
        "duel_look": _one_of(
            *("Word weights", "Where do they disagree?", "Comparison", "Milliseconds"),
            "When to use which",
        ),
        "duel_words": _one_of("BOW + SVM", "TF-IDF + logistic regression"),
        "duel_filter": _one_of("Any two differ", "BERT alone is right", "BERT alone is wrong"),
        "why_by": _one_of("Whole words", "Word pieces"),
        "why_attention": _one_of("rollout", "mean of all heads", "mean of a layer", "one head"),
        "why_layer": LAYER,
        "why_head": LAYER,
        "why_from": Values(pattern=r"\d{1,4} to \d{1,4}", example="1 to 32"),
        **{f"flip_{kind}": FLAG for kind in ("neighbours", "opposites", "delete", "not")},
        "flip_own": ANY,
        "lens_other": REVIEW,
        "timing_reviews": _one_of("8", "16", "32", "64"),
        "pair_first": REVIEW,
        "pair_second": REVIEW,
        "pair_from": Values(pattern=r"\[CLS\]|\S{1,40} \(\d{1,3}\)", example="movie (5)"),
        "pair_head": Values(
            pattern=rf"mean of all heads|the head that changes most|{LAYER_HEAD.pattern}",
            example="6·10",
        ),
        "grid_template": ANY,
        "grid_noun": ANY,
        "grid_openers": ANY,
        "grid_adjectives": ANY,
        "suite_kind": _one_of("Built-in suite", "A suite of yours"),
        "suite_counted": FLAG,
        "steps_model": MODEL,
        "aspects_model": MODEL,
        "aspect_sentence": REVIEW,
        "aspects": ANY,
        "aspect_looked_at": ANY,
        "feelings_model": MODEL,
        "feelings_threshold": _number(5, 95),
        "similarity_model": MODEL,
        "paraphrase_model": MODEL,
        "two_first": REVIEW,
        "two_second": REVIEW,
        "own_model": MODEL,
        "own_first": REVIEW,
        "own_second": REVIEW,
        "own_threshold": _number(5, 95),
        **_inputs(CARDS),
    },
    frozenset(
        {
            *("answer", "others", "patterns", "ladder", "closer", "words", "agreement"),
            *("faithfulness", "heads_that_carry", "flip", "layers", "probes", "steps"),
            *("batching", "pair"),
            *("pair_words", "pair_on_the_map", "grid", "scorecard", "batch", "confusion"),
            "subgroups",
            *("five_steps", "aspects", "aspect_input", "feelings", "feelings_wheel"),
            *("two_texts", "two_texts_overlap", "your_labels", "prompt", "prompt_or_fine_tune"),
            *PARTS,
            *("text_letters", "text_word", "text_vocabulary", "text_unknown", "text_beside"),
            *("text_answers", "input_sum", "input_numbers", "layers_stream", "layers_pair"),
            *("layers_keys", "layers_rest", "layers_box", "layers_corner", "logits_pooler"),
            *("logits_shares", "logits_softmax", "loss_curve", "loss_batch", "loss_checkpoints"),
            *("back_logits", "back_words", "back_heads", "back_attention", "back_query"),
            *("back_step", "back_rates"),
            *_CARD_RESULTS,
        }
    ),
)
ATTENTION = PageParameters(
    {
        **BAR,
        "look": _one_of(
            *("Heads", "Word to word", "Arcs", "Query × key", "Silence heads"),
            *("Change by training", "Measures"),
        ),
        "layer": LAYER,
        "head": HEAD,
        "units": _one_of("word pieces", "whole words"),
        "hide": FLAG,
        "tokens": _one_of("32", "64", "128"),
        "rescale": FLAG,
        "marks": ANY,
        "beside": _one_of("One head", "How attention works", "Left to right"),
        "how_step": _one_of("Input", "Q, K, V", "Weights", "Concat", "W^O", "Model"),
        "directions": _one_of("“not very good”", "This review"),
        "bertviz": _one_of("off", "head view", "model view"),
        "from_word": TOKEN,
        "to_word": TOKEN,
        "arcs_of": TOKEN,
        "arcs_most": _one_of("12", "25", "50", "100"),
        "qk_from": TOKEN,
        "qk_to": TOKEN,
        "silence_unit": _one_of("logits", "probability"),
        "silenced": LAYER_HEAD,
        "change_head": LAYER_HEAD,
        "measure": _one_of(
            *("entropy", "distance", "to [CLS]", "to [SEP]", "to the next", "to the previous"),
            "to itself",
        ),
    },
    frozenset(
        {
            *("heads", "word_to_word", "arcs", "query_key", "query_key_row", "silence"),
            *("change", "change_ranking", "measures", "measures_table"),
        }
    ),
    repeated=frozenset({"silenced"}),
)
WORDS = PageParameters(
    {
        "model": MODEL,
        "step": BAR["step"],
        "words": _one_of(
            *("Fill in a word", "Same word, other sentences", "Vectors", "Skip-gram"),
            *("What is masked", "Next sentence", "Before BERT", "Without fine-tuning"),
        ),
        "words_by": _one_of("Before fine-tuning", "After"),
        "words_layer": Values(
            pattern=r"layer \d{1,2}( \((last|input)\))?", example="layer 6 (last)"
        ),
        "words_pooling": _one_of("cls", "mean", "max"),
        "mask_part": _one_of("Guesses", "While it is fine-tuned"),
        "mask_text": REVIEW,
        "mask_hidden": Values(pattern=r"none|\d{1,3}( \d{1,3})*", example="3 5"),
        "mask_truths": Values(longest=400),
        "mask_gap": Values(pattern=r"\d{1,2}", example="2"),
        "next_first": REVIEW,
        "next_second": REVIEW,
        "without_part": _one_of("Similarity", "Features", "Clusters", "Word prediction"),
        "zero_review": REVIEW,
        "zero_template": Values(longest=200),
        "zero_good": Values(longest=40),
        "zero_bad": Values(longest=40),
        "masked_text": REVIEW,
        "masked_draw": _number(1, 9_999),
        "word": Values(longest=60),
        "word_sentences": REVIEW,
        "sentences": REVIEW,
        "word_layer": Values(
            pattern=r"clearest layer|layer \d{1,2}( \((last|input)\))?", example="clearest layer"
        ),
        "vector_text": REVIEW,
        "vectors_part": _one_of(
            *("Map", "Arithmetic", "Opposites", "One-hot or dense", "One token"),
        ),
        "vectors_word": Values(longest=60),
        "vectors_method": _one_of("t-SNE", "PCA"),
        "vectors_count": _one_of("1,000 words", "2,000 words", "4,000 words"),
        "vectors_sum": Values(longest=200),
        "vectors_first": Values(longest=60),
        "vectors_second": Values(longest=60),
        "vectors_one": Values(longest=60),
        "vectors_other": Values(longest=60),
        "skip_part": _one_of("Training pairs", "Matrix shapes", "Live training"),
        "skip_texts": _one_of("Built-in reviews", "My own text"),
        "skip_seed": _number(0, 99),
        "skip_word": Values(longest=60),
        "before_part": _one_of("How far back", "Filters over words", "Reading order", "History"),
        "before_text": REVIEW,
        "before_mean": _one_of("in a row", "in a row and shuffled", "one at a time"),
        "before_filter": Values(pattern=r"the strongest|filter \d{1,2}", example="filter 7"),
        **_inputs(WORDS_CARDS),
    },
    frozenset(
        {
            *("fill_in", "same_word", "vectors", "sentences", "reach", "reach_mean", "filters"),
            *("filter", "like_detector", "orders", "history", "bert_name"),
            *("what_is_masked", "what_is_masked_often", "same_word_vectors", "word_map"),
            *("word_neighbours", "arithmetic", "analogies", "opposites", "two_words", "one_hot"),
            *("skip_gram_pairs", "skip_gram_all_pairs", "skip_gram_shapes", "skip_gram_training"),
            "skip_gram_neighbours",
            *("masked_word", "gap_checkpoints"),
            *("next_sentence", "features", "two_clusters", "zero_shot"),
        }
    ),
)
MAP = PageParameters(
    {
        **BAR,
        "map_set": _one_of("ordinary", "builtin-test", "builtin", "validation", "train"),
        "map_method": _one_of("PCA", "t-SNE"),
        "map_view": _one_of("One map", "Before and after", "Checkpoints"),
        "map_colour": _one_of("Truth", "Prediction", "Confidence", "Cluster"),
        "map_dimensions": _one_of("2-D", "3-D"),
        "map_pooling": _one_of("[CLS]", "mean", "max"),
        "map_layer": Values(pattern=r"last|input|\d{1,2}", example="last"),
        "map_clusters": _number(2, 10),
        "map_cluster": Values(pattern=r"cluster \d{1,2} \([\d,]{1,9}\)", example="cluster 1 (34)"),
        "map_count": Values(pattern=r"\d{1,3}(,\d{3})?", example="200"),
        "map_paper": FLAG,
        "map_drop": FLAG,
        "map_review": Values(longest=200),
        "meaning_query": REVIEW,
        "search_by": _one_of("Before fine-tuning", "After"),
        "finding": _one_of("Extremes", "Clusters", "Boundary", "Calibration"),
        "extremes_which": _one_of(
            *("Most positive and most negative", "Sure and wrong, undecided"),
            "Most changed by training",
        ),
        "extremes_n": _one_of("5", "10", "20"),
        "cluster_words": _one_of("log-odds", "count", "c-TF-IDF"),
        "boundary_kind": _one_of("SVM", "Logistic regression"),
        "calibration_t": _number(0.5, 3),
        "calibration_rate": _number(0, 0.5),
        "travel_since": _one_of("the checkpoint before", "step 0"),
        "travel_colour": _one_of("P(positive)", "Truth"),
    },
    frozenset({"map", "panel"}),
)
PAGES: Mapping[str, PageParameters] = {
    "Home": HOME,
    "Fine-tune": FINE_TUNE,
    "Probe": PROBE,
    "Attention": ATTENTION,
    "Words": WORDS,
    "Map": MAP,
}
