"""Tables of the shapes that the public sets of further tasks have, with a few made-up rows."""

from pathlib import Path

import pandas as pd

from bertsent.tasks.catalogue import FEELINGS

HELD = next(str(n) for n in range(99) if sum(map(ord, str(n))) * 7919 % 10 == 3)
LEARNED = next(str(n) for n in range(99) if sum(map(ord, str(n))) * 7919 % 10 != 3)


PAWS_LEARNED = 4  # of the six rows here


def write_task_tables(folder: Path) -> Path:
    two = {"sentence1": ["a cat", "b"], "sentence2": ["a kitten", "d"]}
    terms = {
        "text": ["Nice soup.", "Cold soup.", "Odd soup."],
        "term": ["soup"] * 3,
        "polarity": ["positive", "negative", "conflict"],
        "sentence_id": [HELD, LEARNED, HELD],
    }
    categories = {name: values for name, values in terms.items() if name != "term"}
    tweets = {"text": ["oh", "ah"], **{label: [1, 0] for label in FEELINGS.labels}}
    tables = {
        "sst_dev": {"text": ["fine"], "label5": [3]},
        "sst_train": {"text": ["awful", "dull", "great"], "label5": [0, 1, 4]},
        "sst_phrases_train": {"text": ["so so", "not so bad"], "label5": [2, 3]},
        "stsb_dev": {**two, "score": [4.5, 0]},
        "stsb_train": {**two, "score": [4.5, 0]},
        "sick_train": {**two, "score": [5.0, 1.0]},
        "quora_dev": {**two, "label": [1, 0]},
        "quora_train": {**two, "label": [1, 0]},
        "paws_wiki_dev": {n: values * 3 for n, values in {**two, "label": [0, 1]}.items()},
        "absa_restaurants_terms_train": terms,
        "absa_laptops_terms_train": terms,
        "absa_restaurants_categories_train": {**categories, "category": ["food"] * 3},
        "semeval2018_ec_dev": tweets,
        "semeval2018_ec_train": {**tweets, "anger": [0, 1]},
    }
    for name, table in tables.items():
        pd.DataFrame(table).to_parquet(folder / f"{name}.parquet")
    return folder
