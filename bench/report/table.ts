/** Tables, as Markdown and as aligned text, and numbers as they are told in them. */

export type Cell = string | number | undefined

/** A table in Markdown; all columns but the first are numbers. */
export function markdown(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map(cell => cell ?? '–').join(' | ')} |`
  const rule = `|${header.map((_, i) => (i === 0 ? '---' : '---:')).join('|')}|`
  return [line(header), rule, ...rows.map(line)].join('\n')
}

/** The same for a terminal. */
export function aligned(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [header, ...rows].map(row => row.map(cell => String(cell ?? '–')))
  const widths = header.map((_, i) => Math.max(...texts.map(row => row[i]?.length ?? 0)))
  const pad = (text: string, i: number) =>
    i === 0 ? text.padEnd(widths[i] as number) : text.padStart(widths[i] as number)
  return texts.map(row => row.map(pad).join('  ')).join('\n')
}

/** A number with so many digits that matter, thousands apart. */
export function short(number: number | undefined, digits = 3): string | undefined {
  if (number === undefined || !Number.isFinite(number)) return undefined
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.max(Math.abs(number), 1e-9))))
  return number.toLocaleString('en', {
    minimumFractionDigits: Math.min(decimals, 3),
    maximumFractionDigits: Math.min(decimals, 3),
  })
}

/** A ratio. */
export const times = (ratio: number | undefined): string | undefined =>
  ratio === undefined ? undefined : ratio.toFixed(2)

/** Whole numbers, thousands apart. */
export const whole = (number: number): string => Math.round(number).toLocaleString('en')
