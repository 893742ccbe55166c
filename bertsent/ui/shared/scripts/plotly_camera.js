// PNG and SVG of a Plotly chart as it is seen: the camera of a mode bar takes the picture, and any
// chart's camera takes every chart. A component that draws on a canvas hears "bertsent-picture" and
// takes its own.
const TRANSPARENT = /transparent|,\s*0(\.0+)?\s*\)$/

const cameraOf = (chart) =>
  chart._fullLayout?._modeBar?.buttons?.flat().find((button) => button.name === "toImage")

export default function ({ data, parentElement }) {
  const note = parentElement.querySelector(".note")

  const take = (format) => {
    const asked = { detail: { chart: data.chart, file: data.file, format }, cancelable: true }
    if (!document.dispatchEvent(new CustomEvent("bertsent-picture", asked))) return
    const chart = document.querySelector(".st-key-" + data.chart + " .js-plotly-plot")
    const charts = [...document.querySelectorAll(".js-plotly-plot")]
    const camera = chart && (cameraOf(chart) ?? charts.map(cameraOf).find(Boolean))
    note.textContent = camera ? "" : "The chart is not drawn yet."
    if (!camera) return
    const options = chart._context.toImageButtonOptions
    const paper = chart.layout.paper_bgcolor
    const clear = TRANSPARENT.test(chart._fullLayout.paper_bgcolor ?? "transparent")
    chart._context.toImageButtonOptions = { format, filename: data.file, scale: 2 }
    if (clear) {
      const app = document.querySelector(".stApp")
      chart.layout.paper_bgcolor = getComputedStyle(app).backgroundColor
    }
    try {
      camera.click(chart) // it copies options and layout before it returns
    } finally {
      chart._context.toImageButtonOptions = options
      if (clear) chart.layout.paper_bgcolor = paper
    }
  }

  for (const button of parentElement.querySelectorAll("button")) {
    button.onclick = () => take(button.dataset.form)
  }
}
