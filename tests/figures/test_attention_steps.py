"""The pictures of the steps hold the very numbers they were given."""

import numpy as np

from bertsent.figures.attention_steps import (
    direction_maps,
    head_shares,
    token_blocks,
)

WORDS = ("[CLS]", "<b>not</b>", "$very$", "good", "[SEP]")
RNG = np.random.default_rng(0)


def test_blocks_keep_every_number_and_the_chosen_one_is_outlined() -> None:
    blocks = {f"H{n}": RNG.normal(size=(5, 4)) for n in (1, 2, 3)}
    figure = token_blocks(WORDS, blocks, chosen="H2", together=True)
    (cells,), (box,) = figure.data, figure.layout.shapes
    first, last = round(box.x0 + 0.5), round(box.x1 + 0.5)
    np.testing.assert_allclose(cells.customdata[:, first:last], blocks["H2"], rtol=1e-6)
    assert np.isfinite(cells.z).sum() == 60 and np.nanmax(np.abs(cells.z)) == 1
    assert len(set(cells.x)) == len(cells.x) == cells.z.shape[1]
    assert "<b>not" not in figure.to_json().replace("\\u003c", "<")


def test_what_the_heads_add_stands_token_by_token() -> None:
    shares = RNG.random((3, 5))
    dark, bright = (np.asarray(trace.z) for trace in head_shares(WORDS, shares, 2).data)
    np.testing.assert_allclose(np.where(np.isnan(dark), bright, dark), shares.T, rtol=1e-6)


def test_what_the_mask_hides_is_empty() -> None:
    both, causal = RNG.random((5, 5)), np.tril(RNG.random((5, 5)))
    figure = direction_maps(WORDS, both, causal, np.linspace(0, 1, 5), place=1)
    dark, bright, cosines = figure.data
    shown = np.where(np.isnan(dark.z), bright.z, dark.z)
    np.testing.assert_allclose(shown[:, :5], both, rtol=1e-6)
    assert np.isnan(shown[:, 6:11][np.triu_indices(5, 1)]).all()
    np.testing.assert_allclose(
        shown[:, 6:11][np.tril_indices(5)], causal[np.tril_indices(5)], rtol=1e-6
    )
    assert list(cosines.text) == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert len(figure.layout.shapes) == 2
    assert not direction_maps(WORDS, both, causal, np.ones(5), place=None).layout.shapes
