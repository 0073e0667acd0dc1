import fc from 'fast-check'
import type { ImportOptions } from '../../imports/import-file'
import { Counting } from '../support/counting'
import { testProperty } from '../support/fuzz'

let counting: Counting
beforeAll(async () => {
  counting = await Counting.open()
})
afterAll(() => counting.world.stop())

const TIMES = [
  ...['00', '05', '10', '15', '30'].map(minute => `2026-03-28T10:${minute}`),
  ...['2026-03-29T01:45', '2026-03-29T02:15', '2026-03-29T03:00'],
  ...['2025-10-26T02:00+02:00', '2025-10-26T02:00+01:00', '2025-10-26T00:00Z', '2026-03-28T09:15Z'],
]

const row = fc
  .tuple(fc.constantFrom(...TIMES), fc.constantFrom('1', '1', '2', '3', '', 'x'))
  .map(([time, count]) => `${time},${count}`)

const files = fc
  .array(row, { minLength: 2, maxLength: 14 })
  .chain(rows => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })))

const options = fc.constantFrom<ImportOptions>(
  {},
  { interval: 'quarter_hour' },
  { interval: 'quarter_hour', erase: true, skippedHour: 'drop' },
  { sumToGrain: true, skippedHour: 'drop' },
  { sumToGrain: true, erase: true },
)

testProperty(
  'row order',
  'rows in any order are stored and rejected alike',
  fc.tuple(files, options),
  async ([orders, given]) => {
    const outcomes = []
    for (const rows of orders) {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      await counting.give(['2026-03-28T10:15,1', '2026-03-28T10:30,2'])
      const { errors, ...figures } = await counting.give(rows, { ...given, skipFaulty: true })
      const { read, ...parts } = figures
      expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(read)
      const rejected = errors.map(error => rows[Number.parseInt(error, 10) - 2] ?? 'file').sort()
      outcomes.push({ figures, rejected, counts: await counting.counts() })
    }
    expect(outcomes[1]).toEqual(outcomes[0])
  },
)
