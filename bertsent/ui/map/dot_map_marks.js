// Tells the map of that key what is marked on it, however late the map itself comes.
export default function ({ data }) {
  const marks = (window.bertsentMapMarks ??= new Map())
  marks.set(data.chart, data)
  document.dispatchEvent(new CustomEvent("bertsent-map", { detail: data }))
}
