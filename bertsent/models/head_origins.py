"""Where the head of a model that fills in words comes from, in words. Loads no torch."""

from collections.abc import Mapping

SHIPPED, OWN, RANDOM = "shipped", "own", "random"
BEGINS: Mapping[str, str] = {
    SHIPPED: "It began with the head that ships for the built-in encoder, and with the last layers "
    "as they were trained together with it.",
    OWN: "It began with the head that came with the encoder.",
    RANDOM: "It began with a random head: this encoder came without one.",
}
