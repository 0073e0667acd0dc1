/** Downloads a chart as SVG or PNG, with its caption and its legend. */
import { download } from '../downloads/download'
import type { Colors } from './colors'

export interface Picture {
  svg: SVGSVGElement
  caption: string[]
  legend: { name: string; color: string }[]
  colors: Colors
}

const NAMESPACE = 'http://www.w3.org/2000/svg'
const LINE_HEIGHT = 20
const PADDING = 16
/** PNG files have twice the pixels of the screen, for print and slides. */
const SCALE = 2

export function saveSvg(fileName: string, picture: Picture): void {
  download(`${fileName}.svg`, 'image/svg+xml', serialize(compose(picture)))
}

export async function savePng(fileName: string, picture: Picture): Promise<void> {
  const svg = compose(picture)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(serialize(svg))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = Number(svg.getAttribute('width')) * SCALE
  canvas.height = Number(svg.getAttribute('height')) * SCALE
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/png'))
  if (blob) download(`${fileName}.png`, 'image/png', blob)
}

/** Returns the chart below its caption and legend, as a document of its own. */
function compose({ svg, caption, legend, colors }: Picture): SVGSVGElement {
  const inner = svg.cloneNode(true) as SVGSVGElement
  const [width, height] = [Number(svg.getAttribute('width')), Number(svg.getAttribute('height'))]
  const lines = caption.length + legend.length
  const top = PADDING + lines * LINE_HEIGHT
  const outer = create('svg', { width: width + 2 * PADDING, height: top + height + PADDING })
  outer.append(create('rect', { width: '100%', height: '100%', fill: colors.background }))
  const text = { fill: colors.text, 'font-family': 'system-ui, sans-serif', 'font-size': 13 }
  caption.forEach((line, i) => {
    const node = create('text', { ...text, x: PADDING, y: PADDING + i * LINE_HEIGHT + 12 })
    node.textContent = line
    outer.append(node)
  })
  legend.forEach(({ name, color }, i) => {
    const y = PADDING + (caption.length + i) * LINE_HEIGHT
    const node = create('text', { ...text, x: PADDING + 18, y: y + 12 })
    node.textContent = name
    outer.append(create('rect', { x: PADDING, y: y + 2, width: 11, height: 11, fill: color }), node)
  })
  for (const [name, value] of [
    ['x', PADDING],
    ['y', top],
    ['color', colors.text],
  ] as const)
    inner.setAttribute(name, String(value))
  outer.append(inner)
  return outer as SVGSVGElement
}

function create(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(NAMESPACE, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}

const serialize = (svg: SVGSVGElement): string => new XMLSerializer().serializeToString(svg)
