import { Counting } from '../support/counting'
import { refused, stored, unchanged } from '../support/importing'

describe('counts that are added up to the grain of their sensor', () => {
  let counting: Counting
  beforeAll(async () => {
    counting = await Counting.open()
  })
  afterAll(() => counting.imports.close())
  beforeEach(() => counting.imports.clear())

  const parts = ['2026-03-01T10:00,1', '2026-03-01T10:05,2', '2026-03-01T10:10,3', '2026-03-01T10:15,4']
  const give = (rows: readonly string[], options = {}) => counting.give(rows, { sumToGrain: true, ...options })

  test.each([1, 2, 1000])(
    'are stored as sums, in any order and with a buffer of %d counts',
    async maxBufferedCounts => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const rows = [...parts].reverse()
      expect(await counting.give(rows)).toMatchObject({ rejected: 2 })
      expect(await give(rows, { maxBufferedCounts })).toEqual(stored(4))
      expect(await counting.counts()).toEqual([['2026-03-01', { 40: 6, 41: 4 }]])
      expect(await give(rows, { maxBufferedCounts })).toEqual(unchanged(4))
    },
  )

  test.each([1, 1000])('count once if they are identical, with a buffer of %d counts', async maxBufferedCounts => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const rows = [...parts, '2026-03-01T10:05,2', '2026-03-01T09:10Z,3', '2026-03-01T10:05,']
    expect(await give(rows, { maxBufferedCounts })).toEqual({ ...stored(4), read: 7, unchanged: 3 })
    expect(await counting.counts()).toEqual([['2026-03-01', { 40: 6, 41: 4 }]])
  })

  test.each([1, 1000])(
    'make errors of all parts of an interval if one is faulty or has two values, with a buffer of %d counts',
    async maxBufferedCounts => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const part = (line: number) =>
        `impressions is part of an interval that would be incomplete, because line ${line} has an error`
      const two = [...parts, '2026-03-01T10:05,7']
      expect(await give(two, { skipFaulty: true, maxBufferedCounts })).toEqual({
        ...stored(1),
        read: 5,
        rejected: 4,
        errors: [
          `2: ${part(6)}`,
          `3: ${part(6)}`,
          `4: ${part(6)}`,
          '6: impressions is 7, but line 3 has 2 for the same interval',
        ],
      })
      const faulty = ['2026-03-02T10:00,x', ...parts.map(row => row.replace('01T', '02T'))]
      expect(await give(faulty.toSpliced(1, 1), { skipFaulty: true, maxBufferedCounts })).toMatchObject({
        stored: 1,
        rejected: 3,
      })
      expect(await counting.counts()).toEqual([
        ['2026-03-01', { 41: 4 }],
        ['2026-03-02', { 41: 4 }],
      ])
    },
  )

  test.each([
    ['sensor,start,impressions', 'S1,2026-03-01T10:00,1.000', 'S1,2026-03-01T10:05,2'],
    ['start,S1', '2026-03-01T10:00,1.000', '2026-03-01T10:05,2'],
  ])(
    'make errors of all parts of an interval if one is no whole number, in a file with the header %s',
    async (...file) => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const options = { sumToGrain: true, skipFaulty: true, wide: file[0] === 'start,S1' }
      const { rejected, errors } = await counting.imports.run('impressions', file, options)
      expect([rejected, errors[0]]).toEqual([
        2,
        expect.stringMatching(/^2: .*impressions is not a whole number .*: "1.000"$/),
      ])
    },
  )

  test('are errors if the interval is stored, unless they add up to it', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    await give(parts)
    const reason =
      'impressions is part of an interval that adds up to 3, but 6 is stored: all parts of an interval must be in one file (to replace the stored count, delete it first)'
    expect(await give(['2026-03-01T10:10,3', '2026-03-01T10:15,4', '2026-03-01T10:30,5'])).toEqual(
      refused(3, [`2: ${reason}`]),
    )
    expect(await give(['2026-03-01T10:00,6'])).toEqual(unchanged(1))
    expect(await give(['2026-03-01T10:00,', '2026-03-01T10:05,'], { erase: true })).toMatchObject({ erased: 2 })
    expect(await counting.counts()).toEqual([['2026-03-01', { 41: 4 }]])
  })

  test('are errors if they add up to more than a count can be', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const { errors } = await give(['2026-03-01T10:00,2147483647', '2026-03-01T10:05,1'])
    expect(errors).toEqual([2, 3].map(line => expect.stringMatching(`^${line}: .* more than 2147483647$`)))
  })

  test('are those of the two passes of a repeated hour', async () => {
    await counting.sensorIn('Europe/Berlin', 'hour')
    const rows = ['02:00', '02:30', '02:00', '02:30'].map((time, i) => `2025-10-26T${time},${i}`)
    expect(await give(rows)).toEqual(stored(4))
    expect(await counting.counts()).toEqual([['2025-10-26', { 2: 1, 3: 5 }]])
    await counting.imports.clear()
    await counting.sensorIn('Europe/Berlin', 'hour')
    expect(await give(rows.slice(2))).toMatchObject({ rejected: 2 })
    expect(await give(rows.slice(2), { repeatedHour: 'second' })).toEqual(stored(2))
    expect(await counting.counts()).toEqual([['2025-10-26', { 3: 5 }]])
    expect(await give(rows.slice(2), { repeatedHour: 'second' })).toEqual(unchanged(2))
    const other = rows.slice(2).map(row => row.replace(',2', ',3'))
    expect(await give(other, { repeatedHour: 'second' })).toMatchObject({ rejected: 2 })
  })

  const every = (minutes: number, from = 0) =>
    Array.from({ length: 12 }, (_, i) => {
      const at = 480 + from + i * minutes
      return `2026-03-02T${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')},${i + 1}`
    })
  const ALL = { minute: 'minute', quarter_hour: 'quarter hour', hour: 'hour', day: 'day' } as const

  test.each([
    ['ten minutes', 'quarter_hour', every(10), '10 minutes', 'hour'],
    ['twenty-five minutes', 'hour', every(25), '25 minutes', undefined],
    ['quarter hours from 08:07 on', 'quarter_hour', every(15, 7), '15 minutes', undefined],
    ['half hours from 08:15 on', 'hour', every(30, 15), '30 minutes', undefined],
  ] as const)('have to divide the interval of the sensor: %s do not (%s)', async (_, grain, rows, length, holding) => {
    await counting.sensorIn('Europe/Berlin', grain)
    for (const maxBufferedCounts of [1, 1000]) {
      const outcome = await give(rows, { maxBufferedCounts, skipFaulty: true })
      const advice = holding ? `if a row covers ${length}, .*finest_grain ${holding}, and give --sum` : 'no grain holds'
      const reason = `of sensor "S1" on 2026-03-02 are multiples of ${length} apart, which do not add up to its ${ALL[grain]}s: `
      expect([outcome.errors, outcome.stored]).toEqual([
        [expect.stringMatching(`^file: the rows ${reason}${advice}`)],
        0,
      ])
    }
    for (const stamps of ['start', 'end'] as const) {
      const unsummed = (await counting.give(rows, { stamps })).errors.join()
      if (length === '10 minutes') expect(unsummed).not.toContain('--sum-to-grain adds')
    }
    await counting.imports.clear()
    if (!holding) return
    await counting.sensorIn('Europe/Berlin', holding)
    expect(await give(rows)).toEqual(stored(12))
    expect(await counting.counts()).toEqual([['2026-03-02', { 8: 21, 9: 57 }]])
    await counting.imports.pool.query('DELETE FROM sensor_days')
    expect(await give(rows, { stamps: 'end' })).toEqual(stored(12))
    expect(await counting.counts()).toEqual([['2026-03-02', { 7: 1, 8: 27, 9: 50 }]])
  })

  test.each([
    ['five minutes', 'quarter_hour', every(5)],
    ['half hours', 'hour', every(30)],
    ['hours', 'day', every(60)],
  ] as const)('are proposed where they divide the interval: %s do (%s)', async (_, grain, rows) => {
    await counting.sensorIn('Europe/Berlin', grain)
    for (const stamps of ['start', 'end'] as const) {
      await counting.imports.pool.query('DELETE FROM sensor_days')
      expect((await counting.give(rows, { stamps })).errors.join()).toContain('--sum-to-grain adds up finer counts')
      expect(await give(rows, { stamps })).toEqual(stored(12))
      expect(await counting.sum()).toBe(78)
    }
  })

  test('belong to the installation where the interval starts', async () => {
    await counting.sensorIn('Europe/Berlin', 'hour', { removed_at: '2026-03-01T09:20:00Z' })
    const rows = ['2026-03-01T10:00,1', '2026-03-01T10:30,2', '2026-03-01T11:00,4']
    expect(await give(rows, { skipFaulty: true })).toMatchObject({ stored: 2, rejected: 1 })
    expect(await counting.counts()).toEqual([['2026-03-01', { 10: 3 }]])
    expect(await give(rows, { extendInstallations: true })).toMatchObject({ stored: 1, unchanged: 2 })
  })
})
