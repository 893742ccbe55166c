/* Bring what the step is about into sight, once it is drawn, if it lies below the screen; unless the
   visitor moves the page. */
const HANDS = ["wheel", "touchstart", "pointerdown", "keydown"]
let shown = "" // the step that was taken last: the component may come and go

export default function ({ data }) {
  if (data.step === shown) return
  shown = data.step
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
  const until = Date.now() + 10000
  let seen = null, still = 0
  const stop = () => {
    clearInterval(timer)
    HANDS.forEach((hand) => removeEventListener(hand, stop, true))
  }
  const timer = setInterval(() => {
    if (data.step !== shown || Date.now() > until) return stop()
    const result = document.querySelector("." + data.focus)
    if (!result) return
    const top = result.getBoundingClientRect().top
    still = seen !== null && Math.abs(top - seen) < 1 ? still + 1 : 0
    seen = top
    if (still < 3) return
    if (top > innerHeight * 0.6) {
      result.style.scrollMarginTop = "8rem"
      result.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" })
    }
    stop()
  }, 300)
  HANDS.forEach((hand) => addEventListener(hand, stop, true))
}
