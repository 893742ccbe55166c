"""The three kinds of file that a drawn figure is taken away as."""

from typing import Literal

Form = Literal["png", "svg", "html"]
MIMES: dict[Form, str] = {"png": "image/png", "svg": "image/svg+xml", "html": "text/html"}
WORDS: dict[Form, str] = {"png": "PNG", "svg": "SVG", "html": "HTML, works offline"}
