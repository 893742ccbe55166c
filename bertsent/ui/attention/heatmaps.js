export default function ({ data, parentElement, setTriggerValue }) {
  parentElement.picked = (tile) => setTriggerValue("picked", tile)
  const number = (name, words) => Number(new RegExp("^" + name + " (\\d+) ").exec(words)?.[1])
  const attach = () => {
    const chart = document.querySelector(".st-key-" + data.chart + " .js-plotly-plot")
    if (!chart || !chart.on || chart === parentElement.heard) return
    parentElement.heard = chart
    chart.on("plotly_click", (event) => {
      const cell = event.points[0]
      if (cell) parentElement.picked({ layer: number("Layer", cell.y), head: number("Head", cell.x) })
    })
  }
  if (!parentElement.timer) parentElement.timer = setInterval(attach, 300)
  return () => { clearInterval(parentElement.timer); parentElement.timer = null }
}
