/* Bring the part that was just opened into sight, below what stays on top of the page. */
export default function ({ data, parentElement }) {
  const own = (parentElement.own ??= { turn: 0 })
  if (!data.part || own.turn === data.turn) return
  own.turn = data.turn
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
  const show = () => document.querySelector(".st-key-part_" + data.part)
    ?.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" })
  const later = [100, 700].map((wait) => setTimeout(show, wait)) // while others fold
  return () => later.forEach(clearTimeout)
}
