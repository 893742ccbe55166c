"""A page of nothing but parts, for models that no lab holds."""

from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import LoadedModel

SHOWN: dict[str, object] = {}


def drawn(model: LoadedModel, text: str) -> AppTest:
    """The parts about the logits and back, drawn of this model and review."""
    SHOWN.update(model=model, text=text)
    return AppTest.from_function(_page, default_timeout=60).run()


def _page() -> None:
    from bertsent.ui.probe.take_apart.back import show_back
    from bertsent.ui.probe.take_apart.code import begin_code
    from bertsent.ui.probe.take_apart.logits import show_logits
    from bertsent.ui.shared import show_errors
    from tests.ui.probe.take_apart.parts_page import SHOWN

    model, text = SHOWN["model"], SHOWN["text"]
    begin_code(model, text)
    for show in (show_logits, show_back):
        with show_errors():
            show(model, text, model.predict([text])[0])
