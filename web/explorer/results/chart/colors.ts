/** Chart colors for the light and the dark theme. */

const LIGHT_SERIES = [
  '#3b6fd4',
  '#d9822b',
  '#2c9c74',
  '#b4508f',
  '#7f6ad0',
  '#b8961f',
  '#3f9bbf',
  '#c2544d',
  '#5b7a3a',
  '#7a6a58',
]
const DARK_SERIES = [
  '#7ea6f4',
  '#eea55f',
  '#62c6a0',
  '#dc88bd',
  '#ab9bef',
  '#d9bd57',
  '#76c5e2',
  '#e88780',
  '#9cbb76',
  '#b3a391',
]

const LIGHT = {
  background: '#ffffff',
  text: '#4d586a',
  line: 'rgba(60, 75, 100, .3)',
  missing: '#b3402e',
  low: '#f6d78b',
  high: '#8a1c4a',
  water: '#e3eaf3',
  border: '#aeb9c8',
  series: LIGHT_SERIES,
}
const DARK = {
  background: '#212a3b',
  text: '#b9c3d1',
  line: 'rgba(160, 175, 200, .3)',
  missing: '#ef8a76',
  low: '#5c4a6e',
  high: '#ffd166',
  water: '#172030',
  border: '#4a5870',
  series: DARK_SERIES,
}

export interface Colors {
  background: string
  text: string
  line: string
  /** The color of cells without data. */
  missing: string
  /** The colors of the smallest and the largest number on a map. */
  low: string
  high: string
  water: string
  border: string
  series: string[]
}

export const chooseColors = (dark: boolean): Colors => (dark ? DARK : LIGHT)

type Rgb = [number, number, number]

const parseHex = (color: string): Rgb => [1, 3, 5].map(i => Number.parseInt(color.slice(i, i + 2), 16)) as Rgb

/** Mixes two colors in `#rrggbb` form; `share` is that of the second one, 0 to 1. */
export function mixColors(first: string, second: string, share: number): string {
  const [a, b] = [parseHex(first), parseHex(second)]
  const mixed = a.map((channel, i) => Math.round(channel + (b[i]! - channel) * share))
  return `#${mixed.map(channel => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Returns black or white, whichever has the larger contrast to a color: at least 4.5:1 (WCAG 2). */
export function readableOn(color: string): '#000000' | '#ffffff' {
  const [red, green, blue] = parseHex(color).map(channel => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as Rgb
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  // The luminance at which the contrasts to black and to white are equal.
  return luminance > 0.179 ? '#000000' : '#ffffff'
}
