import fc from 'fast-check'
import type { ImportOptions } from '../../imports/import-file'
import { Counting } from '../support/counting'
import { testProperty } from '../support/fuzz'

let counting: Counting
beforeAll(async () => {
  counting = await Counting.open()
})
afterAll(() => counting.world.stop())

interface Form {
  zone?: string
  times: readonly string[]
  options: readonly ImportOptions[]
}

const CLOCK_TIMES = [
  ...['00', '05', '10', '15', '30'].map(minute => `2026-03-28T10:${minute}`),
  ...['2026-03-29T01:45', '2026-03-29T02:15', '2026-03-29T03:00'],
]

const PARTS: ImportOptions = { sumToGrain: true, skippedHour: 'drop' }

const FORMS: readonly Form[] = [
  {
    times: [
      ...CLOCK_TIMES,
      ...['2025-10-26T02:00+02:00', '2025-10-26T02:00+01:00', '2025-10-26T00:00Z', '2026-03-28T09:15Z'],
    ],
    options: [
      {},
      { interval: 'quarter_hour' },
      { interval: 'quarter_hour', erase: true, skippedHour: 'drop' },
      PARTS,
      { sumToGrain: true, erase: true },
    ],
  },
  {
    times: [...CLOCK_TIMES, '2026-03-29T02:00', '2026-03-29T03:15', '2026-03-28T10:15:30'],
    options: [{ stamps: 'end' }, { stamps: 'end', erase: true, skippedHour: 'drop' }, { ...PARTS, stamps: 'end' }],
  },
  {
    times: ['10:00-10:05', '10:05-10:10', '10:10-10:15', '10:00-10:15', '10:15-10:45'].map(
      time => `2026-03-28 ${time}`,
    ),
    options: [{}, { sumToGrain: true }, { sumToGrain: true, interval: 'minute' }].map(each => ({
      ...each,
      timeFormat: ['range'],
    })) as ImportOptions[],
  },
  {
    zone: 'America/New_York',
    times: ['04:45-05:00', '05:00-05:00', '04:30-04:00', '05:00-04:00'].map(time => `2026-03-28T${time}`),
    options: [{}, { sumToGrain: true }],
  },
]

const files = ({ zone = 'Europe/Berlin', times, options }: Form) => {
  const row = fc
    .tuple(fc.constantFrom(...times), fc.constantFrom('1', '1', '2', '3', '', 'x'))
    .map(([time, count]) => `${time},${count}`)
  const file = fc
    .array(row, { minLength: 2, maxLength: 14 })
    .chain(rows => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })))
  return fc.tuple(fc.constant(zone), fc.tuple(file, file), fc.constantFrom(...options))
}

testProperty(
  'row order',
  'rows in any order are stored and rejected alike',
  fc.oneof(...FORMS.map(files)),
  async ([zone, given, options]) => {
    const outcomes = []
    for (const order of [0, 1] as const) {
      await counting.sensorIn(zone, 'quarter_hour')
      const results = []
      for (const orders of given) results.push(await giveFile(orders[order], options))
      outcomes.push({ results, counts: await counting.counts() })
    }
    expect(outcomes[1]).toEqual(outcomes[0])
  },
)

async function giveFile(rows: readonly string[], options: ImportOptions) {
  const { errors, ...figures } = await counting.give(rows, { ...options, skipFaulty: true })
  const { read, rejected, ...others } = figures
  expect(Object.values(others).reduce((sum, part) => sum + part, rejected)).toBe(read)
  const found = errors.map(error => rows[Number.parseInt(error, 10) - 2] ?? 'file').sort()
  // A file that one of its rows refuses is read no further.
  return errors.length > rejected && !found.includes('file') ? 'refused' : { figures, found }
}
