"""Class: a room for the students' phones, what it may do, and what it is asked."""

from bertsent.ui.class_hour.page import show_class
from bertsent.ui.shared.frame import CLASS, frame

with frame(CLASS) as row:
    show_class(row)
