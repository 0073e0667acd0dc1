/** The columns of a wide file that are sensors. */
import { quote } from '../errors'
import { columnsJoined, matchPattern } from './column-names'

export interface SensorColumn {
  serial: string
  index: number
  /** Further columns, which are added up with the first one. */
  added?: readonly number[]
}

/** The columns of a sensor that are added up; none where the file lacks one of them. */
interface SummedColumns {
  serial: string
  text: string
  indexes: readonly number[]
}

/** @param sums `[serial, A+B]` */
export const readSums = (names: readonly string[], sums: readonly (readonly [string, string])[]): SummedColumns[] =>
  sums.map(([serial, text]) => ({ serial, text, indexes: columnsJoined(text, names) ?? [] }))

/**
 * @param indexes of the columns that are sensors
 * @param serials `[name in the file, serial]` of those with another name
 * @param refuse throws an error with this reason
 */
export function readSensorColumns(
  names: readonly string[],
  indexes: readonly number[],
  serials: readonly (readonly [string, string])[],
  sums: readonly SummedColumns[],
  refuse: (reason: string) => never,
): SensorColumn[] {
  const summed = new Set(sums.flatMap(sum => sum.indexes))
  const sensors: SensorColumn[] = indexes
    .filter(index => !summed.has(index))
    .map(index => ({ serial: findSerial(names[index] as string, serials), index }))
  for (const { serial, indexes: columns } of sums) {
    const [index, ...added] = columns
    if (index !== undefined) sensors.push({ serial, index, added })
  }
  if (sensors.length === 0) refuse('has no column of a sensor: with --wide, all columns but start are sensors')
  const seen = new Set<string>()
  for (const { serial } of sensors) {
    if (seen.has(serial)) {
      const way = `add them up with --sum ${quote(`${serial}=A+B`)}, or leave one out with --ignore`
      refuse(`has two columns of the sensor ${quote(serial)}: ${way}`)
    }
    seen.add(serial)
  }
  return sensors
}

/** Returns the serial of a column; that of its whole name goes before that of a pattern. */
function findSerial(name: string, serials: readonly (readonly [string, string])[]): string {
  const exact = serials.find(([given]) => given.trim() === name)
  if (exact) return exact[1]
  for (const [given, serial] of serials) {
    const texts = given.includes('*') && matchPattern(given.trim(), name)
    if (texts) return serial.replace(/\*/g, () => texts.shift() ?? '*')
  }
  return name
}
