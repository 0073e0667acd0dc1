/** Tables as Markdown and as aligned text, and the format of numbers in them. */

export type Cell = string | number | undefined

/** A Markdown table whose columns except the first are aligned to the right. */
export function markdown(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map(cell => cell ?? '–').join(' | ')} |`
  const rule = `|${header.map((_, i) => (i === 0 ? '---' : '---:')).join('|')}|`
  return [line(header), rule, ...rows.map(line)].join('\n')
}

/** The same as plain text, for a terminal. */
export function aligned(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [header, ...rows].map(row => row.map(cell => String(cell ?? '–')))
  const widths = header.map((_, i) => Math.max(...texts.map(row => row[i]?.length ?? 0)))
  const pad = (text: string, i: number) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))
  return texts.map(row => row.map(pad).join('  ')).join('\n')
}

/** A number with this many significant digits and thousands separators. */
export function short(number: number | undefined, digits = 3): string | undefined {
  if (number === undefined || !Number.isFinite(number)) return undefined
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.max(Math.abs(number), 1e-9))))
  return number.toLocaleString('en', {
    minimumFractionDigits: Math.min(decimals, 3),
    maximumFractionDigits: Math.min(decimals, 3),
  })
}

export const ratio = (value: number | undefined): string | undefined => value?.toFixed(2)

/** A number rounded to an integer, with thousands separators. */
export const whole = (number: number): string => Math.round(number).toLocaleString('en')
