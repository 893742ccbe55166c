"""What the Probe page is measured against: the usual few lines around ``transformers.pipeline``.
The model's folder is an argument.
"""


def page(folder: str) -> None:
    """A box, a label, a bar."""
    import plotly.express as px
    import streamlit as st
    from transformers import pipeline

    @st.cache_resource
    def classifier(folder: str):  # noqa: ANN202 - a pipeline
        return pipeline("text-classification", model=folder, truncation=True, top_k=None)

    st.title("Sentiment")
    text = st.text_area("Review", "Great, another boring movie", key="text")
    scores = classifier(folder)(text)
    if isinstance(scores[0], list):
        scores = scores[0]
    st.subheader(f"{scores[0]['label']} {scores[0]['score']:.1%}")
    st.plotly_chart(
        px.bar(x=[s["score"] for s in scores], y=[s["label"] for s in scores], orientation="h")
    )
