/** Downloads a chart as SVG or PNG, with its caption and its legend. */
import { download } from '../downloads/download'
import type { Colors } from './colors'

export interface Picture {
  svg: SVGSVGElement
  caption: string[]
  legend: { name: string; color: string }[]
  colors: Colors
}

const LINE_HEIGHT = 20
const PADDING = 16
/** PNG files have twice the pixels of the screen, for print and slides. */
const SCALE = 2

export function saveSvg(fileName: string, picture: Picture): void {
  download(`${fileName}.svg`, 'image/svg+xml', compose(picture).text)
}

export async function savePng(fileName: string, picture: Picture): Promise<void> {
  const { text, width, height } = compose(picture)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * SCALE
  canvas.height = height * SCALE
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/png'))
  if (blob) download(`${fileName}.png`, 'image/png', blob)
}

/** Returns the chart below its caption and legend, as a document of its own. */
function compose({ svg, caption, legend, colors }: Picture): { text: string; width: number; height: number } {
  const entries = [...caption.map(name => ({ name, color: undefined })), ...legend]
  const top = PADDING + entries.length * LINE_HEIGHT
  const width = Number(svg.getAttribute('width')) + 2 * PADDING
  const height = top + Number(svg.getAttribute('height')) + PADDING
  const lines = entries.map(({ name, color }, i) => {
    const y = PADDING + i * LINE_HEIGHT
    const swatch = color && `<rect x="${PADDING}" y="${y + 2}" width="11" height="11" fill="${color}"/>`
    return `${swatch ?? ''}<text x="${PADDING + (color ? 18 : 0)}" y="${y + 12}">${name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
  })
  const inner = svg.cloneNode(true) as SVGSVGElement
  for (const [name, value] of Object.entries({ x: PADDING, y: top, color: colors.text }))
    inner.setAttribute(name, String(value))
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<rect width="100%" height="100%" fill="${colors.background}"/>
<g fill="${colors.text}" font-family="system-ui, sans-serif" font-size="13">${lines.join('')}</g>
${new XMLSerializer().serializeToString(inner)}
</svg>
`
  return { text, width, height }
}
