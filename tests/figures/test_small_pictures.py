import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from bertsent.figures.small_pictures import HEIGHT, WIDTH, data_uri, heads_picture, map_picture
from bertsent.probing.heads.attention_maps import AttentionMaps

BRIGHTEST, DARKEST, FRAME = (254, 232, 56), (0, 34, 78), (0xE6, 0x9F, 0x00)


def maps(layers: int, heads: int, size: int) -> AttentionMaps:
    weights = np.zeros((layers, heads, size, size), np.float32)
    weights[1, 2, 0, size - 1] = 0.8  # the largest of all
    weights[0, 0] = 0.4
    return AttentionMaps(("t",) * size, (False,) * size, weights)


@pytest.mark.parametrize("size", [2, 7, 64, 300])
def test_every_head_is_a_tile_on_one_range(size: int) -> None:
    """Read back by another library: the brightest pixel is where the largest weight is."""
    picture = Image.open(io.BytesIO(heads_picture(maps(3, 4, size), (1, 2)))).convert("RGBA")
    pixels = np.asarray(picture)
    brightest = np.argwhere((np.abs(pixels[..., :3].astype(int) - BRIGHTEST) <= 4).all(-1))
    assert len(brightest)
    row, column = brightest[0]
    assert row * 3 // picture.height == 1 and column * 4 // picture.width == 2
    assert (pixels[..., :3] == FRAME).all(-1).any() and (pixels[..., 3] == 0).any()
    darkest = (np.abs(pixels[..., :3].astype(int) - DARKEST) <= 4).all(-1)
    middle = (picture.height // 6, picture.width // 8)  # of the first tile
    assert darkest[-1 - middle[0], -1 - middle[1]]  # the last head has no attention
    assert not darkest[middle]  # the first has half of the largest
    assert max(picture.size) < 700


def test_the_star_lies_where_it_belongs_and_the_map_grows_for_it() -> None:
    points = pd.DataFrame(
        {"x": [0.0, 1.0, 0.5], "y": [0.0, 1.0, 0.5], "label": ["NEGATIVE", "POSITIVE", "POSITIVE"]}
    )
    for place, corner in (((2.0, 2.0), (1, 0)), ((-1.0, -1.0), (0, 1))):
        svg = ElementTree.fromstring(map_picture(points, place))
        positive, negative, *_, star = [path.attrib["d"] for path in svg]
        assert positive.count("M") == 2 and negative.count("M") == 1
        x, y = map(float, star[1:].split("L")[0].split())  # its upper point
        assert abs(x / WIDTH - corner[0]) < 0.06 and abs(y / HEIGHT - corner[1]) < 0.2
        numbers = [float(n) for n in star.strip("Mz").replace("L", " ").split()]
        assert all(0 <= n <= WIDTH for n in numbers)


def test_equal_places_do_not_break_it() -> None:
    points = pd.DataFrame({"x": [1.0], "y": [1.0], "label": ["POSITIVE"]})
    assert "nan" not in map_picture(points, (1.0, 1.0))


def test_a_picture_carries_itself() -> None:
    assert data_uri(b"\x89PNG").startswith("data:image/png;base64,")
    assert data_uri("<svg/>").startswith("data:image/svg+xml;base64,")
