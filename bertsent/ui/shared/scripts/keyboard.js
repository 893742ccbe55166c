// milliseconds that a key waits for what it presses: while the page is drawn, and after that
const PATIENCE = 10000, STILL = 500

export default function ({ data }) {
  // one listener for the life of the page: this component, too, goes and comes back while the page
  // is drawn, and a key that is pressed in between is not lost
  const own = (document.bertsentKeyboard ??= {})
  own.keys = data.keys
  if (own.listening) return
  const writes = (element) => element?.closest?.(
    "input, textarea, select, [contenteditable=true], [role=slider], [role=listbox], [role=combobox], [role=grid]")
  const find = ([selector, place]) => document.querySelectorAll(selector)[place]
  const isDrawn = () => document.querySelector("[data-test-script-state=notRunning]")
  const use = (element) => {
    if (element.matches("input")) {
      element.focus()
      element.select()
    } else {
      element.click()
    }
  }
  const wait = (wanted, until, busy) => {
    const element = find(wanted)
    if (element) return use(element)
    busy = isDrawn() ? busy : Date.now()
    if (Date.now() < Math.min(until, busy + STILL)) setTimeout(wait, 30, wanted, until, busy)
  }
  const pressed = (event) => {
    const wanted = own.keys[event.key]
    if (!wanted || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (event.key !== "Escape" && writes(event.composedPath()[0])) return
    if (find(wanted)) event.preventDefault()
    wait(wanted, Date.now() + PATIENCE, Date.now())
  }
  document.addEventListener("keydown", pressed)
  own.listening = true
}
