"""Loading models from several threads at once leaves the library as it was."""

from concurrent.futures import ThreadPoolExecutor

from bertsent.models.backbone import load_backbone


def test_weights_are_still_tied_after_loading_from_many_threads() -> None:
    """Eight threads that loaded at once left ``tie_weights`` an empty function for the rest of the
    process: the decoder of every later language model stayed random.
    """
    from transformers import PreTrainedModel

    before = PreTrainedModel.tie_weights
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: load_backbone("builtin"), range(16)))
    assert PreTrainedModel.tie_weights is before
