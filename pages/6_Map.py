"""Map: a set of reviews, one model, and where it places each of them."""

from bertsent.ui.map.page import show_map
from bertsent.ui.shared.frame import MAP, frame

with frame(MAP) as row:
    show_map(row)
