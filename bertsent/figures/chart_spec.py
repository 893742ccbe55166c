"""An Altair chart in, the same chart as plain data out: made once, and then sent to everybody who
looks at it.

To build and validate a chart takes a tenth of a second; thirty viewers of one run would take three
seconds of every two.
"""

from typing import Any

import altair as alt
import pandas as pd
import pyarrow as pa

ChartSpec = dict[
    str, Any
    # a Vega-Lite specification whose data sets are Arrow tables: half the work of sending them is
    # done
]


def chart_spec(chart: alt.TopLevelMixin) -> ChartSpec:
    """The chart as ``bertsent.ui.shared.charts.draw`` takes it; it is read, never changed."""
    spec = chart.to_dict()
    spec.pop("config", None)  # Altair's own default size; the page gives the width and the theme
    return {
        **spec,
        "datasets": {name: _table(rows) for name, rows in spec.get("datasets", {}).items()},
    }


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pandas(pd.DataFrame(rows))
