/* Bring the part that was just opened to the top, below what stays there: while its content arrives
   and the others fold, unless the visitor moves the page. */
export default function ({ data, parentElement }) {
  const own = (parentElement.own ??= { turn: 0 })
  if (!data.part || own.turn === data.turn) return
  own.turn = data.turn
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
  const hands = ["wheel", "touchstart", "pointerdown", "keydown"]
  const until = Date.now() + 5000
  let seen = null
  const stop = () => {
    clearInterval(timer)
    hands.forEach((hand) => removeEventListener(hand, stop, true))
  }
  const timer = setInterval(() => {
    const part = document.querySelector(".st-key-part_" + data.part)
    if (!part || Date.now() > until) return stop()
    const top = part.getBoundingClientRect().top - parseFloat(getComputedStyle(part).scrollMarginTop)
    if (Math.abs(top) > 4 && (seen === null || Math.abs(top - seen) < 1))
      part.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" })
    seen = top
  }, 250)
  hands.forEach((hand) => addEventListener(hand, stop, true))
  return stop
}
