"""Many people's questions in, shared forward passes out, to each the answer to their own.

Who asks while nobody is being answered is answered at once. Who asks meanwhile waits, and all who
wait go through the model
together in the next pass (group commit, DeWitt et al. 1984): nobody waits for a timer, and fifty
threads do not fight for two cores.
There is no thread of its own that could die: whoever waits first leads the next pass.
"""

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from bertsent.errors import Busy

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel, Prediction

MOST = {
    "cpu": 32,
    "cuda": 64,
}  # texts in one pass: with more, the first of them would wait long for the last
_lock = threading.Lock()
_known: "WeakKeyDictionary[LoadedModel, MicroBatcher]" = WeakKeyDictionary()


@dataclass(eq=False)
class _Request:
    text: str
    wake: threading.Event = field(default_factory=threading.Event)
    leads: bool = False
    answer: "Prediction | None" = None
    error: Exception | None = None


class MicroBatcher:
    """A learner that many threads ask one text each."""

    def __init__(self, learner: "LoadedModel", *, most: int | None = None) -> None:
        self._learner, self._lock = learner, threading.Lock()
        self._most = most or MOST.get(getattr(learner.device, "type", "cpu"), MOST["cpu"])
        self._waiting: deque[_Request] = deque()
        self._led = False
        self.passes = 0  # forward passes so far

    def predict(self, text: str) -> "Prediction":
        """What ``learner.predict([text])[0]`` gives.

        Raises:
            Exception: whatever the learner raises for this text; other people's texts never matter.
        """
        mine = _Request(text)
        with self._lock:
            self._waiting.append(mine)
            if not self._led:
                self._led = mine.leads = True
                mine.wake.set()
        mine.wake.wait()
        if mine.leads:
            self._lead()
        if mine.answer is None:
            raise mine.error or Busy("The answer got lost.", "Ask again.")
        return mine.answer

    def _lead(self) -> None:
        """Answer those who wait, the leader among them, and hand the lead to whoever waits first by
        then.
        """
        with self._lock:
            those = [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]
        try:
            self._ask(those)
        finally:
            with self._lock:
                self._led = bool(self._waiting)
                if self._led:
                    self._waiting[0].leads = True
                    self._waiting[0].wake.set()
            for question in those:
                question.wake.set()

    def _ask(self, those: list[_Request]) -> None:
        self.passes += 1
        try:
            answers = self._learner.predict([question.text for question in those])
        except Exception as error:
            if len(those) == 1:
                those[0].error = error
                return
            for (
                question
            ) in those:  # one of them is to blame: each by itself, so that the others are answered
                self._ask([question])
            return
        for question, answer in zip(those, answers, strict=True):
            question.answer = answer


def micro_batcher(learner: "LoadedModel") -> MicroBatcher:
    """The one queue of that learner, for everybody who asks it."""
    with _lock:
        if learner not in _known:
            _known[learner] = MicroBatcher(learner)
        return _known[learner]
