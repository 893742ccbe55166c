"""A page with the animation of five made-up checkpoints, for the browser tests."""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.figures.animated_map import animation_figure
from bertsent.ui.map.checkpoint_animation import follow_slider

CHART, STEPS = "travel_film", [0, 10, 20, 30, 40]


def main() -> None:
    step = st.session_state.setdefault("step", STEPS[-1])
    st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    random = np.random.default_rng(0)
    reviews = pd.DataFrame(
        {"id": [f"r{i}" for i in range(40)], "text": "a review", "label": "POSITIVE"}
    )
    figure = animation_figure(
        random.normal(size=(len(STEPS), 40, 2)),
        STEPS,
        random.uniform(size=(len(STEPS), 40)),
        reviews,
        at=STEPS.index(step),
    )
    st.plotly_chart(figure, key=CHART)
    follow_slider(CHART, STEPS, step, lambda at: st.session_state.update(step=at))
    st.title(f"Step {step}, run {st.session_state['runs']}")


if __name__ == "__main__":
    main()
