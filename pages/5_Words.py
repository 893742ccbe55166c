"""Words: what an encoder knows before any label. Vectors of words and sentences, the same word in
other sentences, and what it would put in the place of [MASK]; and what read texts before BERT.
"""

from bertsent.ui.shared.frame import WORDS, frame
from bertsent.ui.shared.tabs import Tab, choose_tab
from bertsent.ui.words.before_bert import show_before_bert
from bertsent.ui.words.fill_in import show_fill_in
from bertsent.ui.words.next_sentence import show_next_sentence
from bertsent.ui.words.same_word import show_same_word
from bertsent.ui.words.skip_gram import show_skip_gram
from bertsent.ui.words.vectors import show_vectors
from bertsent.ui.words.what_is_masked import show_what_is_masked
from bertsent.ui.words.without_fine_tuning import show_without_fine_tuning

# Every tab has its own texts and, where it asks an encoder, its own row of choices.
OWN = {"needs_review": False, "needs_model": False}
TABS = (
    Tab(
        "Fill in a word",
        "Click a word: which ones does it expect in its place?",
        show_fill_in,
        **OWN,
    ),
    Tab(
        "Same word, other sentences",
        "Does one word get one vector, or another one in every sentence?",
        show_same_word,
        **OWN,
    ),
    Tab("Vectors", "Which numbers stand for a word?", show_vectors, **OWN),
    Tab(
        "Skip-gram",
        "How are such numbers learned from texts alone?",
        show_skip_gram,
        **OWN,
    ),
    Tab(
        "What is masked",
        "Which words does pretraining hide, and which does it only change?",
        show_what_is_masked,
        **OWN,
    ),
    Tab(
        "Next sentence",
        "Does one sentence follow another?",
        show_next_sentence,
        **OWN,
    ),
    Tab(
        "Before BERT",
        "How far back does an early word still reach, and who reads what in which order?",
        show_before_bert,
        **OWN,
    ),
    Tab(
        "Without fine-tuning",
        "What do the vectors of the pretrained encoder do before anything is trained on them?",
        show_without_fine_tuning,
        **OWN,
    ),
)

with frame(WORDS) as row:
    choose_tab(TABS, "words", row).show()
