export default function ({ data, parentElement, setTriggerValue }) {
  const own = (parentElement.own ??= { chart: null, timer: null, armed: false, rings: {}, over: null })
  own.send = (value) => setTriggerValue("picked", value)
  own.data = data
  const full = () => own.chart?._fullLayout
  const zoomed = () => Object.fromEntries(Object.entries(full())
    .filter(([name, axis]) => /^[xy]axis[0-9]*$/.test(name) && axis?.autorange === false)
    .map(([name, axis]) => [name, [...axis.range]]))
  const places = (id) => {  // the dots of a review, one in each panel; looked up once a figure
    if (own.known !== own.chart.data) {
      own.known = own.chart.data
      own.index = new Map()
      own.chart.data.forEach((trace, i) => trace.customdata?.forEach?.((name, j) => {
        if (!own.index.has(name)) own.index.set(name, [])
        own.index.get(name).push([i, j])
      }))
    }
    return own.index.get(id) ?? []
  }
  const pixel = ([i, j]) => {
    const trace = own.chart._fullData[i]
    if (!trace || trace.visible !== true) return null
    const name = (axis) => axis[0] + "axis" + axis.slice(1)
    const x = full()[name(trace.xaxis)], y = full()[name(trace.yaxis)]
    const at = [x.d2p(trace.x[j]), y.d2p(trace.y[j])]
    if (!(at[0] >= 0 && at[0] <= x._length && at[1] >= 0 && at[1] <= y._length)) return null
    return [x._offset + at[0], y._offset + at[1]]
  }
  const ring = (kind, id, skip, look) => {
    (own.rings[kind] ?? []).forEach((element) => element.remove())
    own.rings[kind] = []
    const room = own.chart?.querySelector(".svg-container")
    if (id == null || !room || !full()) return
    for (const place of places(id)) {
      const at = place[0] === skip ? null : pixel(place)
      if (!at) continue
      const element = document.createElement("div")
      element.className = "bertsent-ring-" + kind
      element.style.cssText = "position:absolute;pointer-events:none;border-radius:50%;box-sizing:border-box;width:22px;height:22px;"
        + "left:" + (at[0] - 11) + "px;top:" + (at[1] - 11) + "px;" + look
      room.appendChild(element)
      own.rings[kind].push(element)
    }
  }
  const draw = () => {
    if (!own.chart?.isConnected) return
    ring("open", own.data.marked, -1, "border:3px solid #E69F00;box-shadow:0 0 0 1px #0008, inset 0 0 0 1px #0008;")
    ring("over", own.over?.id, own.over?.trace, "border:2px solid currentColor;box-shadow:0 0 0 1px #fffa, inset 0 0 0 1px #fffa;")
  }
  const soon = () => { own.frame ??= requestAnimationFrame(() => { own.frame = null; draw() }) }
  const choosing = () => ["lasso", "select"].includes(full()?.dragmode)
  const attach = () => {
    const chart = document.querySelector(".st-key-" + own.data.chart + " .js-plotly-plot")
    if (!chart || !chart.on || chart === own.chart) return
    own.chart = chart
    own.known = null
    chart.addEventListener("pointerdown", () => { own.armed = true }, true)
    chart.on("plotly_click", (event) => {
      const id = event.points[0]?.customdata
      if (id == null || !own.armed || (own.data.clicks === "choosing" && !choosing())) return
      own.armed = false  // a tap is told twice, as a touch and as a mouse, and pointed at once
      own.send({ id: String(id), ranges: zoomed() })
    })
    if (own.data.regions) {
      chart.on("plotly_selected", (event) => {
        if (!event || !choosing() || !(event.range || event.lassoPoints)) return
        const ids = [...new Set(event.points.map((point) => point.customdata).filter((id) => id != null).map(String))]
        own.send({ ids, ranges: zoomed() })
      })
      chart.on("plotly_deselect", () => own.send({ ids: [], ranges: zoomed() }))
    }
    chart.on("plotly_hover", (event) => {
      const point = event.points[0]
      own.over = point?.customdata == null ? null : { id: point.customdata, trace: point.curveNumber }
      soon()
    })
    chart.on("plotly_unhover", () => { own.over = null; soon() })
    for (const name of ["plotly_afterplot", "plotly_relayouting", "plotly_relayout", "plotly_restyle"]) chart.on(name, soon)
    soon()
  }
  attach()
  soon()
  if (!own.timer) own.timer = setInterval(attach, 300)
  return () => { clearInterval(own.timer); own.timer = null; own.over = null }
}
