"""Several tasks and options in, the heads that they need out: which there are, what each reads and
gives, and how many parameters it has. Loads no torch.
"""

from dataclasses import dataclass

from bertsent.models.head_options import HeadOptions
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, Rating, Task

SHARED = "pairs"  # the name of the network that paraphrase and similarity share


@dataclass(frozen=True)
class HeadShape:
    """A head that reads ``inputs`` numbers and gives ``outputs``; ``by_cosine`` says that the first
    number that it reads is the cosine of two texts' vectors.
    """

    inputs: int
    outputs: int
    by_cosine: bool = False

    def parameters(self, options: HeadOptions) -> int:
        """Weights and biases: of one linear map, or of two with batch-norm in between."""
        linear = (self.inputs + 1) * self.outputs
        if options.heads == "linear":
            return linear
        return (self.inputs + 1) * self.inputs + 2 * self.inputs + linear


def is_two_labels(part: Task) -> bool:
    """Whether a task says of two texts one of two things, for which one logit is enough."""
    return part.reads == "two texts" and isinstance(part, OneLabel) and part.outputs == 2


def head_name(task: MixedTask, place: int, options: HeadOptions) -> str:
    """The name of the head of a part."""
    part = task.parts[place]
    fits = isinstance(part, Rating) or is_two_labels(part)
    shared = options.share_pairs and part.reads == "two texts" and fits
    return SHARED if shared else str(place)


def head_shapes(task: MixedTask, width: int, options: HeadOptions) -> dict[str, HeadShape]:
    """The heads by name, over vectors of that width."""
    return {
        head_name(task, place, options): _shape(part, width, options)
        for place, part in enumerate(task.parts)
    }


def _shape(part: Task, width: int, options: HeadOptions) -> HeadShape:
    pairs, outputs = part.reads == "two texts", 1 if is_two_labels(part) else part.outputs
    if pairs and isinstance(part, Rating) and options.heads == "linear" and not options.share_pairs:
        return HeadShape(1 + options.jaccard, outputs, by_cosine=True)
    return HeadShape(width + (pairs and options.jaccard), outputs)
