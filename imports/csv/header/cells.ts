/** The cells of a record that are rows of their own: counts of sensors in a wide file, or of times of the row's day. */
import { quote } from '../../../db/file-errors'
import { readRange, writeRange } from '../times/range-format'
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

const DAY = 1440

/** Minutes since midnight, and the text by which an import knows the time. */
interface Time {
  minute: number
  text: string
}

/**
 * Returns the cells of a file with the times of the day across.
 *
 * @param indexes of the columns that are times
 * @param areEnds whether they name the ends of intervals
 */
export function timeCells(
  names: readonly string[],
  indexes: readonly number[],
  areEnds: boolean,
  refuse: (why: string) => never,
): Cell[] {
  const [first] = indexes
  if (first === undefined)
    return refuse('has no column that is a time: with --across, all others are mapped or ignored')
  // 0, H0 or 0000 is an hour if the first one is midnight: where numbers begin at 1, it may be the first hour or 1:00.
  const isLoose = !readTime(names[first]!, false) && readTime(names[first]!, true)?.minute === 0
  const times = indexes.map(index => {
    const name = names[index]!
    const time = readTime(name, isLoose)
    if (time) return { name, index, ...time }
    return refuse(
      `has the column ${quote(name)}, which is not a time of the day such as 08:00, 8 AM or 08:00-09:00 (--across): ` +
        `map it, or leave it out with --ignore ${quote(name)}`,
    )
  })
  const last = times.at(-1)
  if (areEnds && last?.minute === 0 && times.length > 1) Object.assign(last, { minute: DAY, text: clockText(DAY) })
  for (const [i, { name, minute }] of times.entries()) {
    const before = times[i - 1]
    if (minute === DAY && !areEnds) {
      refuse(`has the column ${quote(name)}: give --stamps end if each time is the end of its interval (--across)`)
    }
    if (before && minute <= before.minute) {
      const end = minute === 0 ? '; if each is the end of its interval, give --stamps end' : ''
      refuse(
        `has the column ${quote(name)} behind ${quote(before.name)}: with --across, the times of a day ascend, ` +
          `and each is there once${end}`,
      )
    }
  }
  return times.map(({ name, index, text }) => ({
    column: 'start',
    value: text,
    label: `column ${quote(name)}`,
    indexes: [index],
  }))
}

/** @param isLoose whether digits alone are an hour */
function readTime(name: string, isLoose: boolean): Time | undefined {
  const range = readRange(name)
  if (range) return isLoose || name.includes(':') ? { minute: range.start / 60, text: writeRange(range) } : undefined
  const short = /^(\d\d)(\d\d)$/.exec(name)
  const [, hours, minutes, half] = short ?? /^h?(\d{1,2})(?::(\d\d))?(?::00)?\s*(?:([ap])\.?m?\.?)?$/i.exec(name) ?? []
  if (hours === undefined || !(isLoose || (!short && (minutes ?? half) !== undefined))) return undefined
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)]
  if (minute > 59 || (half ? hour < 1 || hour > 12 : hour * 60 + minute > DAY)) return undefined
  const hourOfDay = half ? (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : hour
  return { minute: hourOfDay * 60 + minute, text: clockText(hourOfDay * 60 + minute) }
}

const clockText = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map(part => String(part).padStart(2, '0')).join(':')
