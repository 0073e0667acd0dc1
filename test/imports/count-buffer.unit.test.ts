import { LocalDayCache } from '../../db/calendar/local-day-cache'
import { dayNumber } from '../../db/calendar/local-days'
import { readNodeRules } from '../../db/calendar/zone-rules'
import { CountBuffer } from '../../imports/counts/count-buffer'

const days = new LocalDayCache({ get: readNodeRules })
const installation = { from: 0, to: Number.POSITIVE_INFINITY, asset: 1, company: 1, zone: 'UTC', nativeMinutes: 60 }
const sensor = { number: 1, installations: [installation] }
const otherSensor = { ...sensor, number: 2 }

function fill(limit: number, counts: [date: string, interval: number, count: number][], from = sensor): CountBuffer {
  const buffer = new CountBuffer(limit)
  counts.forEach(([date, interval, count], i) => {
    buffer.add(buffer.openDay(from, installation, days.day('UTC', dayNumber(date))), interval, count, i + 2)
  })
  return buffer
}

const drain = (buffer: CountBuffer, all: boolean) =>
  [...buffer.drain(all)].map(([{ day }, { intervals, counts, lines }]) => [
    day.date,
    [...intervals].map((interval, i) => [interval, counts[i], lines[i]]),
  ])

describe('the buffer of counts', () => {
  test('returns the counts of each day in the order of the file, and the days by date', () => {
    const buffer = fill(10, [
      ['2026-03-02', 5, 50],
      ['2026-03-01', 3, 30],
      ['2026-03-02', 4, 40],
      ['2026-03-02', 5, 51],
    ])
    expect(drain(buffer, true)).toEqual([
      ['2026-03-01', [[3, 30, 3]]],
      [
        '2026-03-02',
        [
          [5, 50, 2],
          [4, 40, 4],
          [5, 51, 5],
        ],
      ],
    ])
    expect(drain(buffer, true)).toEqual([])
  })

  test('keeps the days of the most recent counts when it is full', () => {
    const counts = (date: string, length: number) =>
      Array.from({ length }, (_, i): [string, number, number] => [date, i, 1])
    const buffer = fill(10, [...counts('2026-03-01', 7), ...counts('2026-03-02', 3)])
    expect(buffer.isFull).toBe(true)
    expect(drain(buffer, false).map(([date]) => date)).toEqual(['2026-03-01'])
    expect(buffer.isFull).toBe(false)
    expect(drain(buffer, true)).toEqual([
      [
        '2026-03-02',
        [
          [0, 1, 9],
          [1, 1, 10],
          [2, 1, 11],
        ],
      ],
    ])
  })

  test('makes room even if every day is recent', () => {
    const buffer = fill(
      10,
      Array.from({ length: 10 }, (_, i): [string, number, number] => ['2026-03-01', i, 1]),
    )
    expect(drain(buffer, false)).toHaveLength(1)
    expect(buffer.isFull).toBe(false)
  })

  test('marks drained days, which receive no further counts', () => {
    const buffer = new CountBuffer(10)
    const march1 = days.day('UTC', dayNumber('2026-03-01'))
    const day = buffer.openDay(sensor, installation, march1)
    expect(buffer.openDay(sensor, installation, march1)).toBe(day)
    expect(buffer.openDay(otherSensor, installation, march1)).not.toBe(day)
    buffer.add(day, 0, 1, 2)
    drain(buffer, true)
    expect(day.index).toBe(-1)
    expect(buffer.openDay(sensor, installation, march1)).not.toBe(day)
  })
})
