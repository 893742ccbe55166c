"""What the server of workers does once before it forks them: load the libraries, and build what
transformers builds on first use.
"""

from contextlib import suppress

import pyarrow.parquet  # noqa: F401
import sklearn.metrics  # noqa: F401
from transformers import BertModel, BertTokenizerFast  # noqa: F401

import bertsent.training.build
import bertsent.training.checkpoint_store
import bertsent.training.loop
import bertsent.training.worker  # noqa: F401

with suppress(Exception):  # nothing depends on it but time
    from transformers.conversion_mapping import get_checkpoint_conversion_mapping

    get_checkpoint_conversion_mapping("bert")
