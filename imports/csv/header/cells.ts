/** The cells of a record that are rows of their own: counts of sensors in a wide file, or of times of the row's day. */
import { quote } from '../../../db/file-errors'
import { columnsJoined, matchPattern } from './column-names'

export interface Cell {
  /** The column that the name of the cell gives: a sensor's serial, or a time like 08:00. */
  column: 'sensor' | 'start'
  value: string
  /** The name in messages. */
  label: string
  /** The columns that have its counts, which are added up. */
  indexes: readonly number[]
}

/** Columns that are added up; none where the file lacks one of them. */
export interface SummedColumns {
  /** The serial of their sensor in a wide file, or `impressions`. */
  name: string
  text: string
  indexes: readonly number[]
}

/** @param sums `[serial or impressions, A+B]` */
export const readSums = (names: readonly string[], sums: readonly (readonly [string, string])[]): SummedColumns[] =>
  sums.map(([name, text]) => ({ name, text, indexes: columnsJoined(text, names) ?? [] }))

/**
 * Returns the cells of a wide file.
 *
 * @param indexes of the columns that are sensors
 * @param serials `[name in the file, serial]` of those with another name
 * @param refuse throws an error with this reason
 */
export function sensorCells(
  names: readonly string[],
  indexes: readonly number[],
  serials: readonly (readonly [string, string])[],
  sums: readonly SummedColumns[],
  refuse: (reason: string) => never,
): Cell[] {
  const summed = new Set(sums.flatMap(sum => sum.indexes))
  const cell = (serial: string, columns: readonly number[]): Cell => ({
    column: 'sensor',
    value: serial,
    label: `sensor ${quote(serial)}`,
    indexes: columns,
  })
  const cells = [
    ...indexes.filter(index => !summed.has(index)).map(index => cell(findSerial(names[index]!, serials), [index])),
    ...sums.filter(sum => sum.indexes.length > 0).map(({ name, indexes: columns }) => cell(name, columns)),
  ]
  if (cells.length === 0) refuse('has no column of a sensor: with --wide, all columns but start are sensors')
  const seen = new Set<string>()
  for (const { value: serial } of cells) {
    if (seen.has(serial)) {
      const way = `add them up with --sum ${quote(`${serial}=A+B`)}, or leave one out with --ignore`
      refuse(`has two columns of the sensor ${quote(serial)}: ${way}`)
    }
    seen.add(serial)
  }
  return cells
}

/** Returns the serial of a sensor; that of its whole name goes before that of a pattern. Without any it is the name. */
export function findSerial(name: string, serials: readonly (readonly [string, string])[]): string {
  const exact = serials.find(([given]) => given.trim() === name)
  if (exact) return exact[1]
  for (const [given, serial] of serials) {
    const texts = given.includes('*') && matchPattern(given.trim(), name)
    if (texts) return serial.replace(/\*/g, () => texts.shift() ?? '*')
  }
  return name
}
