"""What the Hub lists of a model or data set in, a ``DownloadPlan`` of the files worth downloading
out, or the reason why there is none.

Only the download process (``hub_worker``) calls this: it speaks to the Hub.
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
    """Ask the Hub what there is and choose from it.

    Raises:
        BadInput: it has nothing that is read here, or is too big. And whatever the Hub client
            raises, see ``explain``.
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
        absent = "are pickles" if pickled else "are not there as model.safetensors"
        raise BadInput(
            f"{name}: its weights {'are split over several files' if sharded else absent}, which "
            "are not read here.",
            "Choose a model that has one model.safetensors.",
        )
    if "config.json" not in listing or not any(file in listing for file in TOKENIZERS):
        raise BadInput(
            f"{name} has no config.json or no tokenizer, so it is no BERT model.",
            "Choose another one.",
        )
    files = {file: listing[file] for file in MODEL_FILES if file in listing}
    if sum(files.values()) > MODEL_LIMIT:
        size = sum(files.values()) / 2**30
        raise BadInput(
            f"{name} has {size:.1f} GB; the limit is {MODEL_LIMIT / 2**30:.0f} GB.",
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
    if not groups:
        raise BadInput(
            f"{name} has no training split as Parquet.",
            "Bring the reviews as a CSV or Parquet file.",
        )
    if len(groups) > 1:
        parts = ", ".join((part + split)[:40] for part, split in list(groups)[:6])
        raise BadInput(
            f"{name} has several training splits ({parts}).", "Bring the one you mean as a file."
        )
    (files,) = groups.values()
    if sum(files.values()) > LIMITS.upload_bytes:
        size, limit = sum(files.values()) / 2**20, LIMITS.upload_bytes // 2**20
        raise BadInput(
            f"The training split of {name} has {size:,.0f} MB; the limit is {limit} MB.",
            "Bring a sample of it as a file.",
        )
    return files


def hub_unreachable(kind: str, *, answered: bool = False) -> NotAvailable:
    """The sentence for a Hub that is away, with the ways out."""
    what = "does not answer" if answered else "cannot be reached from this machine"
    ways = (
        "Use the built-in backbone or a local model folder"
        if kind == "model"
        else "Use the built-in reviews, or bring yours as a file"
    )
    return NotAvailable(f"The Hugging Face Hub {what}.", f"{ways}, or try again with a network.")


def explain(error: Exception, kind: str, name: str) -> BertsentError:
    """Say in words for a person why a download failed."""
    from httpx2 import ConnectError, HTTPError
    from huggingface_hub.errors import FileMetadataError, HfHubHTTPError, LocalEntryNotFoundError

    if isinstance(error, BertsentError):
        return error
    causes = list(_causes(error))
    if any(getattr(cause, "errno", None) in (errno.ENOSPC, errno.EDQUOT) for cause in causes):
        return NotAvailable(f"The disk is full: {name} does not fit.", "Make room, then try again.")
    for cause in causes:
        if isinstance(cause, HfHubHTTPError):
            return _refused_by_hub(cause, kind, name)
        if isinstance(cause, FileMetadataError):
            return _not_the_hub()
        if isinstance(cause, ConnectError | ConnectionError):
            return hub_unreachable(kind)
    silent = HTTPError | TimeoutError | LocalEntryNotFoundError
    if any(isinstance(cause, silent) for cause in causes):
        return hub_unreachable(kind, answered=True)
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    return NotAvailable(f"The download of {name} failed: {reason}", "Start it again.")


def _refused_by_hub(error: "HfHubHTTPError", kind: str, name: str) -> NotAvailable:
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    code = error.response.status_code
    missing = isinstance(error, RepositoryNotFoundError) and not isinstance(error, GatedRepoError)
    if missing or code == 404:
        noun = "model" if kind == "model" else "data set"
        return NotAvailable(
            f"The Hub has no public {noun} {name}.",
            "Check the spelling; for a private one log in with `hf auth login`.",
        )
    if code in (401, 403):
        remedy = "Accept its terms on the Hub, log in here with `hf auth login`, then try again."
        return NotAvailable(
            f"{name} is gated or private: the Hub does not give it to everyone.", remedy
        )
    return NotAvailable(f"The Hub answered with error {code}.", "Try again in a few minutes.")


def _not_the_hub() -> NotAvailable:
    return NotAvailable(
        "What answers is not the Hub: perhaps the sign-in page of this network.",
        "Sign in there, then try again.",
    )


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
        raise error if isinstance(error, HfHubHTTPError) else _not_the_hub() from error
    return (
        info.id,
        info.sha or "main",
        {file.rfilename: file.size or 0 for file in info.siblings or ()},
    )
