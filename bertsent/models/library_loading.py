"""A lock around every ``from_pretrained`` of transformers for a model.

While the library loads one, it replaces ``PreTrainedModel.tie_weights`` for the whole process and
puts it back afterwards (``initialization.no_tie_weights``, 5.23). Two threads that load at once can
leave the empty replacement behind: from then on the decoder of a language model stays random.
"""

from threading import RLock

MODEL_LOADING = RLock()
