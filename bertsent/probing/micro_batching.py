"""Micro-batching: requests of many people in, shared forward passes out, to each the answer to
their own review.

A request that arrives while the model is idle is answered immediately. Requests that arrive during
a pass wait and go through the model together in the next one (group commit, DeWitt et al. 1984), so
nobody waits for a timer and fifty threads do not compete for two cores. No thread of its own is
needed: the request that has waited longest leads the next pass.
"""

import threading
from collections import deque
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from bertsent.errors import Busy
from bertsent.probing.loaded_model import LoadedModel, Prediction

MOST = {"cpu": 64, "cuda": 64}  # texts in one pass: in a larger one the first waits for the last
_lock = threading.Lock()
_batchers: "WeakKeyDictionary[LoadedModel, MicroBatcher]" = WeakKeyDictionary()


@dataclass(eq=False)
class _Request:
    text: str
    wake: threading.Event = field(default_factory=threading.Event)
    leads: bool = False
    answer: Prediction | None = None
    error: Exception | None = None


class MicroBatcher:
    """The queue of one model. It does not hold the model: a model is freed when its last user lets
    go of it.
    """

    def __init__(self, *, most: int = MOST["cpu"]) -> None:
        self._most, self._lock = most, threading.Lock()
        self._waiting: deque[_Request] = deque()
        self._led = False
        self.passes = 0  # forward passes so far

    def predict(self, model: LoadedModel, text: str) -> Prediction:
        """What ``model.predict([text])[0]`` gives.

        Raises:
            Exception: whatever the model raises for this text; other people's texts never matter.
        """
        mine = _Request(text)
        with self._lock:
            self._waiting.append(mine)
            if not self._led:
                self._led = mine.leads = True
                mine.wake.set()
        mine.wake.wait()
        if mine.leads:
            self._lead(model)
        if mine.answer is None:
            raise mine.error or Busy("The answer was lost.", "Ask again.")
        return mine.answer

    def _lead(self, model: LoadedModel) -> None:
        """Answer the waiting requests, and hand the lead to the oldest that arrived meanwhile."""
        with self._lock:
            batch = [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]
        try:
            self._answer(model, batch)
        finally:
            with self._lock:
                self._led = bool(self._waiting)
                if self._led:
                    self._waiting[0].leads = True
                    self._waiting[0].wake.set()
            for request in batch:
                request.wake.set()

    def _answer(self, model: LoadedModel, batch: list[_Request]) -> None:
        self.passes += 1
        try:
            answers = model.predict([request.text for request in batch])
        except Exception as error:
            if len(batch) == 1:
                batch[0].error = error
                return
            for request in batch:  # one text is to blame: alone, the others are answered
                self._answer(model, [request])
            return
        for request, answer in zip(batch, answers, strict=True):
            request.answer = answer


def micro_batcher(model: LoadedModel) -> MicroBatcher:
    """The one queue of that model, shared by everybody."""
    with _lock:
        if model not in _batchers:
            _batchers[model] = MicroBatcher(most=MOST.get(model.device.type, MOST["cpu"]))
        return _batchers[model]
