export default function ({ data, parentElement }) {
  const own = (parentElement.own ??= {})
  own.keys = data.keys
  if (own.listening) return
  const writes = (element) => element?.closest?.(
    "input, textarea, select, [contenteditable=true], [role=slider], [role=listbox], [role=combobox], [role=grid]")
  const pressed = (event) => {
    const found = own.keys[event.key]
    if (!found || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (event.key !== "Escape" && writes(event.composedPath()[0])) return
    const element = document.querySelectorAll(found[0])[found[1]]
    if (!element) return
    event.preventDefault()
    if (element.matches("input")) {
      element.focus()
      element.select()
    } else {
      element.click()
    }
  }
  document.addEventListener("keydown", pressed)
  own.listening = true
  return () => {
    document.removeEventListener("keydown", pressed)
    own.listening = false
  }
}
