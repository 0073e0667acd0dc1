import type { ImportOptions } from '../../imports/import-file'
import { Counting } from '../support/counting'
import { refused, stored, unchanged } from '../support/outcomes'

describe('counts around a clock change', () => {
  let counting: Counting
  beforeAll(async () => {
    counting = await Counting.open()
  })
  afterAll(() => counting.world.stop())
  beforeEach(() => counting.world.clear())

  const ONCE =
    'start is in the hour that the clock change repeats, and the file has that hour only once: give --repeated-hour first or second, or the start an offset'
  const UNORDERED =
    "start is in the hour that the clock change repeats, and the sensor's rows of that day are not in ascending or descending order: sort them, or give the start an offset"
  const SKIPPED = 'start is a local time that the clock change skips: --skipped-hour drop leaves it out'

  describe('of the skipped hour', () => {
    test.each([
      ['Europe/Berlin', 'minute', '2025-03-30', '02:00', '01:59', 119, '03:00', 120],
      ['Europe/Berlin', 'hour', '2025-03-30', '02:00', '01:00', 1, '03:00', 2],
      ['America/New_York', 'quarter_hour', '2025-03-09', '02:45', '01:45', 7, '03:00', 8],
      ['Australia/Lord_Howe', 'quarter_hour', '2025-10-05', '02:15', '01:45', 7, '02:30', 8],
      ['America/Havana', 'minute', '2025-03-09', '00:30', '01:00', 0, '01:01', 1],
    ] as const)(
      'are errors in %s (%s), or left out with --skipped-hour drop',
      async (zone, grain, date, skipped, before, at, after, then) => {
        await counting.sensorIn(zone, grain)
        const rows = [`${date}T${before},1`, `${date}T${skipped},2`, `${date}T${after},3`]
        expect(await counting.give(rows)).toEqual(refused(3, [`3: ${SKIPPED}`]))
        expect(await counting.give(rows, { skippedHour: 'drop' })).toEqual({ ...stored(2), read: 3, dropped: 1 })
        expect(await counting.counts()).toEqual([[date, { [at]: 1, [then]: 3 }]])
      },
    )

    test('say nothing if they are empty', async () => {
      await counting.sensorIn('Europe/Berlin', 'hour')
      expect(await counting.give(['2025-03-30T02:00,'])).toEqual(unchanged(1))
      expect(await counting.give(['2025-03-30T02:00,'], { erase: true })).toEqual(unchanged(1))
    })

    test('may stand twice for the hour after it, once empty and once with the count', async () => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const rows = ['2025-03-30T03:00,', '2025-03-30T03:00,7', '2025-03-30T03:15,', '2025-03-30T03:15,8']
      for (const skipFaulty of [false, true]) {
        await counting.give(rows, { skipFaulty })
        expect(await counting.counts()).toEqual([['2025-03-30', { 8: 7, 9: 8 }]])
      }
    })
  })

  describe('of the repeated hour', () => {
    /** Rows of the hours of 2025-10-26 in Berlin with one count each, the count being the index of the hour. */
    const hours = ['00:00', '01:00', '02:00', '02:00', '03:00', '04:00'].map((time, i) => `2025-10-26T${time},${i}`)
    const inOrder = [['2025-10-26', { 0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 }]]

    test.each([
      ['ascending', hours],
      ['descending', [...hours].reverse()],
      ['ascending with all but the hour before it', hours.slice(1, 4)],
      ['descending with only the hour after it', [...hours.slice(2, 5)].reverse()],
    ])('are those of the first and second pass if the file is %s', async (_, rows) => {
      await counting.sensorIn('Europe/Berlin', 'hour')
      expect(await counting.give(rows, { maxBufferedCounts: 2 })).toEqual(stored(rows.length))
      const [[, counts] = []] = await counting.counts()
      expect(inOrder[0]?.[1]).toMatchObject(counts ?? {})
      expect(await counting.give(rows)).toEqual(unchanged(rows.length))
    })

    test('may be newest day first, and ascending within a day', async () => {
      await counting.sensorIn('Europe/Berlin', 'hour')
      expect(await counting.give(['2025-10-27T00:00,9', ...hours, '2025-10-25T00:00,8'])).toEqual(stored(8))
      expect((await counting.counts())[1]).toEqual(inOrder[0])
    })

    test('are ascending where nothing else shows the order', async () => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const times = ['02:00', '02:30', '02:00', '02:15']
      expect(await counting.give(times.map((time, i) => `2025-10-26T${time},${i}`))).toEqual(stored(4))
      expect(await counting.counts()).toEqual([['2025-10-26', { 8: 0, 10: 1, 12: 2, 13: 3 }]])
    })

    test('are descending where only that order has two passes', async () => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const times = ['02:45', '02:30', '02:15', '02:00', '02:45', '02:15', '02:00']
      expect(await counting.give(times.map((time, i) => `2025-10-26T${time},${i}`))).toEqual(stored(7))
      expect(await counting.counts()).toEqual([['2025-10-26', { 8: 6, 9: 5, 11: 4, 12: 3, 13: 2, 14: 1, 15: 0 }]])
    })

    test('are errors in neither order', async () => {
      await counting.sensorIn('Europe/Berlin', 'hour')
      const shuffled = ['01:00', '03:00', '02:00', '02:00'].map((time, i) => `2025-10-26T${time},${i}`)
      expect(await counting.give(shuffled)).toEqual(refused(4, [`4: ${UNORDERED}`, `5: ${UNORDERED}`]))
    })

    const at = (times: readonly string[], counts: readonly number[]) =>
      times.map((time, i) => `2025-10-26T${time},${counts[i]}`)
    const quarters = ['02:00', '02:15', '02:30', '02:45']
    const around = (inHour: readonly string[]) => [
      '2025-10-26T01:00,8',
      '2025-10-26T01:15,9',
      ...inHour,
      '2025-10-26T03:00,7',
    ]
    const onePass = around(at(quarters, [1, 0, 0, 2]))
    const twoPasses = around(at([...quarters, ...quarters], [1, 0, 0, 2, 3, 0, 5, 2]))
    const equalPasses = around(at([...quarters, ...quarters], [4, 0, 0, 0, 4, 0, 0, 0]))

    test.each([
      ['each row', 2, (rows: readonly string[]) => rows.flatMap(row => [row, row])],
      ['each row', 3, (rows: readonly string[]) => rows.flatMap(row => [row, row, row])],
      ['the file', 2, (rows: readonly string[]) => [...rows, ...rows]],
      ['the file', 3, (rows: readonly string[]) => [...rows, ...rows, ...rows]],
      ['each row of a descending file', 2, (rows: readonly string[]) => rows.toReversed().flatMap(row => [row, row])],
    ])('count once where a file has %s %d times', async (_, copies, copy) => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const { errors, rejected } = await counting.give(copy(onePass))
      expect([rejected, new Set(errors.map(error => error.replace(/^\d+: /, '')))]).toEqual([
        4 * copies,
        new Set([ONCE]),
      ])
      for (const repeatedHour of ['first', 'second'] as const) {
        await counting.world.owner.query('DELETE FROM sensor_days')
        expect(await counting.give(copy(onePass), { repeatedHour })).toMatchObject({
          stored: 7,
          rejected: 0,
        })
        const hour = repeatedHour === 'first' ? { 8: 1, 9: 0, 10: 0, 11: 2 } : { 12: 1, 13: 0, 14: 0, 15: 2 }
        expect(await counting.counts()).toEqual([['2025-10-26', { 4: 8, 5: 9, ...hour, 16: 7 }]])
      }
      for (const [rows, second] of [
        [twoPasses, { 8: 1, 9: 0, 10: 0, 11: 2, 12: 3, 13: 0, 14: 5, 15: 2 }],
        [equalPasses, { 8: 4, 9: 0, 10: 0, 11: 0, 12: 4, 13: 0, 14: 0, 15: 0 }],
      ] as const) {
        await counting.world.owner.query('DELETE FROM sensor_days')
        expect(await counting.give(copy(rows))).toMatchObject({ stored: 11, rejected: 0 })
        expect(await counting.counts()).toEqual([['2025-10-26', { 4: 8, 5: 9, ...second, 16: 7 }]])
      }
    })

    test('may be equal in both passes where the other rows of the day are there once', async () => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      expect(await counting.give(equalPasses)).toEqual(stored(11))
      expect((await counting.counts())[0]?.[1]).toMatchObject({ 8: 4, 9: 0, 10: 0, 11: 0, 12: 4, 13: 0, 14: 0, 15: 0 })
    })

    test.each([
      ['nothing else shows passes', at(['02:00', '02:00'], [1, 1])],
      ['there are three', at(['02:00', '02:00', '02:00'], [1, 1, 1])],
      ['there are three beside others', at(['01:00', '02:00', '02:00', '02:00', '03:00'], [0, 1, 1, 1, 0])],
      ['some other row of the day is there twice', at(['00:00', '00:00', '01:00', '02:00', '02:00'], [0, 0, 0, 1, 1])],
    ])('are one row if they are identical and %s', async (_, rows) => {
      await counting.sensorIn('Europe/Berlin', 'hour')
      const inHour = rows.flatMap((row, i) => (row.includes('T02') ? [i + 2] : []))
      expect((await counting.give(rows)).errors).toEqual(inHour.map(line => `${line}: ${ONCE}`))
      expect(await counting.give(rows, { repeatedHour: 'second' })).toMatchObject({ rejected: 0 })
      expect((await counting.counts())[0]?.[1]).toMatchObject({ 3: 1 })
    })

    test('are errors if only some of them are identical, beside rows that the file repeats', async () => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const rows = [...twoPasses, '2025-10-26T03:00,7']
      const { errors } = await counting.give(rows, { repeatedHour: 'first' })
      expect(errors).toHaveLength(8)
      expect(errors[0]).toMatch(
        /^4: .*only some of its rows are identical.*: remove the copies, or give the start an offset$/,
      )
    })

    test('are kept apart by sensor', async () => {
      const { asset } = await counting.sensorIn('Europe/Berlin', 'hour')
      await counting.world.make.sensor({ asset, grain: 'hour', serial: 'S2' })
      const rows = hours.flatMap((row, i) => [`S1,${row}`, `S2,${hours[hours.length - 1 - i]}`])
      expect(await counting.world.import('impressions', ['sensor,start,impressions', ...rows])).toEqual(stored(12))
      expect(await counting.counts()).toEqual([inOrder[0], inOrder[0]])
    })

    test.each([
      ['Europe/Berlin', 'minute', '2025-10-26', '02:30', 150, 210],
      ['Europe/Berlin', 'hour', '2025-10-26', '02:00', 2, 3],
      ['America/New_York', 'quarter_hour', '2025-11-02', '01:15', 5, 9],
      ['Australia/Lord_Howe', 'quarter_hour', '2025-04-06', '01:45', 7, 9],
    ] as const)(
      'in %s (%s) are errors if the file has it only once, or belong where --repeated-hour says',
      async (zone, grain, date, time, first, second) => {
        await counting.sensorIn(zone, grain)
        const rows = [`${date}T00:00,1`, `${date}T${time},7`, `${date}T05:00,1`]
        const give = (given: readonly string[], options: ImportOptions = {}) =>
          counting.give(given, { interval: grain, ...options })
        expect(await give(rows)).toEqual(refused(3, [`3: ${ONCE}`]))
        const repeated = async () => {
          const [day] = await counting.world.days()
          return [first, second].map(interval => day?.counts[interval])
        }
        expect(await give(rows, { repeatedHour: 'first' })).toEqual(stored(3))
        expect(await repeated()).toEqual([7, -1])
        const other = rows.map(row => row.replace(',7', ',8'))
        expect(await give(other, { repeatedHour: 'second' })).toMatchObject({ stored: 1, unchanged: 2 })
        expect(await repeated()).toEqual([7, 8])
        expect(await give(other, { repeatedHour: 'second' })).toEqual(unchanged(3))
        const empty = rows.map(row => row.replace(',7', ','))
        expect(await give(empty)).toEqual(unchanged(3))
        const erased = await give(empty, { repeatedHour: 'first', erase: true })
        expect(erased).toMatchObject({ erased: 1, unchanged: 2 })
        expect(await repeated()).toEqual([-1, 8])
      },
    )

    test.each(['', '5'])('must start an interval, also with the count "%s"', async count => {
      await counting.sensorIn('Europe/Berlin', 'quarter_hour')
      const reason =
        'start is not the start of a quarter hour, the finest grain of the sensor: --sum-to-grain adds up finer counts'
      expect(await counting.give([`2025-10-26T02:07,${count}`], { repeatedHour: 'first', erase: true })).toEqual(
        refused(1, [`2: ${reason}`]),
      )
    })

    test('in two passes are not changed by --repeated-hour', async () => {
      await counting.sensorIn('Europe/Berlin', 'hour')
      expect(await counting.give(hours, { repeatedHour: 'second' })).toEqual(stored(6))
      expect(await counting.counts()).toEqual(inOrder)
    })

    test('have offsets that say which pass they belong to, in any order', async () => {
      await counting.sensorIn('Europe/Berlin', 'hour')
      const rows = ['2025-10-26T02:00+01:00,3', '2025-10-26T00:00+02:00,0', '2025-10-26T00:00Z,2']
      expect(await counting.give(rows)).toEqual(stored(3))
      expect(await counting.counts()).toEqual([['2025-10-26', { 0: 0, 2: 2, 3: 3 }]])
    })

    test('beside rows with an offset belong to the pass of --repeated-hour', async () => {
      await counting.sensorIn('Europe/Berlin', 'hour')
      const rows = ['2025-10-26T02:00+01:00,3', '2025-10-26T02:00,5']
      expect((await counting.give(rows)).errors).toEqual([`3: ${ONCE}`])
      expect(await counting.give(rows, { repeatedHour: 'first' })).toEqual(stored(2))
    })

    test('count in the order even if their value is empty or faulty', async () => {
      await counting.sensorIn('Europe/Berlin', 'hour')
      const row = (value: string) => `2025-10-26T02:00,${value}`
      expect(await counting.give([row(''), row('7')])).toMatchObject({ stored: 1, unchanged: 1 })
      expect(await counting.give([row('4'), row('x')], { skipFaulty: true })).toMatchObject({ stored: 1, rejected: 1 })
      expect(await counting.counts()).toEqual([['2025-10-26', { 2: 4, 3: 7 }]])
    })
  })

  describe('by half an hour', () => {
    test('are the clock hours of an hourly sensor: the one at the change is shorter', async () => {
      await counting.sensorIn('Australia/Lord_Howe', 'hour')
      const spring = ['01:00', '02:00', '03:00'].map((time, i) => `2025-10-05T${time},${i}`)
      expect(await counting.give(spring)).toEqual(stored(3))
      // The hour from 02:30, when the clock shows it first.
      expect(await counting.counts()).toEqual([['2025-10-05', { 1: 0, 2: 1, 3: 2 }]])
      expect(await counting.give(['2025-10-05T02:30,1'])).toEqual(unchanged(1))
    })

    test('may name the clock hour that the change begins by its own time, or not at all', async () => {
      await counting.sensorIn('Australia/Lord_Howe', 'hour')
      const rows = ['2025-04-06T01:00,1', '2025-04-06T01:30,2', '2025-04-06T02:00,3']
      expect(await counting.give(rows)).toEqual(stored(3))
      expect(await counting.counts()).toEqual([['2025-04-06', { 1: 1, 2: 2, 3: 3 }]])
      expect((await counting.world.days())[0]?.sums).toHaveLength(25)
      expect(await counting.give(rows)).toEqual(unchanged(3))
      expect(await counting.give(['2025-04-06T01:00,1', '2025-04-05T15:00Z,2'])).toEqual(unchanged(2))
    })

    test('may name both clock hours alike', async () => {
      await counting.sensorIn('Australia/Lord_Howe', 'hour')
      const rows = ['00:00', '01:00', '01:00', '02:00'].map((time, i) => `2025-04-06T${time},${i}`)
      expect(await counting.give(rows)).toEqual(stored(4))
      expect(await counting.counts()).toEqual([['2025-04-06', { 0: 0, 1: 1, 2: 2, 3: 3 }]])
    })

    test.each(['2025-04-06T01:30,', '2025-04-06T01:30+10:30,'])(
      'take their order from rows outside of the repeated half hour, not from "%s"',
      async within => {
        await counting.sensorIn('Australia/Lord_Howe', 'hour')
        const rows = ['2025-04-06T01:00,1', within, '2025-04-06T01:00,2']
        expect(await counting.give(rows)).toEqual({ ...stored(2), read: 3, unchanged: 1 })
        expect(await counting.counts()).toEqual([['2025-04-06', { 1: 1, 2: 2 }]])
      },
    )
  })

  test('are counts of days as long as the local days of the asset', async () => {
    await counting.sensorIn('Europe/Berlin')
    await counting.give(['2025-10-26T00:00,1', '2025-10-26T23:59,2', '2025-03-30T23:59,3'], { interval: 'minute' })
    expect((await counting.world.days()).map(day => day.counts.length)).toEqual([1380, 1500])
  })
})
