// Draws the figures of a report when they come into sight, in the colours of the reader's machine;
// on paper always dark on white, and as wide as the sheet.
(() => {
  const SHEET = 660 // pixels that the text of a printed A4 page is wide, about
  const dark = matchMedia("(prefers-color-scheme: dark)")
  const figures = [...document.querySelectorAll("figure")].map((figure) => {
    const data = figure.querySelector("script")
    return {
      place: figure.querySelector(".drawing"),
      library: data.dataset.library,
      spec: JSON.parse(data.textContent),
      width: 0,
    }
  })

  function colours(printing) {
    return dark.matches && !printing
      ? { ink: "#ece8e1", grid: "#3d3a35", ground: "#1f1c18" }
      : { ink: "#1f2328", grid: "#dfe3e8", ground: "#ffffff" }
  }

  function plotlyTemplate({ ink, grid, ground }) {
    const axis = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, automargin: true }
    const wall = { ...axis, backgroundcolor: "rgba(0,0,0,0)" }
    return {
      layout: {
        font: { color: ink, family: '"Source Sans", system-ui, sans-serif' },
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        colorway: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"],
        hoverlabel: { bgcolor: ground, bordercolor: grid, font: { color: ink }, align: "left" },
        modebar: { bgcolor: "rgba(0,0,0,0)", color: ink, activecolor: ink },
        xaxis: axis,
        yaxis: axis,
        scene: { xaxis: wall, yaxis: wall, zaxis: wall },
      },
    }
  }

  function drawPlotly(figure, printing) {
    const layout = { ...figure.spec.layout, template: plotlyTemplate(colours(printing)) }
    if (figure.width) layout.width = figure.width
    const config = {
      responsive: true,
      displaylogo: false,
      showSendToCloud: false,
      modeBarButtonsToRemove: ["sendChartToCloud"],
    }
    const { data, frames } = figure.spec
    return Plotly.newPlot(figure.place, { data, layout, frames, config })
  }

  function drawVega(figure, printing) {
    const { ink, grid } = colours(printing)
    const text = { labelColor: ink, titleColor: ink }
    const config = {
      background: null,
      font: "system-ui, sans-serif",
      axis: { ...text, gridColor: grid, domainColor: grid, tickColor: grid },
      legend: text,
      header: text,
      // a longer one would leave no room for the chart
      title: { color: ink, subtitleColor: ink, limit: (figure.place.clientWidth || SHEET) - 60 },
      text: { color: ink },
      view: { stroke: null },
    }
    const spec = { ...figure.spec, background: null }
    if (figure.width && spec.width === "container") spec.width = figure.width
    return vegaEmbed(figure.place, spec, {
      mode: "vega-lite",
      ast: true, // no eval
      renderer: "svg",
      config,
      actions: false,
    })
  }

  async function draw(figure, printing = false) {
    figure.drawn = true
    try {
      await (figure.library === "vega" ? drawVega : drawPlotly)(figure, printing)
    } catch (error) {
      figure.place.textContent = "This figure cannot be drawn; its numbers are below."
      console.error(error)
    }
  }

  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries.filter((each) => each.isIntersecting)) {
        const figure = figures.find((each) => each.place === entry.target)
        if (!figure.drawn) draw(figure)
      }
    },
    { rootMargin: "600px" },
  )
  for (const figure of figures) {
    // room, so that nothing moves when it is drawn
    figure.place.style.minHeight = `${figure.spec.layout?.height ?? 240}px`
    seen.observe(figure.place)
  }
  dark.addEventListener("change", () => figures.filter((each) => each.drawn).map((f) => draw(f)))
  addEventListener("beforeprint", () => {
    for (const figure of figures) {
      figure.width = Math.min(SHEET, figure.place.clientWidth || SHEET)
      draw(figure, true)
    }
  })
  addEventListener("afterprint", () => {
    for (const figure of figures) {
      figure.width = 0
      draw(figure)
    }
  })
})()
