"""Many viewers ask less often, and a viewer who has gone is forgotten."""

from bertsent.ui.shared import viewers
from bertsent.ui.shared.viewers import MANY, SLOWER, Viewers, poll_interval


def test_people_are_counted_once_and_forgotten_when_they_have_gone():
    people = Viewers()
    assert [people.looked(who, 0.0) for who in ("ann", "ben", "ann")] == [1, 2, 2]
    assert people.looked("ben", 14.0) == 2
    assert people.looked("ben", 16.0) == 1, "ann has not looked for a while"


def test_the_pace_slows_for_many_and_comes_back(monkeypatch):
    people, now = Viewers(), [0.0]
    monkeypatch.setattr(viewers, "_viewers", lambda: people)
    monkeypatch.setattr(viewers.time, "monotonic", lambda: now[0])
    for number in range(MANY - 1):
        people.looked(f"student {number}", 0.0)
    assert poll_interval(2.0) == 2.0, "the tenth"
    people.looked("one more", 0.0)
    assert poll_interval(2.0) == 2.0 * SLOWER
    now[0] = 60.0
    assert poll_interval(2.0) == 2.0
