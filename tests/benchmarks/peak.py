"""What of a device's peak a training of bert-base reaches, and what bert-base answers there: on the
graphics card where there is one, else on the processor.

The peak is that of a large matrix product in the format that a training chooses. A step needs 6N +
12·L·d·T floating point operations a token (Chowdhery et al. 2022, appendix B) for L layers that are
d wide, T tokens and the N weights of the layers; what the device computes besides counts as lost.
The weights are random: speed does not depend on them.
"""

import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.reviews import long_reviews, typed_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import interleaved, seconds

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

    from bertsent.data.examples import Splits
    from bertsent.models.task_model import BertForTask

LENGTH, SEED = 256, 42
WARM = 0.3  # of the steps; the first ones choose kernels and fill caches
SIZES = {"cuda": 8_192, "cpu": 2_048}  # of the matrices
BATCHES = {"cuda": 64, "cpu": 8}
ANSWERED = {"cuda": 512, "cpu": 128}  # reviews


def rows(quick: bool) -> list[Row]:
    """Matrix product, training and its share of the peak, memory, prediction, vectors."""
    found = run_in_child("peak", "measure", quick=quick)
    many = 64 if quick else ANSWERED[found["device"]]
    answers = run_in_child("peak", "measure_answers", many=many)
    step = (
        f"bert-base, {found['batch']} texts of {LENGTH} tokens a step, {found['format']}, fused "
        f"attention and AdamW; median of {found['steps']} steps"
    )
    held = "on the card" if found["device"] == "cuda" else "libraries included"
    one = f"typed reviews one by one, median of {answers['singles']}, fp32"
    return [
        Row(
            f"matrix product in {found['format']}",
            "TFLOP/s",
            found["peak"] / 1e12,
            None,
            f"{found['size']:,} × {found['size']:,}, best of {found['turns']}",
            more_is_better=True,
        ),
        Row("fine-tuning bert-base", "tokens/s", found["speed"], None, step, more_is_better=True),
        Row("  share of that peak", "%", found["share"], None, "on a card to be 40 % or more"),
        Row("  its memory", "MiB", found["memory"] / 2**20, None, f"most of it, {held}"),
        Row("  one review", "ms", answers["one"] * 1000, None, one),
        Row(
            "  many long reviews",
            "texts/s",
            answers["many"],
            None,
            f"{answers['count']} of {long_reviews().name}, cut at {LENGTH} tokens, fp32",
            more_is_better=True,
        ),
        Row(
            "  their vectors",
            "texts/s",
            answers["vectors"],
            None,
            "[CLS] of the same ones",
            more_is_better=True,
        ),
    ]


def measure(quick: bool) -> dict[str, object]:
    """The peak, and a training in a process that is set up as a worker is."""
    from bertsent.models.backbone import load_backbone
    from bertsent.training.config import TrainingConfig
    from bertsent.training.events import Stepped
    from bertsent.training.loop import train
    from bertsent.training.precision import choose_device, choose_precision
    from bertsent.training.process import keep_freed_memory, used_memory

    keep_freed_memory()
    device = choose_device()
    precision = choose_precision("auto", device).precision
    turns, steps = (5, 6) if quick else (20, 60 if device == "cuda" else 12)
    peak = peak_of(device, precision, SIZES[device], turns)
    config = TrainingConfig(
        epochs=1, batch_size=BATCHES[device], max_length=LENGTH, seed=SEED, precision=precision
    )
    model, tokenizer = bert_base(), load_backbone("builtin").tokenizer
    began, each = time.perf_counter(), []
    for event in train(model, tokenizer, _splits(steps * config.batch_size), config, device=device):
        now = time.perf_counter()
        if isinstance(event, Stepped):
            each.append(event.tokens / (now - began))
        began = now
    timed = each[int(WARM * len(each)) :]
    speed = statistics.median(timed)
    return {
        "device": device,
        "format": precision,
        "size": SIZES[device],
        "turns": turns,
        "peak": peak,
        "batch": config.batch_size,
        "steps": len(timed),
        "speed": speed,
        "share": speed * operations_of_token(model.bert.config, LENGTH) / peak,
        "memory": used_memory(device, peak=True),
    }


def measure_answers(many: int) -> dict[str, float]:
    """Seconds for one typed review, and texts a second of many: answered, and as vectors."""
    from bertsent.models.backbone import load_backbone
    from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
    from bertsent.probing.loaded_model import load_folder
    from bertsent.training.precision import choose_device

    texts, short = long_reviews().texts[:many], typed_reviews(many)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "bert-base"
        tokenizer = load_backbone("builtin").tokenizer
        save_checkpoint(place, bert_base(), tokenizer, CheckpointCard(max_length=LENGTH))
        model = load_folder(place, device=choose_device())
        one = interleaved({"one": lambda turn: model.predict([short[turn]])}, many, warm_up=10)
        took = {
            "many": seconds(lambda: model.predict(texts)),
            "vectors": seconds(lambda: model.embed_and_answer(texts, pooling="cls", layer=-1)),
        }
    return {
        **one,
        **{what: many / spent for what, spent in took.items()},
        "singles": many,
        "count": many,
    }


def peak_of(device: str, precision: str, size: int, turns: int) -> float:
    """Floating point operations a second of the fastest of some square matrix products."""
    import torch

    numbers = torch.bfloat16 if precision == "bf16" else torch.float32
    first, second = (torch.randn(size, size, device=device, dtype=numbers) for _ in range(2))

    def product() -> None:
        torch.mm(first, second)
        if device == "cuda":
            torch.cuda.synchronize()

    product()
    return 2 * size**3 / min(seconds(product) for _ in range(turns))


def operations_of_token(shape: "PreTrainedConfig", tokens: int) -> float:
    """Floating point operations that a step of training needs for each token of texts so long."""
    wide, layers = shape.hidden_size, shape.num_hidden_layers
    weights = layers * (4 * wide**2 + 2 * wide * shape.intermediate_size)
    return 6 * weights + 12 * layers * wide * tokens


def bert_base() -> "BertForTask":
    """BERT-base (Devlin et al. 2019) with random weights."""
    import torch
    from transformers import BertConfig, BertModel

    from bertsent.models.fused_attention import FUSED
    from bertsent.models.task_model import BertForTask

    torch.manual_seed(SEED)
    encoder = BertModel(BertConfig(), add_pooling_layer=False)
    encoder.set_attn_implementation(FUSED)
    return BertForTask(encoder)


def _splits(count: int) -> "Splits":
    """Texts that all fill ``LENGTH`` tokens, and two to be judged on."""
    from bertsent.data.examples import Example, Reviews, Splits

    words = " ".join(long_reviews().texts[:500]).split()
    texts = (" ".join(words[place : place + LENGTH]) for place in range(count + 2))
    made = tuple(Example(f"text-{i}", text, i % 2) for i, text in enumerate(texts))
    return Splits(Reviews("long", made[2:]), Reviews("judged", made[:2]))
