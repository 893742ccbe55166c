/* Bring what was just opened or started to the top, below what stays there: while its content
   arrives and the rest of the page moves, unless the visitor or a lesson moves the page. */
const HANDS = ["wheel", "touchstart", "pointerdown", "keydown", "lesson-moves"]
const taken = {} // turns so far by kind: the session counts them, and the component may come and go

export default function ({ data }) {
  if (data.turn <= (taken[data.kind] ?? 0)) return
  taken[data.kind] = data.turn
  if (!data.place) return
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
  const until = Date.now() + 6000
  let seen = null
  const stop = () => {
    clearInterval(timer)
    HANDS.forEach((hand) => removeEventListener(hand, stop, true))
  }
  const timer = setInterval(() => {
    const place = document.querySelector(".st-key-" + data.place)
    if (data.turn !== taken[data.kind] || Date.now() > until) return stop()
    if (!place) return
    const top = place.getBoundingClientRect().top - parseFloat(getComputedStyle(place).scrollMarginTop)
    if (Math.abs(top) > 4 && (seen === null || Math.abs(top - seen) < 1))
      place.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" })
    seen = top
  }, 250)
  HANDS.forEach((hand) => addEventListener(hand, stop, true))
}
