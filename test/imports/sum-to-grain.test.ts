import { Temporal } from 'temporal-polyfill'
import type { IncompleteIntervals } from '../../imports/counts/count-options'
import { Counting } from '../support/counting'
import { refused, stored, unchanged } from '../support/outcomes'

describe('counts that are added up to the grain of their sensor', () => {
  let counting: Counting
  beforeAll(async () => {
    counting = await Counting.open()
  })
  afterAll(() => counting.world.stop())

  /** The parts of two quarter hours. */
  const parts = ['00', '05', '10', '15', '20', '25'].map((minute, i) => `2026-03-01T10:${minute},${i + 1}`)
  const give = (rows: readonly string[], options = {}) => counting.give(rows, { sumToGrain: true, ...options })

  test('are errors if two start at once, identical or not', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const reason = (line: number) =>
      `start is that of line ${line} too: with --sum-to-grain each row is another part of an interval (a row for each event is no count)`
    const twice = [...parts, '2026-03-01T10:05,2', '2026-03-01T09:10Z,7', '2026-03-01T10:20,']
    const errors = [`8: ${reason(3)}`, `9: ${reason(4)}`]
    expect(await give(twice)).toEqual(refused(9, errors))
    // An empty value never conflicts.
    const figures = { read: 9, unchanged: 1, dropped: 3, rejected: 2, errors }
    expect(await give(twice, { skipFaulty: true })).toEqual({ ...stored(3), ...figures })
    expect(await counting.counts()).toEqual([['2026-03-01', { 41: 15 }]])
  })

  describe('with the smallest buffer', () => {
    const maxBufferedCounts = 1
    const collect = async (rows: readonly string[], options = {}) => {
      const incomplete: string[] = []
      const onIncomplete = ({ intervals, length }: IncompleteIntervals) =>
        incomplete.push(...intervals.map(({ sensor, start, parts }) => `${sensor} ${start} ${parts} of ${length}`))
      return [await give(rows, { maxBufferedCounts, onIncomplete, ...options }), incomplete] as const
    }

    test.each([
      ['missing', (rows: string[]) => rows.toSpliced(1, 1), { dropped: 2 }],
      ['empty', (rows: string[]) => rows.with(1, '2026-03-01T10:05,'), { dropped: 2, unchanged: 1 }],
      ['no whole number', (rows: string[]) => rows.with(1, '2026-03-01T10:05,1.5'), { dropped: 2, rejected: 1 }],
    ])('give an interval no count if one of them is %s, and name it', async (_, change, figures) => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const rows = change(parts)
      const [outcome, incomplete] = await collect(rows, { skipFaulty: true })
      expect(outcome).toMatchObject({ read: rows.length, stored: 3, ...figures })
      expect(incomplete).toEqual(['S1 2026-03-01T10:00+01:00 2 of 5 minutes'])
      expect(await counting.counts()).toEqual([['2026-03-01', { 41: 15 }]])
    })

    test('are of the length that all rows of the file have', async () => {
      const { asset } = await counting.sensorIn('Europe/Berlin', 'hour', {})
      await counting.world.make.sensor({ asset, grain: 'hour', serial: 'S2' })
      const rows = ['S1,10:00', 'S1,10:20', 'S1,10:40', 'S2,10:00'].map(row => `${row.replace(',', ',2026-03-01T')},1`)
      const header = 'sensor,start,impressions'
      const options = { sumToGrain: true, maxBufferedCounts }
      expect(await counting.world.import('impressions', [header, ...rows], options)).toMatchObject({
        stored: 3,
        dropped: 1,
      })
      const single = await counting.world.import('impressions', [header, 'S2,2026-03-01T11:00,1'], {
        ...options,
        interval: 'quarter_hour',
      })
      expect(single).toMatchObject({ stored: 0, dropped: 1 })
      await counting.world.make.sensor({ asset, grain: 'day', serial: 'S3' })
      const grains = ['S3,2026-03-01T00:00,9', 'S2,2026-03-01T12:00,1']
      expect(await counting.world.import('impressions', [header, ...grains], options)).toMatchObject({
        stored: 1,
        dropped: 1,
      })
    })

    const dayOf = (date: string, zone: string, minutes: number) => {
      const start = Temporal.PlainDate.from(date).toZonedDateTime(zone)
      const length = start.add({ days: 1 }).since(start).total('minutes')
      return Array.from({ length: Math.ceil(length / minutes) }, (_, i) => {
        const at = start.add({ minutes: i * minutes })
        return `${at.toPlainDateTime().toString().slice(0, 16)}${at.offset},1`
      })
    }

    test.each([
      ['Europe/Berlin', '2026-03-29', 'day', 60, 23],
      ['Europe/Berlin', '2025-10-26', 'day', 60, 25],
      ['Europe/Berlin', '2025-10-26', 'day', 30, 50],
      ['Europe/Berlin', '2026-03-30', 'day', 120, 12],
      ['Europe/Berlin', '2025-10-26', 'hour', 15, 100],
      ['Australia/Lord_Howe', '2025-04-06', 'hour', 15, 98],
      ['Australia/Lord_Howe', '2025-10-05', 'day', 30, 47],
      ['Australia/Lord_Howe', '2025-10-05', 'hour', 10, 141],
      ['America/New_York', '2025-11-02', 'quarter_hour', 1, 1500],
    ] as const)(
      'are all parts of %s on %s, by the %s, of %d minutes: %d, and none may be missing',
      async (zone, date, grain, minutes, length) => {
        await counting.sensorIn(zone, grain)
        const rows = dayOf(date, zone, minutes)
        expect((await collect(rows))[0]).toEqual(stored(length))
        expect(await counting.sum()).toBe(length)
        await counting.forget()
        // The last part before the clock change, if there is one.
        const without = rows.toSpliced(Math.floor(120 / minutes), 1)
        const [outcome, incomplete] = await collect(without)
        expect([incomplete.length, outcome.dropped > 0 || grain === 'quarter_hour']).toEqual([1, true])
        expect(await counting.sum()).toBe(length - 1 - outcome.dropped)
        await counting.forget()
        const ends = dayOf(date, zone, minutes).map((row, i, all) =>
          row.replace(/.*,/, `${(all[i + 1] ?? '').replace(/,.*/, '')},`),
        )
        const last = Temporal.PlainDate.from(date).add({ days: 1 }).toZonedDateTime(zone)
        ends[ends.length - 1] = `${last.toPlainDateTime().toString().slice(0, 16)}${last.offset},1`
        expect((await collect(ends, { stamps: 'end' }))[0]).toEqual(stored(length))
        expect(await counting.sum()).toBe(length)
      },
    )

    test.each([
      ['2026-03-29', 4],
      ['2025-10-26', 6],
    ])('are as long as the clock shows on %s if they are longer than its change', async (date, hours) => {
      await counting.sensorIn('Europe/Berlin', 'day')
      const rows = Array.from({ length: 24 / hours }, (_, i) => `${date}T${String(i * hours).padStart(2, '0')}:00,1`)
      expect((await collect(rows))[0]).toEqual(stored(24 / hours))
      await counting.forget()
      expect((await collect(rows.toSpliced(2, 1)))[0]).toMatchObject({ stored: 0 })
    })
  })

  test('are errors if the interval is stored, unless they add up to it', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    await give(parts.slice(0, 3))
    const reason =
      'impressions is part of an interval that adds up to 3, but 6 is stored: all parts of an interval must be in one file (to replace the stored count, delete it first)'
    expect(await give(['2026-03-01T10:10,3', ...parts.slice(3)])).toEqual(refused(4, [`2: ${reason}`]))
    expect(await give(['2026-03-01T10:00,6'])).toEqual(unchanged(1))
    const empty = parts.slice(0, 3).map(row => row.replace(/,.*/, ','))
    expect(await give([...empty.slice(0, 2), ...parts.slice(3)], { erase: true })).toEqual({
      ...stored(3),
      read: 5,
      dropped: 2,
    })
    expect(await give(empty, { erase: true })).toMatchObject({ erased: 3 })
    expect(await counting.counts()).toEqual([['2026-03-01', { 41: 15 }]])
  })

  test('are errors if they add up to more than a count can be', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const { errors } = await give(['2026-03-01T10:00,2147483647', '2026-03-01T10:05,1'])
    expect(errors).toEqual([2, 3].map(line => expect.stringMatching(`^${line}: .* more than 2147483647$`)))
  })

  test('belong to the installation where the interval starts', async () => {
    await counting.sensorIn('Europe/Berlin', 'hour', { removed_at: '2026-03-01T09:20:00Z' })
    const rows = ['2026-03-01T10:00,1', '2026-03-01T10:30,2', '2026-03-01T11:00,4', '2026-03-01T11:30,8']
    expect(await give(rows, { skipFaulty: true })).toMatchObject({ stored: 2, rejected: 2 })
    expect(await counting.counts()).toEqual([['2026-03-01', { 10: 3 }]])
    expect(await give(rows, { extendInstallations: true })).toMatchObject({ stored: 2, unchanged: 2 })
  })
})
