"""Text → pieces → ids: what the model reads of the letters of a review."""

from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.ui.probe.take_apart.cards import style_cards
from bertsent.ui.probe.take_apart.code import use_in_code
from bertsent.ui.probe.take_apart.text_beside import show_beside
from bertsent.ui.probe.take_apart.text_letters import show_letters
from bertsent.ui.probe.take_apart.text_unknown import show_unknown
from bertsent.ui.probe.take_apart.text_vocabulary import show_vocabulary
from bertsent.ui.probe.take_apart.text_word import choose_word, show_word
from bertsent.ui.shared import result, show_errors, show_help


def text_line(model: LoadedModel, text: str, answer: Prediction) -> str:
    """What the folded line says."""
    tokens = model.tokens(text)
    words = [word for word in tokens.words if word is not None]
    split = sum(words.count(word) > 1 for word in set(words))
    return f"{len(text)} characters become {len(tokens)} tokens; {split or 'no'} " + (
        "word is split" if split <= 1 else "words are split"
    )


def show_text(model: LoadedModel, text: str, answer: Prediction) -> None:
    """From letters to ids, one word piece by piece, its neighbours in the vocabulary, what is
    unknown, and what changes beside another text.
    """
    with show_errors():
        trace, rules = model.tokenizer.trace(text, model.max_length), model.tokenizer.rules
        style_cards()
        with result("text_letters"):
            show_letters(model, trace)
        with result("text_word"):
            word = choose_word(rules, trace)
            use_in_code(word=word.word)
            show_word(rules, word)
        with result("text_vocabulary"):
            show_vocabulary(rules, word)
        with result("text_unknown"):
            show_unknown(rules, trace)
        with show_errors():
            show_beside(model, text)
        show_help("probe", "take_apart_text")
