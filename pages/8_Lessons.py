"""Lessons: what a class walks through in an hour, and the quiz at the end of each."""

from bertsent.ui.lessons.catalogue import show_catalogue
from bertsent.ui.lessons.end import show_end
from bertsent.ui.lessons.running import running_lesson
from bertsent.ui.shared.frame import LESSONS, frame

with frame(LESSONS) as row:
    found = running_lesson()
    if found and found.step is None:
        show_end(found, row)
    else:
        show_catalogue(row)
