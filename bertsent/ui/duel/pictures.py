"""A figure in the browser in, a picture file out: the one button that a figure of the duel carries."""


def picture_button(name: str) -> dict[str, object]:
    """Plotly's settings for a figure whose only button saves it as a PNG twice as fine as the screen."""
    options = {"format": "png", "filename": f"bertsent-{name}", "scale": 2}
    return {"displaylogo": False, "modeBarButtons": [["toImage"]], "toImageButtonOptions": options}
