/* Bring the part that was just opened to the top, below what stays there: while its content arrives
   and the others fold, unless the visitor or a lesson moves the page. */
const HANDS = ["wheel", "touchstart", "pointerdown", "keydown", "lesson-moves"]
let turns = 0 // taken so far: the session counts them, and the component may come and go

export default function ({ data }) {
  if (data.turn <= turns) return
  turns = data.turn
  if (!data.part) return
  const turn = turns
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
  const until = Date.now() + 6000
  let seen = null
  const stop = () => {
    clearInterval(timer)
    HANDS.forEach((hand) => removeEventListener(hand, stop, true))
  }
  const timer = setInterval(() => {
    const part = document.querySelector(".st-key-part_" + data.part)
    if (turn !== turns || Date.now() > until) return stop()
    if (!part) return
    const top = part.getBoundingClientRect().top - parseFloat(getComputedStyle(part).scrollMarginTop)
    if (Math.abs(top) > 4 && (seen === null || Math.abs(top - seen) < 1))
      part.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" })
    seen = top
  }, 250)
  HANDS.forEach((hand) => addEventListener(hand, stop, true))
}
