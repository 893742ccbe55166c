"""The Hub's listing of a model or data set in, a ``DownloadPlan`` of the files to download out, or
the reason why there is none.

Only the download process (``hub_worker``) calls this: it contacts the Hub.
"""

import errno
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bertsent.errors import BadInput, BertsentError, NotAvailable
from bertsent.settings import LIMITS

if TYPE_CHECKING:
    from huggingface_hub.errors import HfHubHTTPError

WEIGHTS = "model.safetensors"
TOKENIZERS = ("tokenizer.json", "vocab.txt")
MODEL_FILES = (
    "config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    *TOKENIZERS,
    "README.md",
    WEIGHTS,
)
MODEL_LIMIT = 5 * 2**30
_TRAIN = re.compile(
    r"(?P<part>(?:[^/]+/)*?)(?P<split>train[^/]*?)(?:-\d{5}-of-\d{5}(?:-[0-9a-f]+)?|/\d+)?\.parquet"
)
_USUAL_PARTS = ("", "data/", "default/", "plain_text/")
_NOT_THE_HUB = (
    "The answer does not come from the Hub: perhaps it is the sign-in page of this network.",
    "Sign in there, then try again.",
)
# the branch where the Hub itself keeps Parquet copies of CSV and JSON data sets
_CONVERTED = "refs/convert/parquet"


@dataclass(frozen=True)
class DownloadPlan:
    """What will be downloaded: ``files`` maps paths to bytes, ``revision`` is one commit, so that
    the files fit together.
    """

    kind: str
    hub_id: str
    revision: str
    files: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.files.values())

    def sentence(self) -> str:
        files = "1 file" if len(self.files) == 1 else f"{len(self.files)} files"
        return f"{files}, {self.total / 2**20:,.1f} MB"


def plan_download(kind: str, name: str) -> DownloadPlan:
    """Ask the Hub for its files and choose from them.

    Raises:
        BadInput: there is nothing usable, or too much. And whatever the Hub client raises, see
            ``explain``.
    """
    from huggingface_hub.errors import RevisionNotFoundError

    hub_id, revision, listing = _ask(kind, name, None)
    if kind == "model":
        return DownloadPlan(kind, hub_id, revision, choose_model_files(listing, name))
    if not any(map(_TRAIN.fullmatch, listing)):
        with suppress(RevisionNotFoundError):
            hub_id, revision, listing = _ask(kind, name, _CONVERTED)
    return DownloadPlan(kind, hub_id, revision, choose_train_files(listing, name))


def choose_model_files(listing: dict[str, int], name: str) -> dict[str, int]:
    """Of all files of a model, those that are read here, the weights last.

    Raises:
        BadInput: no configuration, tokenizer or safetensors, weights in several files, or too big.
    """
    if WEIGHTS not in listing:
        sharded = any(file.endswith(".safetensors.index.json") for file in listing)
        pickled = any(file.endswith((".bin", ".pt", ".pth", ".ckpt")) for file in listing)
        absent = "pickles" if pickled else f"not in {WEIGHTS}"
        raise BadInput(
            f"The weights of {name} are {'split over several files' if sharded else absent}, which "
            "is not supported.",
            f"Choose a model with one {WEIGHTS}.",
        )
    BadInput.raise_if(
        "config.json" not in listing or not listing.keys() & set(TOKENIZERS),
        f"{name} is not a BERT model: it has no config.json or no tokenizer.",
        "Choose another one.",
    )
    files = {file: listing[file] for file in MODEL_FILES if file in listing}
    size = sum(files.values())
    BadInput.raise_if(
        size > MODEL_LIMIT,
        f"{name} has {size / 2**30:.1f} GB; the limit is {MODEL_LIMIT / 2**30:.0f} GB.",
        "Choose a smaller one.",
    )
    return files


def choose_train_files(listing: dict[str, int], name: str) -> dict[str, int]:
    """Of all files of a data set, the Parquet shards of its one training split, in order.

    Raises:
        BadInput: it has none, several that are not the same, or too big a one.
    """
    groups: dict[tuple[str, str], dict[str, int]] = {}
    for file in sorted(listing):
        if (match := _TRAIN.fullmatch(file)) and ".." not in file:
            groups.setdefault((match["part"], match["split"]), {})[file] = listing[file]
    for keep in (lambda part, split: split == "train", lambda part, split: part in _USUAL_PARTS):
        groups = {key: files for key, files in groups.items() if keep(*key)} or groups
    BadInput.raise_if(
        not groups,
        f"{name} has no training split in Parquet format.",
        "Use a CSV or Parquet file with its reviews.",
    )
    parts = ", ".join((part + split)[:40] for part, split in list(groups)[:6])
    BadInput.raise_if(
        len(groups) > 1,
        f"{name} has several training splits ({parts}).",
        "Use the one you mean as a file.",
    )
    (files,) = groups.values()
    size, limit = sum(files.values()) / 2**20, LIMITS.upload_bytes / 2**20
    BadInput.raise_if(
        size > limit,
        f"The training split of {name} has {size:,.0f} MB; the limit is {limit:.0f} MB.",
        "Use a sample of it as a file.",
    )
    return files


def hub_unreachable(kind: str, *, answered: bool = False) -> NotAvailable:
    """The error for a Hub that is away, with the alternatives."""
    what = "does not answer" if answered else "cannot be reached from this machine"
    instead = (
        "Use the built-in backbone or a local model folder"
        if kind == "model"
        else "Use the built-in reviews or a file"
    )
    return NotAvailable(f"The Hugging Face Hub {what}.", f"{instead}, or try again with a network.")


def explain(error: Exception, kind: str, name: str) -> BertsentError:
    """Turn what went wrong into an error that says why the download failed."""
    from httpx2 import ConnectError, HTTPError
    from huggingface_hub.errors import FileMetadataError, HfHubHTTPError, LocalEntryNotFoundError

    if isinstance(error, BertsentError):
        return error
    causes = list(_causes(error))
    if any(getattr(cause, "errno", None) in (errno.ENOSPC, errno.EDQUOT) for cause in causes):
        return NotAvailable(
            f"The disk is full: {name} does not fit.", "Free some space, then try again."
        )
    for cause in causes:
        if isinstance(cause, HfHubHTTPError):
            return _refused_by_hub(cause, kind, name)
        if isinstance(cause, FileMetadataError):
            return NotAvailable(*_NOT_THE_HUB)
        if isinstance(cause, ConnectError | ConnectionError):
            return hub_unreachable(kind)
    silent = HTTPError | TimeoutError | LocalEntryNotFoundError
    if any(isinstance(cause, silent) for cause in causes):
        return hub_unreachable(kind, answered=True)
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    return NotAvailable(f"The download of {name} failed: {reason}", "Try again.")


def _refused_by_hub(error: "HfHubHTTPError", kind: str, name: str) -> NotAvailable:
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    code = error.response.status_code
    missing = isinstance(error, RepositoryNotFoundError) and not isinstance(error, GatedRepoError)
    if missing or code == 404:
        return NotAvailable(
            f"The Hub has no public {'model' if kind == 'model' else 'data set'} {name}.",
            "Check the spelling; for a private one log in with `hf auth login`.",
        )
    if code in (401, 403):
        return NotAvailable(
            f"{name} is gated or private.",
            "Accept its terms on the Hub, log in with `hf auth login`, then try again.",
        )
    return NotAvailable(f"The Hub answered with error {code}.", "Try again in a few minutes.")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(10):  # chains can be circular
        if error is None:
            return
        yield error
        error = error.__cause__


def _ask(kind: str, name: str, revision: str | None) -> tuple[str, str, dict[str, int]]:
    """The Hub's own name for it, its newest commit and all its files with their sizes."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HfHubHTTPError

    ask = HfApi().model_info if kind == "model" else HfApi().dataset_info
    try:
        seconds = constants.HF_HUB_ETAG_TIMEOUT
        info = ask(name, revision=revision, timeout=seconds, files_metadata=True)
    except (ValueError, KeyError, TypeError) as error:  # a page instead of the Hub's JSON
        if isinstance(error, HfHubHTTPError):
            raise
        raise NotAvailable(*_NOT_THE_HUB) from error
    return (
        info.id,
        info.sha or "main",
        {file.rfilename: file.size or 0 for file in info.siblings or ()},
    )
