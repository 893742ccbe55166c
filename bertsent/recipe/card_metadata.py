"""Scores and the data section of a model card in, its metadata for the Hugging Face Hub out."""

import pandas as pd

from bertsent.probing.shipped_scores import slice_of, title_of

HUB_SETS = {  # as a card names them: where the Hub has them
    "Large Movie Review Dataset": "stanfordnlp/imdb",
    "Stanford Sentiment Treebank": "stanfordnlp/sst",
    "Rotten Tomatoes": "cornell-movie-review-data/rotten_tomatoes",
    "GoEmotions": "google-research-datasets/go_emotions",
}


def metadata(name: str, scores: pd.DataFrame, learned_from: str) -> str:
    """YAML: language, licence, data, metrics and the score of each set as a whole."""
    from huggingface_hub import EvalResult, ModelCardData

    results = []
    for of in scores["set"].unique():
        found = slice_of(scores, of, "all")
        if found is None:
            continue
        for metric, value in (("balanced_accuracy", found.score), ("accuracy", found.accuracy)):
            results.append(
                EvalResult(
                    "text-classification",
                    "custom",
                    title_of(of),
                    metric,
                    round(value, 4),
                    task_name="Sentiment classification",
                    dataset_config=of,  # or the library takes all for one set
                )
            )
    return ModelCardData(
        language="en",
        license="other",
        license_name="terms-of-the-sources",
        license_link="#what-it-learned-from",
        library_name="bertsent",
        pipeline_tag="text-classification",
        tags=["sentiment", "bertsent"],
        base_model="sentence-transformers/all-MiniLM-L6-v2",
        datasets=[found for said, found in HUB_SETS.items() if said in learned_from],
        metrics=["accuracy", "balanced_accuracy"],
        model_name=name,
        eval_results=results,
    ).to_yaml()
