// Tells the page at which step the animation came to rest. It rests when nothing plays and nobody
// holds the slider; how long a frame takes says nothing, because a busy machine is slow.
export default function ({ data, parentElement, setTriggerValue }) {
  const own = (parentElement.own ??= { chart: null, timer: null, soon: null, playing: false, held: false, step: null })
  own.data = data
  own.send = (value) => setTriggerValue("picked", value)
  const report = () => {
    if (own.playing || own.held || own.step === null || own.step === own.data.step) return
    own.send({ step: own.step })
  }
  const rest = () => {
    clearTimeout(own.soon)
    own.soon = setTimeout(report, 300) // an animation may follow at once
  }
  const attach = () => {
    const chart = document.querySelector(".st-key-" + own.data.chart + " .js-plotly-plot")
    if (!chart || !chart.on || chart === own.chart) return
    own.chart = chart
    own.playing = own.held = false
    own.step = null
    chart.on("plotly_animating", () => { own.playing = true })
    chart.on("plotly_animated", () => { own.playing = false; rest() })
    chart.on("plotly_sliderstart", () => { own.held = true })
    chart.on("plotly_sliderend", () => { own.held = false; rest() })
    chart.on("plotly_sliderchange", (event) => { own.step = Number(event?.step?.value) })
  }
  if (!own.timer) own.timer = setInterval(attach, 300)
  return () => {
    clearInterval(own.timer)
    clearTimeout(own.soon)
    own.timer = null
  }
}
