export default function ({ data, parentElement, setTriggerValue }) {
  const own = (parentElement.own ??= { chart: null, timer: null, press: null })
  own.send = (value) => setTriggerValue("picked", value)
  const finish = () => {
    if (!own.press || own.press.down || own.press.far || own.press.id === null) return
    own.send({ id: own.press.id, camera: own.chart._fullLayout?.scene?.camera ?? null })
    own.press = null
  }
  const attach = () => {
    const chart = document.querySelector(".st-key-" + data.chart + " .js-plotly-plot")
    if (!chart || !chart.on || chart === own.chart) return
    own.chart = chart
    const begin = (event) => { own.press = { x: event.clientX, y: event.clientY, down: true, far: false, id: null } }
    const end = (event) => {
      if (!own.press) return
      own.press.down = false  // a drag turns the map and chooses nothing
      own.press.far = Math.hypot(event.clientX - own.press.x, event.clientY - own.press.y) > 4
      finish()
    }
    chart.addEventListener("pointerdown", begin, true)
    chart.addEventListener("pointerup", end, true)
    chart.on("plotly_click", (event) => {  // told as soon as the button is down on a dot
      const id = event.points[0]?.customdata
      if (own.press && id != null) { own.press.id = String(id); finish() }
    })
  }
  if (!own.timer) own.timer = setInterval(attach, 300)
  return () => { clearInterval(own.timer); own.timer = null }
}
