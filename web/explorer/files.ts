/** Files that the browser downloads: the rows of a table, and the picture of a chart. */
import type { Colors } from './chart'
import { type Row, type Separator, writeCsv } from './rows'

function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Revoking the URL at once can cancel the download.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Returns the separator of spreadsheets in the language of the browser. */
const findSeparator = (): Separator => ((1.5).toLocaleString().includes(',') ? ';' : ',')

export const saveCsv = (name: string, columns: readonly string[], rows: readonly Row[]): void =>
  download(`${name}.csv`, new Blob([writeCsv(columns, rows, findSeparator())], { type: 'text/csv;charset=utf-8' }))

export interface Picture {
  svg: SVGSVGElement
  caption: readonly string[]
  legend: readonly { name: string; color: string }[]
  colors: Colors
}

const LINE_HEIGHT = 20
const PADDING = 16
/** PNG files have twice the pixels of the screen, for print and slides. */
const SCALE = 2

export async function savePng(name: string, picture: Picture): Promise<void> {
  const svg = compose(picture)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = image.width * SCALE
  canvas.height = image.height * SCALE
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/png'))
  if (blob) download(`${name}.png`, blob)
}

/** Returns the chart below its caption and legend. */
function compose({ svg, caption, legend, colors }: Picture): SVGElement {
  const entries = [...caption.map(name => ({ name, color: undefined })), ...legend]
  const top = PADDING + entries.length * LINE_HEIGHT
  const width = Number(svg.getAttribute('width')) + 2 * PADDING
  const height = top + Number(svg.getAttribute('height')) + PADDING
  const whole = create('svg', { width, height, fill: colors.text, 'font-family': 'system-ui, sans-serif' })
  whole.append(create('rect', { width, height, fill: colors.background }))
  entries.forEach(({ name, color }, i) => {
    const y = PADDING + i * LINE_HEIGHT
    if (color) whole.append(create('rect', { x: PADDING, y: y + 2, width: 11, height: 11, fill: color }))
    const text = create('text', { x: PADDING + (color ? 18 : 0), y: y + 12, 'font-size': 13 })
    text.textContent = name
    whole.append(text)
  })
  const inner = svg.cloneNode(true) as SVGSVGElement
  for (const [key, value] of Object.entries({ x: PADDING, y: top, color: colors.text }))
    inner.setAttribute(key, String(value))
  whole.append(inner)
  return whole
}

function create(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}
