/* Bring what the step is about into sight, once it is drawn, and keep it there while the page grows;
   unless the visitor moves the page. Others that move it by themselves hear of it. */
const HANDS = ["wheel", "touchstart", "pointerdown", "keydown"]
let shown = "" // the step that was taken last: the component may come and go

export default function ({ data }) {
  if (data.step === shown) return
  shown = data.step
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
  let until = Date.now() + 60000 // what is computed first may come late
  let seen = null
  const stop = () => {
    clearInterval(timer)
    HANDS.forEach((hand) => removeEventListener(hand, stop, true))
  }
  const timer = setInterval(() => {
    if (data.step !== shown || Date.now() > until) return stop()
    const result = document.querySelector("." + data.focus)
    if (!result) return
    if (seen === null) until = Date.now() + 8000
    const top = result.getBoundingClientRect().top
    const still = seen !== null && Math.abs(top - seen) < 1
    seen = top
    result.style.scrollMarginTop = covered() + "px"
    if (!still || (covered() <= top + 1 && top <= lowest())) return
    dispatchEvent(new Event("lesson-moves"))
    result.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" })
  }, 300)
  HANDS.forEach((hand) => addEventListener(hand, stop, true))
}

/* How far down the page is covered by what stays above it. */
function covered() {
  const rows = document.querySelectorAll(".st-key-review_bar, .st-key-take_apart_row")
  const bottoms = [...rows].map((row) => {
    const wrapper = getComputedStyle(row.parentElement)
    return wrapper.position === "sticky" ? parseFloat(wrapper.top) + row.offsetHeight : 0
  })
  return Math.max(60, ...bottoms) + 12
}

/* How far down a result may begin: not below the middle, and on a phone not behind the sheet. */
function lowest() {
  const player = document.querySelector(".st-key-player").getBoundingClientRect()
  const sheet = player.width === innerWidth ? player.top - 96 : innerHeight
  return Math.max(covered(), Math.min(sheet, innerHeight * 0.6))
}
