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
  /** Cells without data, and chosen assets. */
  missing: '#b3402e',
  /** The cells of the smallest and the largest number, on both of which `onCell` is readable. */
  cells: ['#f3f6fc', '#4f7dd8'],
  onCell: '#000',
  /** The smallest and the largest number on a map. */
  low: '#f6d78b',
  high: '#8a1c4a',
  water: '#e3eaf3',
  border: '#aeb9c8',
  series: LIGHT_SERIES,
}
const DARK: Colors = {
  background: '#212a3b',
  text: '#b9c3d1',
  line: 'rgba(160, 175, 200, .3)',
  missing: '#ef8a76',
  cells: ['#273146', '#3b6fd4'],
  onCell: '#fff',
  low: '#5c4a6e',
  high: '#ffd166',
  water: '#172030',
  border: '#4a5870',
  series: DARK_SERIES,
}

export type Colors = typeof LIGHT

export const chooseColors = (dark: boolean): Colors => (dark ? DARK : LIGHT)
