const PATIENCE = 5000 // milliseconds that a key waits for what it presses, while the page is drawn

export default function ({ data }) {
  // one listener for the life of the page: this component, too, goes and comes back while the page
  // is drawn, and a key that is pressed in between is not lost
  const own = (document.bertsentKeyboard ??= {})
  own.keys = data.keys
  if (own.listening) return
  const writes = (element) => element?.closest?.(
    "input, textarea, select, [contenteditable=true], [role=slider], [role=listbox], [role=combobox], [role=grid]")
  const find = ([selector, place]) => document.querySelectorAll(selector)[place]
  const isDrawn = () => !document.querySelector("[data-test-script-state=running]")
  const use = (element) => {
    if (element.matches("input")) {
      element.focus()
      element.select()
    } else {
      element.click()
    }
  }
  const wait = (wanted, until) => {
    const element = find(wanted)
    if (element) use(element)
    else if (!isDrawn() && Date.now() < until) setTimeout(wait, 30, wanted, until)
  }
  const pressed = (event) => {
    const wanted = own.keys[event.key]
    if (!wanted || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (event.key !== "Escape" && writes(event.composedPath()[0])) return
    if (find(wanted)) event.preventDefault()
    wait(wanted, Date.now() + PATIENCE)
  }
  document.addEventListener("keydown", pressed)
  own.listening = true
}
