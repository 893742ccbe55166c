// A map of many dots on a 2-D canvas: hover, click, lasso, box, pan, zoom and a legend.
//
// All dots are stamped pixel by pixel into a bitmap that is larger than the picture. A drag moves
// the bitmap, and it is stamped anew only where its edge is reached, so that 50,000 dots follow the
// pointer without a graphics card. What is marked (an open review, a selection, a star) comes from
// a second component, so that the dots are sent once.
const ROOM = 180 // pixels around the picture that the bitmap holds
const EDGE = 26, TOP = 44, LEGEND = 78 // pixels around the dots where all are in sight; the legend is above, or on phones below
const STRETCH = 1.6 // how much wider than the other one axis may be drawn
const NEAR = 12 // pixels within which a dot is meant
const views = (window.bertsentMapViews ??= new Map()) // what each map looks at, however often it is drawn anew
const marks = (window.bertsentMapMarks ??= new Map())

const unpack = (text, Kind) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  return new Kind(bytes.buffer)
}

const outline = (path, shape, size) => {
  const r = size / 2
  const poly = (points) => points.forEach(([x, y], i) => path[i ? "lineTo" : "moveTo"](x * r, y * r))
  path.beginPath()
  if (shape.startsWith("circle")) path.arc(0, 0, r, 0, 7)
  else if (shape.startsWith("diamond")) poly([[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]])
  else if (shape.startsWith("square")) poly([[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]])
  else {
    const plus = [[-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4], [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4]]
    poly(shape === "cross" ? plus : plus.map(([x, y]) => [(x - y) * 0.7, (x + y) * 0.7]))
  }
  path.closePath()
}

const star = (path, x, y, size, colour) => {
  path.beginPath()
  for (let i = 0; i < 10; i++) {
    const r = i % 2 ? size * 0.42 : size, turn = (i * Math.PI) / 5 - Math.PI / 2
    path[i ? "lineTo" : "moveTo"](x + r * Math.cos(turn), y + r * Math.sin(turn))
  }
  path.closePath()
  path.fillStyle = colour
  path.fill()
  path.strokeStyle = "#000c"
  path.lineWidth = 1.5
  path.stroke()
}

const sprite = ({ shape, colour }, size, ratio) => {
  const canvas = document.createElement("canvas"), side = canvas.width = canvas.height = Math.ceil(size * 1.3 * ratio) + 4
  const path = canvas.getContext("2d", { willReadFrequently: true })
  path.translate(side / 2, side / 2)
  path.scale(ratio, ratio)
  outline(path, shape, size)
  path.fillStyle = path.strokeStyle = colour
  if (shape.endsWith("open")) path.lineWidth = 2
  else {
    path.globalAlpha = 0.82
    path.fill()
    path.strokeStyle = "rgba(128,128,128,0.9)"
    path.lineWidth = 0.7
  }
  path.stroke()
  return { side, pixels: path.getImageData(0, 0, side, side).data }
}

const stamp = (image, { side, pixels }, x, y, share) => {
  const { width, height, data } = image
  const left = Math.round(x - side / 2), top = Math.round(y - side / 2)
  const i0 = Math.max(0, -left), i1 = Math.min(side, width - left)
  for (let j = Math.max(0, -top), end = Math.min(side, height - top); j < end; j++) {
    let from = (j * side + i0) * 4, to = ((top + j) * width + left + i0) * 4
    for (let i = i0; i < i1; i++, from += 4, to += 4) {
      const alpha = pixels[from + 3] * share
      if (alpha === 0) continue
      data[to] += (pixels[from] - data[to]) * alpha
      data[to + 1] += (pixels[from + 1] - data[to + 1]) * alpha
      data[to + 2] += (pixels[from + 2] - data[to + 2]) * alpha
    }
  }
}

const inside = (polygon, x, y) => {
  let odd = false
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i], [xj, yj] = polygon[j]
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) odd = !odd
  }
  return odd
}

class DotMap {
  constructor(root) {
    this.root = root
    this.box = root.querySelector(".map")
    this.canvas = root.querySelector("canvas")
    this.tip = root.querySelector(".tip")
    this.hidden = new Set()
    this.tool = matchMedia("(pointer: coarse)").matches ? "tap" : "lasso"
    this.drag = this.over = this.soon = null
    this.marks = {}
    this.listen()
    new ResizeObserver(() => this.resize()).observe(this.box)
  }

  // data in

  take(data, send) {
    this.send = send
    if (this.data?.key === data.key && this.data?.look === data.look && this.data?.looks[0]?.colour === data.looks[0]?.colour) {
      this.data = data
    } else {
      if (this.data?.place !== data.place) this.hidden.clear()
      this.data = data
      this.xs = unpack(data.x, Float32Array)
      this.ys = unpack(data.y, Float32Array)
      this.look = unpack(data.look, Uint8Array)
      this.n = this.xs.length
      this.facts = { label: unpack(data.label, Uint8Array), prediction: unpack(data.prediction, Uint8Array), p: unpack(data.p, Uint16Array), cluster: unpack(data.cluster, Uint8Array) }
      this.sprites = new Map()
      this.legend()
    }
    this.canvas.setAttribute("aria-label", data.alt)
    this.box.dataset.dots = this.n
    this.mark(marks.get(data.place) ?? {})
    this.resize(true)
  }

  mark(found) {
    const before = this.marks.rows, box = this.box.getBoundingClientRect()
    const opens = found.opened != null && this.marks.chart && found.opened !== this.marks.opened
    if (opens && (box.bottom < 120 || box.top > innerHeight)) this.box.scrollIntoView({ behavior: "smooth", block: "center" })
    this.marks = found
    if (String(before) !== String(found.rows)) {
      this.chosen = found.rows?.length ? new Set(found.rows) : null
      if (!this.chosen) this.fence = null
      this.render()
    }
    if (!views.has(this.data?.place)) this.fit()
    this.paint()
  }

  // where things are

  fit() {
    if (!this.n || !this.width) return
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity]
    const reach = (x, y) => { x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y) }
    for (let i = 0; i < this.n; i++) reach(this.xs[i], this.ys[i])
    if (this.marks.star) reach(...this.marks.star)
    let sx = (this.width - 2 * EDGE) / (x1 - x0), sy = (this.height - TOP - this.bottom) / (y1 - y0)
    const least = Math.min(sx, sy)
    if (!Number.isFinite(least)) sx = sy = Number.isFinite(sx) ? sx : Number.isFinite(sy) ? sy : 1
    else { sx = Math.min(sx, STRETCH * least); sy = Math.min(sy, STRETCH * least) }
    this.view = { x: (x0 + x1) / 2, y: (y0 + y1) / 2, sx, sy }
    views.delete(this.data.place)
    this.render()
  }

  at(i) { return this.spot(this.xs[i], this.ys[i]) }

  spot(x, y) {
    const { view } = this, pan = this.drag?.pan ?? [0, 0]
    return [this.width / 2 + (x - view.x) * view.sx + pan[0], this.middle - (y - view.y) * view.sy + pan[1]]
  }

  place([px, py]) { // of the data, under a pixel
    const { view } = this
    return [view.x + (px - this.width / 2) / view.sx, view.y - (py - this.middle) / view.sy]
  }

  get bottom() { return this.width < 600 ? LEGEND : EDGE }

  get middle() { return (this.height + TOP - this.bottom) / 2 }

  zoom(factor, [px, py] = [this.width / 2, this.height / 2]) {
    const [x, y] = this.place([px, py])
    const sx = this.view.sx * factor, sy = this.view.sy * factor
    this.look_at({ sx, sy, x: x - (px - this.width / 2) / sx, y: y + (py - this.middle) / sy })
  }

  look_at(view) {
    this.view = view
    views.set(this.data.place, { view, key: this.data.map })
    this.later()
  }

  resize(again = false) {
    const { clientWidth: width, clientHeight: height } = this.box, ratio = Math.min(devicePixelRatio || 1, 2)
    if (!this.data || !width || !height) return
    if (!again && width === this.width && height === this.height && ratio === this.ratio) return
    Object.assign(this, { width, height })
    if (ratio !== this.ratio) this.sprites = new Map()
    this.ratio = ratio
    this.canvas.width = width * ratio
    this.canvas.height = height * ratio
    const kept = views.get(this.data.place)
    if (kept?.key === this.data.map) { this.view = kept.view; this.render() } else this.fit()
  }

  // drawing

  get size() { return this.n <= 600 ? 10 : this.n <= 2500 ? 8 : this.n <= 12000 ? 6 : 5 }

  seen(i) {
    return !this.hidden.has(this.look[i])
  }

  later() { this.soon ??= requestAnimationFrame(() => { this.soon = null; this.render() }) }

  render() { // stamp all dots into the bitmap
    if (!this.view) return
    const { ratio, size } = this, shift = this.drag?.pan ?? [0, 0]
    if (shift[0] || shift[1]) { // the drag so far becomes the view
      this.view = { ...this.view, x: this.view.x - shift[0] / this.view.sx, y: this.view.y + shift[1] / this.view.sy }
      views.set(this.data.place, { view: this.view, key: this.data.map })
      this.drag.from = [this.drag.from[0] + shift[0], this.drag.from[1] + shift[1]]
      this.drag.pan = [0, 0]
    }
    const width = Math.ceil((this.width + 2 * ROOM) * ratio), height = Math.ceil((this.height + 2 * ROOM) * ratio)
    if (this.bitmap?.width !== width || this.bitmap?.height !== height) {
      this.bitmap = document.createElement("canvas")
      Object.assign(this.bitmap, { width, height })
      this.ink = this.bitmap.getContext("2d", { willReadFrequently: true })
      this.image = this.ink.createImageData(width, height)
    }
    const ground = this.ground()
    new Uint32Array(this.image.data.buffer).fill(ground)
    for (const chosen of this.chosen ? [false, true] : [null]) {
      for (let i = 0; i < this.n; i++) {
        if (!this.seen(i) || (chosen !== null && this.chosen.has(i) !== chosen)) continue
        const [x, y] = this.at(i)
        if (x < -ROOM || y < -ROOM || x > this.width + ROOM || y > this.height + ROOM) continue
        stamp(this.image, this.sprite(this.look[i], chosen ? size * 1.35 : size), (x + ROOM) * ratio, (y + ROOM) * ratio, chosen === false ? 0.16 / 255 : 1 / 255)
      }
    }
    this.ink.putImageData(this.image, 0, 0)
    this.paint()
  }

  sprite(look, size) {
    const key = look * 100 + size
    if (!this.sprites.has(key)) this.sprites.set(key, sprite(this.data.looks[look], size, this.ratio))
    return this.sprites.get(key)
  }

  ground() {
    const path = (this.tester ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true }))
    path.fillStyle = getComputedStyle(this.root.host ?? this.box).getPropertyValue("--st-background-color") || "#fff"
    path.fillRect(0, 0, 1, 1)
    const [r, g, b] = path.getImageData(0, 0, 1, 1).data
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0
  }

  paint() { // the bitmap where the drag has it, and what lies over it
    if (!this.bitmap || !this.view) return
    const path = this.canvas.getContext("2d"), { ratio } = this, pan = this.drag?.pan ?? [0, 0]
    path.setTransform(1, 0, 0, 1, 0, 0)
    path.clearRect(0, 0, this.canvas.width, this.canvas.height)
    path.drawImage(this.bitmap, Math.round((pan[0] - ROOM) * ratio), Math.round((pan[1] - ROOM) * ratio))
    path.setTransform(ratio, 0, 0, ratio, 0, 0)
    this.over_dots(path)
  }

  over_dots(path) {
    const { data, marks: found } = this
    const look = getComputedStyle(this.box)
    path.font = 0.92 * parseFloat(look.fontSize) + "px " + (look.fontFamily || "sans-serif")
    path.fillStyle = getComputedStyle(this.box).color
    path.globalAlpha = 0.7
    if (data.axes.length > 1) {
      const [across, up] = data.axes.map((name) => (this.width < 600 ? name.replace(/ of .*/, "") : name))
      path.textAlign = "right"
      path.fillText(across + " →", this.width - 8, this.height - 8)
      path.textAlign = "left"
      path.fillText("↑ " + up, 8, this.height - 8)
    }
    path.globalAlpha = 1
    const fence = this.drag?.fence ?? this.fence?.map((where) => this.spot(...where))
    if (fence?.length) {
      path.beginPath()
      fence.forEach((where, i) => path[i ? "lineTo" : "moveTo"](...where))
      path.closePath()
      path.setLineDash([5, 4])
      path.strokeStyle = path.fillStyle
      path.stroke()
      path.setLineDash([])
    }
    const ring = (i, r, colour, width) => {
      const [x, y] = this.at(i)
      for (const [ink, line] of [["#000a", width + 2], [colour, width]]) {
        path.beginPath()
        path.arc(x, y, r, 0, 7)
        path.strokeStyle = ink
        path.lineWidth = line
        path.stroke()
      }
    }
    if (found.opened != null && found.opened < this.n) ring(found.opened, 11, data.highlight, 3)
    if (this.over != null && this.over >= 0 && this.over < this.n) ring(this.over, 9, "#fff", 1.5)
    if (found.star) star(path, ...this.spot(...found.star), this.over === -2 ? 14 : 11, data.highlight)
  }

  legend() {
    const list = this.root.querySelector(".legend")
    list.replaceChildren(...this.data.legend.map((entry) => {
      const button = document.createElement("button"), icon = document.createElement("canvas"), name = document.createElement("span")
      const { side, pixels } = sprite(entry, 11, 2)
      icon.width = icon.height = side
      icon.getContext("2d").putImageData(new ImageData(pixels, side, side), 0, 0)
      name.textContent = entry.name.toLowerCase() + " " + entry.n.toLocaleString("en")
      button.append(icon, name)
      button.type = "button"
      button.title = "Show or hide these dots"
      button.ariaPressed = !this.hidden.has(entry.first)
      button.onclick = () => {
        const shown = button.ariaPressed === "true"
        button.ariaPressed = !shown
        for (let look = entry.first; look <= entry.last; look++) this.hidden[shown ? "add" : "delete"](look)
        this.render()
      }
      return button
    }))
    const scale = this.root.querySelector(".scale")
    scale.hidden = !this.data.scale
    if (this.data.scale) scale.querySelector("i").style.background = `linear-gradient(90deg, ${this.data.scale.join()})`
  }

  // hands

  listen() {
    const { canvas } = this
    const pointer = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.x, event.clientY - box.y] }
    canvas.onpointerdown = (event) => {
      if (event.button) return
      const from = pointer(event)
      this.drag = { from, pan: [0, 0], far: false, fence: null }
      if (this.tool !== "tap") canvas.setPointerCapture(event.pointerId)
    }
    canvas.onpointermove = (event) => {
      const now = pointer(event), { drag } = this
      if (!drag) { if (event.pointerType === "mouse") this.hover(now); return }
      drag.far ||= Math.hypot(now[0] - drag.from[0], now[1] - drag.from[1]) > 4
      if (!drag.far || this.tool === "tap") return
      this.tip.hidden = true
      if (this.tool === "pan") {
        drag.pan = [now[0] - drag.from[0], now[1] - drag.from[1]]
        if (Math.max(...drag.pan.map(Math.abs)) > ROOM) this.later()
      } else if (this.tool === "box") drag.fence = [drag.from, [now[0], drag.from[1]], now, [drag.from[0], now[1]]]
      else (drag.fence ??= [drag.from]).push(now)
      this.frame ??= requestAnimationFrame(() => { this.frame = null; this.paint() })
    }
    canvas.onpointerup = (event) => {
      const { drag } = this, now = pointer(event)
      if (!drag) return
      if (!drag.far) { this.drag = null; this.click(now); return }
      if (drag.fence) this.enclose(drag.fence)
      else this.render()
      this.drag = null
      this.paint()
    }
    canvas.onpointercancel = () => { this.drag = null; this.paint() }
    canvas.onpointerleave = () => { if (!this.drag) { this.over = null; this.tip.hidden = true; this.paint() } }
    canvas.ondblclick = () => this.fit()
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return // the page scrolls
      event.preventDefault()
      this.zoom(Math.exp(-event.deltaY / 300), pointer(event))
    }, { passive: false })
    canvas.onkeydown = (event) => {
      const acts = { "+": () => this.zoom(1.4), "=": () => this.zoom(1.4), "-": () => this.zoom(1 / 1.4), 0: () => this.fit(), Escape: () => this.chosen && this.tell({ rows: [] }) }
      if (!acts[event.key] || event.ctrlKey || event.metaKey) return
      acts[event.key]()
      event.preventDefault()
    }
    for (const button of this.root.querySelectorAll(".tools button")) {
      const { tool } = button.dataset
      button.onclick = () => {
        if (tool === "in" || tool === "out") this.zoom(tool === "in" ? 1.4 : 1 / 1.4)
        else if (tool === "fit") this.fit()
        else this.tool = this.tool === tool && matchMedia("(pointer: coarse)").matches ? "tap" : tool
        this.tools()
      }
    }
    this.tools()
  }

  tools() {
    for (const button of this.root.querySelectorAll("[data-hold]")) button.ariaPressed = button.dataset.tool === this.tool
    this.canvas.style.touchAction = this.tool === "tap" ? "pan-y" : "none"
    this.canvas.style.cursor = this.tool === "pan" ? "grab" : this.tool === "tap" ? "default" : "crosshair"
  }

  nearest([px, py]) { // a dot, -2 for the star, null for nothing
    let best = NEAR * NEAR, found = null
    if (!this.view) return null
    if (this.marks.star) {
      const [x, y] = this.spot(...this.marks.star)
      if ((x - px) ** 2 + (y - py) ** 2 < best) return -2
    }
    for (let i = 0; i < this.n; i++) {
      if (!this.seen(i)) continue
      const x = this.width / 2 + (this.xs[i] - this.view.x) * this.view.sx - px
      const y = this.middle - (this.ys[i] - this.view.y) * this.view.sy - py
      const far = x * x + y * y
      if (far < best) { best = far; found = i }
    }
    return found
  }

  hover(now) {
    const found = this.nearest(now)
    if (found !== this.over) { this.over = found; this.paint() }
    this.tip.hidden = found === null
    if (found === null) return
    const [words, facts] = this.tip.children
    words.textContent = found === -2 ? this.data.review : this.data.text[found]
    facts.textContent = found === -2 ? "Your review, of the bar above" : this.says(found)
    const [x, y] = found === -2 ? this.spot(...this.marks.star) : this.at(found)
    const right = x > this.width * 0.6
    this.tip.style.left = right ? "" : x + 16 + "px"
    this.tip.style.right = right ? this.width - x + 16 + "px" : ""
    this.tip.style.top = Math.min(Math.max(y - 20, 4), this.height - this.tip.offsetHeight - 4) + "px"
  }

  says(i) {
    const names = ["▲ positive", "▼ negative"], { label, prediction, p, cluster } = this.facts
    const truths = this.data.truths ?? names
    const share = p[i] / 100, sure = prediction[i] ? 100 - share : share
    return [
      label[i] < truths.length ? "truth " + truths[label[i]] : "no label",
      prediction[i] < 2 ? `answer ${names[prediction[i]]} ${sure.toFixed(1)} %` : null,
      "cluster " + cluster[i],
    ].filter(Boolean).join(" · ")
  }

  click(now) {
    const found = this.nearest(now)
    if (found === -2) this.tell({ star: true })
    else if (found !== null) this.tell({ row: found })
    else if (this.chosen || this.marks.opened != null) this.tell({ rows: [] })
  }

  enclose(fence) {
    const rows = []
    for (let i = 0; i < this.n; i++) if (this.seen(i) && inside(fence, ...this.at(i))) rows.push(i)
    this.fence = rows.length ? fence.map((where) => this.place(where)) : null
    this.chosen = rows.length ? new Set(rows) : null
    this.marks = { ...this.marks, rows }
    this.render()
    this.tell({ rows })
  }

  tell(what) { this.send({ map: this.data.map, ...what }) }

  // pictures

  save(format, file) {
    const link = document.createElement("a")
    link.download = `${file}.${format}`
    link.href = format === "png" ? this.canvas.toDataURL("image/png") : "data:image/svg+xml;charset=utf-8," + encodeURIComponent(this.svg())
    link.click()
  }

  svg() {
    const out = [`<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" font-family="sans-serif" font-size="12">`]
    const ground = "#" + [0, 8, 16].map((shift) => ((this.ground() >> shift) & 255).toString(16).padStart(2, "0")).join("")
    out.push(`<rect width="100%" height="100%" fill="${ground}"/>`)
    const shapes = { circle: (r) => `<circle r="${r}"/>`, diamond: (r) => `<path d="M0 ${-1.25 * r}L${1.25 * r} 0 0 ${1.25 * r} ${-1.25 * r} 0Z"/>`, square: (r) => `<rect x="${-0.9 * r}" y="${-0.9 * r}" width="${1.8 * r}" height="${1.8 * r}"/>`, cross: (r) => `<path d="M0 ${-1.2 * r}V${1.2 * r}M${-1.2 * r} 0H${1.2 * r}" stroke-width="2.5"/>`, x: (r) => `<path d="M${-r} ${-r}L${r} ${r}M${r} ${-r}L${-r} ${r}" stroke-width="2.5"/>` }
    const dot = ({ shape, colour }, [x, y], share) => {
      const open = shape.endsWith("open"), draw = shapes[shape.replace("-open", "")]
      return `<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" fill="${open ? "none" : colour}" stroke="${colour}" opacity="${share}">${draw(this.size / 2)}</g>`
    }
    for (let i = 0; i < this.n; i++) {
      const where = this.at(i)
      if (this.seen(i) && where[0] > 0 && where[1] > 0 && where[0] < this.width && where[1] < this.height) out.push(dot(this.data.looks[this.look[i]], where, this.chosen && !this.chosen.has(i) ? 0.16 : 0.82))
    }
    const ink = getComputedStyle(this.box).color
    this.data.legend.forEach((entry, i) => out.push(dot(entry, [16 + 150 * i, 16], 1), `<text x="${28 + 150 * i}" y="20" fill="${ink}">${entry.name.toLowerCase()} ${entry.n}</text>`))
    if (this.marks.star) out.push(dot({ shape: "diamond", colour: this.data.highlight }, this.spot(...this.marks.star), 1))
    return out.join("\n") + "</svg>"
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement
  const own = (root.own ??= new DotMap(root))
  own.take(data, (what) => setTriggerValue("picked", what))
  const heard = ({ detail }) => {
    if (detail.chart === own.data.place) own.mark(detail)
  }
  const asked = (event) => {
    if (event.detail.chart !== own.data.place) return
    own.save(event.detail.format, event.detail.file)
    event.preventDefault()
  }
  document.addEventListener("bertsent-map", heard)
  document.addEventListener("bertsent-picture", asked)
  return () => {
    document.removeEventListener("bertsent-map", heard)
    document.removeEventListener("bertsent-picture", asked)
  }
}
