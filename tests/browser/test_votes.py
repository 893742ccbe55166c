"""A class votes on a cluster of the map, on a head and on a curve: what is revealed is what
transformers, scikit-learn and the events of the run say, and nothing of it was on a phone before.
"""

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from playwright.sync_api import Page, expect
from sklearn.neighbors import NearestCentroid
from transformers import AutoModel, AutoTokenizer

from bertsent.classroom.room import Room
from bertsent.classroom.rooms import open_room
from bertsent.data.examples import Reviews
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.launcher import launch, prepare_run
from bertsent.training.runs.run import Run
from tests.browser.conftest import Server, no_errors, open_page, settle, shoot
from tests.browser.test_class_hour import go_on
from tests.browser.test_phone import join, vote
from tests.classroom.conftest import MODEL, tiny_classifier  # noqa: F401 - a fixture
from tests.conftest import read_events

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
MAPPED = "Great, another boring superhero movie"
ATTENDED = "The old story was very long and not so good"  # every word is one token
RUN, EPOCHS = "by-heart", 6
TOLD = """async () => (await (await fetch(location.pathname + "/state",
  {headers: {"x-bertsent-script": "1"}})).json()).room.question"""


@pytest.fixture(scope="module")
def server(lab_home: Path, tiny_classifier: Path) -> Iterator[Server]:  # noqa: F811
    (lab_home / "models").mkdir()
    (lab_home / "models" / MODEL).symlink_to(tiny_classifier)
    started = Server(lab_home, warmed=True)
    yield started
    started.stop()


@pytest.fixture
def room(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    monkeypatch.setenv("BERTSENT_HOME", str(server.home))
    monkeypatch.setenv("BERTSENT_DEVICE", "cpu")
    opened = open_room("Year 11")
    yield opened
    opened.close()


@pytest.fixture
def people(server: Server, room: Room, visitor: Callable[..., Page]) -> tuple[Page, Page, Page]:
    """The teacher, and the phones of two who joined the room."""
    teacher, ann, ben = visitor(), visitor(phone=True), visitor(phone=True, dark=True)
    join(ann, server, room, "Ann")
    join(ben, server, room, "Ben")
    return teacher, ann, ben


@pytest.fixture
def prepared(room: Room, tiny_backbone: Path, toy_reviews: Reviews) -> Run:
    """A run that nobody has started yet, on reviews of which a fifth has the wrong label: what is
    learned at first helps, what is learned by heart then does not.
    """
    wrong = np.random.default_rng(1).random(len(toy_reviews)) < 0.2
    rows = [replace(e, label=e.label ^ int(w)) for e, w in zip(toy_reviews, wrong, strict=True)]
    training = TrainingConfig(
        epochs=EPOCHS,
        batch_size=2,
        max_length=32,
        encoder_lr=2e-3,
        head_lr=2e-3,
        dropout=0.0,
        hidden_dropout=0.0,
    )
    reviews = Reviews("partly wrong", tuple(rows))
    return prepare_run(reviews, training, model=str(tiny_backbone), name=RUN)


def asked(teacher: Page, phones: Sequence[Page], prompt: str) -> list[str]:
    """Ask what the form says; the options, as the phones offer them."""
    teacher.get_by_role("button", name="Ask the class").click()
    for phone in phones:
        expect(phone.locator("#prompt")).to_have_text(prompt)
    options = phones[0].locator("#options label").all_inner_texts()
    shown = teacher.locator(".vote-options li")
    expect(shown).to_have_text(options)
    return options


def voted(teacher: Page, votes: Mapping[str, Page], names: str) -> None:
    """Vote; the ``names`` of who else answers, and the answers, are nowhere yet."""
    for choice, phone in votes.items():
        vote(phone, choice, "100")
        expect(phone.locator("#own")).to_contain_text("counted")
        told = phone.evaluate(TOLD)
        assert told["reveal"] is None and not {"answers", "truth", "link"} & told.keys()
        assert not re.search(names, phone.content() + json.dumps(told))
    expect(teacher.get_by_text(f"{len(votes)} of {len(votes)} have voted")).to_be_visible()
    assert not re.search(names, teacher.locator(".st-key-result_vote").inner_text())


def reveal(teacher: Page, name: str) -> None:
    button = teacher.get_by_role("button", name=f"Reveal: {name}")
    button.click()
    expect(button).to_have_count(0)


def all_is_revealed(
    teacher: Page, votes: Mapping[str, Page], right: str, names: Sequence[str]
) -> None:
    """What the projector and each phone, which voted so, show in the end."""
    expect(teacher.get_by_text(f"Right is “{right}”. The class is tied")).to_be_visible()
    chart = teacher.locator(".st-key-vote_reveal")
    for name in names:
        expect(chart.filter(has_text=name).first).to_be_visible()
    for choice, phone in votes.items():
        said = "and right" if choice == right else "and wrong"
        for name in names:
            expect(phone.locator("#reveal")).to_contain_text(name)
        expect(phone.locator("#verdict")).to_contain_text(f"The right answer is {right}.")
        expect(phone.locator("#verdict")).to_contain_text(f"You were 100\u00a0% sure, {said}")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 400
    no_errors(teacher)


def test_which_cluster_is_what_scikit_learn_says(
    server: Server,
    people: tuple[Page, Page, Page],
    tiny_classifier: Path,  # noqa: F811
) -> None:
    teacher, ann, ben = people
    open_page(
        teacher, server, f"Map?model={MODEL}&map_set=builtin-test&map_count=100&map_clusters=3"
    )
    expect(teacher.locator(".st-key-map_chart .map")).to_be_visible()
    points = pd.read_csv(io.BytesIO(_points(teacher)))
    teacher.get_by_role("link", name="Class").first.click()
    teacher.get_by_role("radio", name="Vote").click()
    teacher.get_by_role("radio", name="Map").click()
    box = teacher.locator(".st-key-vote_map_text input")
    box.fill(MAPPED)
    box.press("Enter")
    settle(teacher)
    options = asked(teacher, [ann, ben], "Which cluster of the map does this review fall into?")
    sizes = [int(re.search(r"\((\d+) reviews\)", option)[1]) for option in options]
    assert sizes == np.bincount(points["cluster"]).tolist()

    vectors = _vectors([*points["text"], MAPPED], tiny_classifier)
    centres = NearestCentroid().fit(vectors[:-1], points["cluster"])
    right = options[int(centres.predict(vectors[-1:])[0])]
    other = next(option for option in options if option != right)
    votes = {right: ann, other: ben}
    voted(teacher, votes, "K-Means")
    reveal(teacher, "class")
    expect(ann.locator("#reveal > li")).to_have_count(1)
    expect(ann.locator("#verdict")).to_be_hidden()
    reveal(teacher, "K-Means")
    all_is_revealed(teacher, votes, right, ["K-Means"])
    shoot(teacher, "vote-map")
    shoot(ann, "vote-map-phone")
    expect(ann.locator("#look a")).to_have_attribute("href", re.compile(r"^/Map\?text=Great"))


def _points(teacher: Page) -> bytes:
    settle(teacher)
    teacher.locator(".st-key-map_chart_download button").first.click()
    with teacher.expect_download() as waited:
        teacher.get_by_role("button", name="Points as CSV").click()
    teacher.keyboard.press("Escape")
    return waited.value.path().read_bytes()


def _vectors(texts: Sequence[str], folder: Path) -> np.ndarray:
    """The last hidden state above [CLS] of each text."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    given = tokenizer(
        list(texts), padding=True, truncation=True, max_length=64, return_tensors="pt"
    )
    with torch.inference_mode():
        return model.eval()(**given).last_hidden_state[:, 0].numpy()


def test_which_word_is_what_transformers_says(
    server: Server,
    people: tuple[Page, Page, Page],
    tiny_classifier: Path,  # noqa: F811
) -> None:
    teacher, ann, ben = people
    open_page(teacher, server, f"Class?class=Vote&vote_kind=Head&model={MODEL}")
    box = teacher.locator(".st-key-vote_head_text input")
    box.fill(ATTENDED)
    box.press("Enter")
    teacher.get_by_role("combobox", name="Head").click()
    teacher.get_by_role("option", name="2·1", exact=True).click()
    settle(teacher)
    options = asked(teacher, [ann, ben], "Which word does head 2·1 look at most from “good”?")

    right = _attention(tiny_classifier, layer=2, head=1).drop("good").idxmax()
    assert len(options) == 4 and right in options
    other = next(option for option in options if option != right)
    votes = {right: ann, other: ben}
    voted(teacher, votes, "Mean of all heads|Head 2·1")
    turned = teacher.locator(".st-key-vote_reveal")
    teacher.keyboard.press("p")
    expect(teacher.locator(".st-key-present_steps")).to_be_visible()
    go_on(teacher, teacher.get_by_text("The vote is over"))
    go_on(teacher, teacher.get_by_text("The class is tied"))
    go_on(teacher, turned.get_by_text("Mean of all heads").first)
    expect(ann.locator("#verdict")).to_be_hidden()
    go_on(teacher, turned.get_by_text("Head 2·1").first)
    all_is_revealed(teacher, votes, right, ["Mean of all heads", "Head 2·1"])
    shoot(teacher, "vote-head-projector")
    expect(ann.locator("#look a")).to_have_attribute("href", re.compile(r"^/Attention\?text=The"))


def _attention(folder: Path, layer: int, head: int) -> pd.Series:
    """How strongly a head looks at each word from the last one, without [CLS] and [SEP]."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.inference_mode():
        given = model(**tokenizer(ATTENDED, return_tensors="pt"), output_attentions=True)
    weights = given.attentions[layer - 1][0, head - 1]
    return pd.Series(weights[-2, 1:-1].numpy(), index=ATTENDED.split())


def test_when_it_overfits_is_what_the_run_says_once_it_has_ended(
    server: Server, people: tuple[Page, Page, Page], prepared: Run
) -> None:
    teacher, ann, ben = people
    open_page(teacher, server, "Class?class=Vote&vote_kind=Curve")
    teacher.get_by_role("combobox", name="Question").click()
    teacher.get_by_role("option", name="begin to overfit").click()
    settle(teacher)
    options = asked(teacher, [ann, ben], f"After which epoch does {RUN} begin to overfit?")
    assert options == ["It does not overfit", *(f"Epoch {n}" for n in range(1, EPOCHS + 1))]
    expect(teacher.get_by_role("button", name="Reveal: class")).to_be_disabled()
    votes = {options[2]: ann, options[EPOCHS]: ben}
    voted(teacher, votes, f"{RUN}: ")
    teacher.get_by_role("button", name="End the vote").click()
    launch(prepared)
    expect(teacher.get_by_text("still trains; its end is the answer")).to_be_visible()
    expect(teacher.get_by_role("button", name="Reveal: class")).to_be_enabled()
    reveal(teacher, "class")
    reveal(teacher, RUN)
    right = options[_overfits_after(prepared)]
    all_is_revealed(teacher, votes, right, [RUN])
    shoot(teacher, "vote-curve")


def _overfits_after(run: Run) -> int:
    """The epoch of the lowest validation loss, if it rose from there while the training loss fell;
    else 0.
    """
    stated = pd.DataFrame(e for e in read_events(run.folder) if e["event"] == "evaluated")
    epochs = stated.set_index("epoch").sort_index()
    lowest = epochs["loss"].idxmin()
    since = epochs.loc[lowest:, ["loss", "train_loss"]].dropna().astype(float)
    change = since.iloc[-1] - since.iloc[0]
    return int(max(lowest, 1)) if change["loss"] > 0 > change["train_loss"] else 0
