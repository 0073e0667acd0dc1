/** Files that the browser downloads. */
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

const SCALE = 2
const LINE_HEIGHT = 18

/** Saves a chart as a picture below its caption and legend: a chart alone does not say what it shows. */
export async function savePng(
  name: string,
  svg: SVGSVGElement,
  lines: readonly string[],
  series: readonly [name: string, color: string][],
): Promise<void> {
  const { color, backgroundColor } = getComputedStyle(document.body)
  const copy = svg.cloneNode(true) as SVGSVGElement
  copy.style.color = color
  const image = new Image()
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
  await image.decode()
  const texts = [
    ...lines.map(line => [line, color] as const),
    ...series.map(([of, fill]) => [`■ ${of}`, fill] as const),
  ]
  const top = (texts.length + 1) * LINE_HEIGHT
  const canvas = document.createElement('canvas')
  canvas.width = image.width * SCALE
  canvas.height = (top + image.height) * SCALE
  const context = canvas.getContext('2d')!
  context.scale(SCALE, SCALE)
  context.font = '12px system-ui, sans-serif'
  context.fillStyle = backgroundColor
  context.fillRect(0, 0, canvas.width, canvas.height)
  for (const [i, [text, fill]] of texts.entries()) {
    context.fillStyle = fill
    // Text that is too long is condensed.
    context.fillText(text, 4, (i + 1) * LINE_HEIGHT, image.width - 8)
  }
  context.drawImage(image, 0, top)
  canvas.toBlob(blob => blob && download(`${name}.png`, blob))
}

/** Returns the separator of spreadsheets in the language of the browser. */
const findSeparator = (): Separator => ((1.5).toLocaleString().includes(',') ? ';' : ',')

export const saveCsv = (name: string, columns: readonly string[], rows: readonly Row[]): void =>
  download(`${name}.csv`, new Blob([writeCsv(columns, rows, findSeparator())], { type: 'text/csv;charset=utf-8' }))
