"""Heads of several tasks against torch worked out by hand, on the tiny encoder."""

import itertools

import pytest
import torch
from torch.nn.functional import cosine_similarity

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, load_checkpoint, save_checkpoint
from bertsent.models.head_options import HeadOptions
from bertsent.models.head_shapes import head_shapes
from bertsent.models.multitask_model import BertForPart, BertForTasks
from bertsent.models.two_texts import apart, token_overlap
from bertsent.tasks.mixed import THREE_TASKS
from bertsent.text.batches import collate

PAIRS = [
    ("a warm and funny film", "the film is funny and warm"),
    ("boring", "a long, long evening with no fun"),
]
SINGLE = ("great fun", "")


@pytest.fixture
def encoder(tiny_backbone):
    return load_backbone(str(tiny_backbone))


def _model(encoder, pooling="mean", **options) -> BertForTasks:
    torch.manual_seed(5)
    return BertForTasks(encoder.model, THREE_TASKS, pooling, 0.1, HeadOptions(**options)).eval()


def _batch(encoder, inputs):
    rows = encoder.tokenizer.input_ids(inputs, 64)
    batch = collate(rows, range(len(rows)), pad_id=encoder.tokenizer.pad_id, limit=64)
    return batch.input_ids, batch.attention_mask, batch.segments(encoder.tokenizer.sep_id)


@torch.no_grad()
def _vector(encoder, text: str, pooling: str) -> torch.Tensor:
    """The text alone through the encoder, without padding."""
    ids = torch.tensor(encoder.tokenizer.ids([text], 64))
    hidden = encoder.model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0]
    return hidden.mean(0) if pooling == "mean" else hidden[0]


def test_two_texts_of_a_row_are_read_apart(encoder) -> None:
    ids, mask = apart(*_batch(encoder, [SINGLE, *PAIRS]))
    found = [row[real.bool()].tolist() for row, real in zip(ids, mask, strict=True)]
    texts = [SINGLE[0], *(first for first, _ in PAIRS), *(second for _, second in PAIRS)]
    assert found == encoder.tokenizer.ids(texts, 64)


def test_the_overlap_is_that_of_the_sets_of_tokens(encoder) -> None:
    tokenizer = encoder.tokenizer
    found = token_overlap(*_batch(encoder, PAIRS), encoder.model.config.vocab_size)
    sets = [[set(ids[1:-1]) for ids in tokenizer.ids(pair, 64)] for pair in PAIRS]
    assert found.tolist() == pytest.approx([len(a & b) / len(a | b) for a, b in sets])
    assert found[0] > 0.4


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@torch.no_grad()
def test_the_baseline_heads_by_hand(encoder, pooling) -> None:
    model = _model(encoder, pooling)
    logits = model(*_batch(encoder, [SINGLE, *PAIRS]))
    assert logits[0, 5:].abs().sum() == 0 and logits[1:, :5].abs().sum() == 0
    heads = model.heads.parts
    single = heads["0"](_vector(encoder, SINGLE[0], pooling))
    assert torch.allclose(logits[0, :5], single, atol=1e-5)
    for row, pair in zip(logits[1:], PAIRS, strict=True):
        u, v = (_vector(encoder, text, pooling) for text in pair)
        z = heads["1"]((u - v).abs())
        assert row[5] == 0 and torch.allclose(row[6], z, atol=1e-5)
        assert row[5:7].softmax(0)[1] == pytest.approx(z.sigmoid().item(), abs=1e-5)
        cosine = cosine_similarity(u, v, dim=0)
        assert row[7] == pytest.approx(5 * cosine.item(), abs=1e-4)  # as it begins


@torch.no_grad()
def test_the_improved_heads_by_hand(encoder) -> None:
    model = _model(encoder, heads="feed-forward", jaccard=True)
    for head in model.heads.parts.values():  # statistics and weights that are not the first ones
        head.norm.running_mean.uniform_(-0.5, 0.5)
        head.norm.running_var.uniform_(0.5, 2)
        head.norm.weight.uniform_(0.5, 2)
    first, second = PAIRS[0]
    logits = model(*_batch(encoder, [PAIRS[0], SINGLE]))
    u, v = _vector(encoder, first, "mean"), _vector(encoder, second, "mean")
    sets = [set(ids[1:-1]) for ids in encoder.tokenizer.ids([first, second], 64)]
    jaccard = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
    x = torch.cat([(u - v).abs(), torch.tensor([jaccard])])

    def by_hand(head, x):
        hidden = head.hidden.weight @ x + head.hidden.bias
        norm = head.norm
        scaled = (hidden - norm.running_mean) / (norm.running_var + norm.eps).sqrt()
        kept = (scaled * norm.weight + norm.bias).clamp(min=0)
        return head.out.weight @ (x + kept) + head.out.bias

    parts = model.heads.parts
    assert torch.allclose(logits[0, 6], by_hand(parts["1"], x), atol=1e-4)
    alike = 5 * by_hand(parts["2"], x).sigmoid()
    assert torch.allclose(logits[0, 7], alike, atol=1e-4)
    w = _vector(encoder, SINGLE[0], "mean")
    assert torch.allclose(logits[1, :5], by_hand(parts["0"], w), atol=1e-4)


@pytest.mark.parametrize("heads", ["linear", "feed-forward"])
@torch.no_grad()
def test_swapping_the_texts_moves_the_answer_of_a_signed_difference_alone(encoder, heads) -> None:
    turned = [(second, first) for first, second in PAIRS]
    for difference, same in (("absolute", True), ("signed", False)):
        model = _model(encoder, heads=heads, difference=difference, jaccard=True)
        one, other = (model(*_batch(encoder, pairs))[:, 5:7] for pairs in (PAIRS, turned))
        assert torch.allclose(one, other, atol=1e-5) is same
    linear = _model(encoder, difference="signed").heads.parts["1"]  # u − v and v − u: 2b in all
    x = torch.randn(64 if linear.in_features == 64 else linear.in_features)
    assert linear(x) + linear(-x) == pytest.approx(2 * linear.bias.item(), abs=1e-5)


@torch.no_grad()
def test_a_shared_network_answers_both_questions_with_one_number(encoder) -> None:
    model = _model(encoder, heads="feed-forward", share_pairs=True)
    assert set(model.heads.parts) == {"0", "pairs"}
    logits = model(*_batch(encoder, PAIRS))
    same = logits[:, 5:7].softmax(1)[:, 1]
    assert torch.allclose(logits[:, 7], 5 * same, atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"jaccard": True}, {"share_pairs": True}], ids=str)
@pytest.mark.parametrize("heads", ["linear", "feed-forward"])
def test_the_parameters_are_counted_without_building_the_heads(encoder, heads, options) -> None:
    model = _model(encoder, heads=heads, **options)
    shapes = head_shapes(THREE_TASKS, encoder.model.config.hidden_size, model.heads.options)
    counted = sum(shape.parameters(model.heads.options) for shape in shapes.values())
    assert counted == sum(parameter.numel() for parameter in model.heads.parameters())


def test_a_single_row_can_be_trained_on_under_batch_norm(encoder) -> None:
    model = _model(encoder, heads="feed-forward").train()
    loss = model(*_batch(encoder, [SINGLE, PAIRS[0]])).sum()
    loss.backward()
    assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in model.parameters())


@torch.no_grad()
def test_a_part_answers_as_the_whole_does(encoder) -> None:
    model = _model(encoder, heads="feed-forward")
    inputs = _batch(encoder, PAIRS)
    assert torch.equal(BertForPart(model, "paraphrase")(*inputs), model(*inputs)[:, 5:7])
    assert BertForPart(model, "similarity").bert is model.bert
    with pytest.raises(BadInput):
        BertForPart(model, "aspects")


OPTIONS = itertools.product(("linear", "feed-forward"), (True, False), ("cls", "mean"))


@pytest.mark.parametrize(("heads", "share", "pooling"), OPTIONS)
@torch.no_grad()
def test_a_checkpoint_keeps_every_bit_and_its_card_the_options(
    encoder, tmp_path, heads, share, pooling
) -> None:
    options = {"heads": heads, "share_pairs": share, "jaccard": True, "difference": "signed"}
    model = _model(encoder, pooling, **options)
    for name, tensor in model.classifier.state_dict().items():
        if "running" in name:
            tensor.uniform_(0.5, 2)
    save_checkpoint(tmp_path / "step-1", model, encoder.tokenizer, CheckpointCard(max_length=64))
    found = load_checkpoint(tmp_path / "step-1")
    assert found.card.head_options == options and not found.card.stock
    own, again = model.state_dict(), found.model.state_dict()
    assert own.keys() == again.keys() and all(torch.equal(own[name], again[name]) for name in own)
    inputs = _batch(encoder, [SINGLE, *PAIRS])
    assert torch.equal(found.model(*inputs), model(*inputs))


def test_unknown_options_on_a_card_are_refused(encoder, tmp_path) -> None:
    model = _model(encoder)
    save_checkpoint(tmp_path / "step-1", model, encoder.tokenizer, CheckpointCard(max_length=64))
    card = tmp_path / "step-1" / "bertsent.json"
    card.write_text(card.read_text().replace('"linear"', '"cubic"'))
    with pytest.raises(BadCheckpoint):
        load_checkpoint(tmp_path / "step-1")
