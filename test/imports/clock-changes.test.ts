import type { ImportOptions } from '../../imports/import-file'
import { Counting } from '../support/counting'
import { refused, stored, unchanged } from '../support/outcomes'

type Grain = 'minute' | 'quarter_hour' | 'hour'

/** Returns rows `TIME` or `TIME=VALUE` of a date; a value is the number of the row by default. */
const rowsOf = (date: string, times: string): string[] =>
  times.split(' ').map((text, i) => `${date}T${text.replace(/^([^=]+)$/, `$1=${i}`).replace('=', ',')}`)

describe('counts around a clock change', () => {
  let counting: Counting
  beforeAll(async () => {
    counting = await Counting.open()
  })
  afterAll(() => counting.world.stop())

  const ONCE =
    'start is in the hour that the clock change repeats, and the file has that hour only once: give --repeated-hour first or second, or the start an offset'
  const UNORDERED =
    "start is in the hour that the clock change repeats, and the sensor's rows of that day are not in ascending or descending order: sort them, or give the start an offset"
  const SKIPPED = 'start is a local time that the clock change skips: --skipped-hour drop leaves it out'
  const OFF_GRID =
    'start is not the start of a quarter hour, the finest grain of the sensor: --sum-to-grain adds up finer counts'

  test.each([
    ['Europe/Berlin', 'minute', '2025-03-30', '02:00', '01:59', 119, '03:00', 120],
    ['Europe/Berlin', 'hour', '2025-03-30', '02:00', '01:00', 1, '03:00', 2],
    ['America/New_York', 'quarter_hour', '2025-03-09', '02:45', '01:45', 7, '03:00', 8],
    ['Australia/Lord_Howe', 'quarter_hour', '2025-10-05', '02:15', '01:45', 7, '02:30', 8],
    ['America/Havana', 'minute', '2025-03-09', '00:30', '01:00', 0, '01:01', 1],
  ] as const)(
    'of the skipped hour are errors in %s (%s), or left out with --skipped-hour drop',
    async (zone, grain, date, skipped, before, at, after, then) => {
      await counting.sensorIn(zone, grain)
      const rows = [`${date}T${before},1`, `${date}T${skipped},2`, `${date}T${after},3`]
      expect(await counting.give(rows)).toEqual(refused(3, [`3: ${SKIPPED}`]))
      expect(await counting.give(rows, { skippedHour: 'drop' })).toEqual({ ...stored(2), read: 3, dropped: 1 })
      expect(await counting.counts()).toEqual([[date, { [at]: 1, [then]: 3 }]])
    },
  )

  test('of the skipped hour say nothing if they are empty', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    for (const erase of [false, true])
      expect(await counting.give(['2025-03-30T02:00,'], { erase })).toEqual(unchanged(1))
    const rows = rowsOf('2025-03-30', '03:00= 03:00=7 03:15= 03:15=8')
    expect(await counting.give(rows, { skipFaulty: true })).toMatchObject({ stored: 2 })
    expect(await counting.counts()).toEqual([['2025-03-30', { 8: 7, 9: 8 }]])
  })

  const DAY = '2025-10-26'
  const HOURS = '00:00 01:00 02:00 02:00 03:00 04:00'
  const IN_ORDER = { 0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 }

  test.each<[string, Grain, string, ImportOptions, Record<number, number>]>([
    ['ascending', 'hour', HOURS, { maxBufferedCounts: 2 }, IN_ORDER],
    ['descending', 'hour', '04:00=5 03:00=4 02:00=3 02:00=2 01:00=1 00:00=0', { maxBufferedCounts: 2 }, IN_ORDER],
    ['ascending with only the hour before it', 'hour', '01:00 02:00 02:00', {}, { 1: 0, 2: 1, 3: 2 }],
    ['descending with only the hour after it', 'hour', '03:00 02:00 02:00', {}, { 4: 0, 3: 1, 2: 2 }],
    [
      'ascending where nothing else shows the order',
      'quarter_hour',
      '02:00 02:30 02:00 02:15',
      {},
      { 8: 0, 10: 1, 12: 2, 13: 3 },
    ],
    [
      'descending where only that order has two passes',
      'quarter_hour',
      '02:45 02:30 02:15 02:00 02:45 02:15 02:00',
      {},
      { 8: 6, 9: 5, 11: 4, 12: 3, 13: 2, 14: 1, 15: 0 },
    ],
    ['in two passes, whatever --repeated-hour says', 'hour', HOURS, { repeatedHour: 'second' }, IN_ORDER],
    [
      'in any order, with offsets that say which pass',
      'hour',
      '02:00+01:00=3 00:00+02:00=0 00:00Z=2',
      {},
      { 0: 0, 2: 2, 3: 3 },
    ],
    [
      'beside a row with an offset, in the pass of --repeated-hour',
      'hour',
      '02:00+01:00=3 02:00=5',
      { repeatedHour: 'first' },
      { 2: 5, 3: 3 },
    ],
    ['in the order of rows of which one is empty', 'hour', '02:00= 02:00=7', {}, { 3: 7 }],
    ['in the order of rows of which one is faulty', 'hour', '02:00=4 02:00=x', { skipFaulty: true }, { 2: 4 }],
  ])('of the repeated hour are those of their pass: %s', async (_, grain, times, options, expected) => {
    await counting.sensorIn('Europe/Berlin', grain)
    const rows = rowsOf(DAY, times)
    expect((await counting.give(rows, options)).not_stored).toBe(0)
    expect(await counting.counts()).toEqual([[DAY, expected]])
    expect(await counting.give(rows, options)).toMatchObject({ stored: 0 })
  })

  test('of the repeated hour may be newest day first, and are kept apart by sensor', async () => {
    const { asset } = await counting.sensorIn('Europe/Berlin', 'hour', {})
    await counting.world.make.sensor({ asset, grain: 'hour', serial: 'S2' })
    const hours = rowsOf(DAY, HOURS)
    expect(await counting.give(['2025-10-27T00:00,9', ...hours, '2025-10-25T00:00,8'])).toEqual(stored(8))
    expect((await counting.counts())[1]).toEqual([DAY, IN_ORDER])
    const rows = hours.flatMap((row, i) => [`S1,${row}`, `S2,${hours[hours.length - 1 - i]}`])
    expect(await counting.world.import('impressions', ['sensor,start,impressions', ...rows])).toMatchObject({
      stored: 6,
    })
    expect((await counting.counts()).filter(([date]) => date === DAY)).toEqual([
      [DAY, IN_ORDER],
      [DAY, IN_ORDER],
    ])
  })

  test.each<[string, Grain, string, ImportOptions, string[]]>([
    ['are in neither order', 'hour', '01:00 03:00 02:00 02:00', {}, [`4: ${UNORDERED}`, `5: ${UNORDERED}`]],
    ['stand beside a row with an offset', 'hour', '02:00+01:00=3 02:00=5', {}, [`3: ${ONCE}`]],
    ['start no interval', 'quarter_hour', '02:07=5', { repeatedHour: 'first' }, [`2: ${OFF_GRID}`]],
    [
      'start no interval, and are empty',
      'quarter_hour',
      '02:07=',
      { repeatedHour: 'first', erase: true },
      [`2: ${OFF_GRID}`],
    ],
  ])('of the repeated hour are errors if they %s', async (_, grain, times, options, errors) => {
    await counting.sensorIn('Europe/Berlin', grain)
    const rows = rowsOf(DAY, times)
    expect(await counting.give(rows, options)).toEqual(refused(rows.length, errors))
  })

  const QUARTERS = ['02:00', '02:15', '02:30', '02:45']
  const around = (...counts: number[]) =>
    rowsOf(DAY, ['01:00=8 01:15=9', ...counts.map((count, i) => `${QUARTERS[i % 4]}=${count}`), '03:00=7'].join(' '))
  const onePass = around(1, 0, 0, 2)
  const twoPasses = around(1, 0, 0, 2, 3, 0, 5, 2)
  const equalPasses = around(4, 0, 0, 0, 4, 0, 0, 0)

  test.each([
    ['its rows', 1, (rows: readonly string[]) => rows],
    ['each row', 2, (rows: readonly string[]) => rows.flatMap(row => [row, row])],
    ['the file', 3, (rows: readonly string[]) => [...rows, ...rows, ...rows]],
    ['each row of a descending file', 2, (rows: readonly string[]) => rows.toReversed().flatMap(row => [row, row])],
  ])('count once where a file has %s %d times, and both passes may be equal', async (_, copies, copy) => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const { errors } = await counting.give(copy(onePass))
    expect(errors.map(error => error.replace(/^\d+: /, ''))).toEqual(Array(4 * copies).fill(ONCE))
    for (const [rows, options, hour] of [
      [onePass, { repeatedHour: 'first' }, { 8: 1, 9: 0, 10: 0, 11: 2 }],
      [onePass, { repeatedHour: 'second' }, { 12: 1, 13: 0, 14: 0, 15: 2 }],
      [twoPasses, {}, { 8: 1, 9: 0, 10: 0, 11: 2, 12: 3, 13: 0, 14: 5, 15: 2 }],
      [equalPasses, {}, { 8: 4, 9: 0, 10: 0, 11: 0, 12: 4, 13: 0, 14: 0, 15: 0 }],
    ] as const) {
      await counting.forget()
      expect(await counting.give(copy(rows), options)).toMatchObject({ stored: rows.length, rejected: 0 })
      expect(await counting.counts()).toEqual([[DAY, { 4: 8, 5: 9, ...hour, 16: 7 }]])
    }
  })

  test.each([
    ['nothing else shows passes', '02:00=1 02:00=1'],
    ['there are three', '02:00=1 02:00=1 02:00=1'],
    ['there are three beside others', '01:00=0 02:00=1 02:00=1 02:00=1 03:00=0'],
    ['some other row of the day is there twice', '00:00=0 00:00=0 01:00=0 02:00=1 02:00=1'],
  ])('are one row if they are identical and %s', async (_, times) => {
    await counting.sensorIn('Europe/Berlin', 'hour')
    const rows = rowsOf(DAY, times)
    const inHour = rows.flatMap((row, i) => (row.includes('T02') ? [i + 2] : []))
    expect((await counting.give(rows)).errors).toEqual(inHour.map(line => `${line}: ${ONCE}`))
    expect(await counting.give(rows, { repeatedHour: 'second' })).toMatchObject({ rejected: 0 })
    expect((await counting.counts())[0]?.[1]).toMatchObject({ 3: 1 })
  })

  test('are errors if only some of them are identical, beside rows that the file repeats', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour')
    const { errors } = await counting.give([...twoPasses, '2025-10-26T03:00,7'], { repeatedHour: 'first' })
    expect(errors).toHaveLength(8)
    expect(errors[0]).toMatch(
      /^4: .*only some of its rows are identical.*: remove the copies, or give the start an offset$/,
    )
  })

  test.each([
    ['Europe/Berlin', 'minute', DAY, '02:30', 150, 210],
    ['America/New_York', 'quarter_hour', '2025-11-02', '01:15', 5, 9],
    ['Australia/Lord_Howe', 'quarter_hour', '2025-04-06', '01:45', 7, 9],
  ] as const)(
    'in %s (%s) are errors if the file has the hour only once, or belong where --repeated-hour says',
    async (zone, grain, date, time, first, second) => {
      await counting.sensorIn(zone, grain)
      const give = (count: string, options: ImportOptions = {}) =>
        counting.give(rowsOf(date, `00:00=1 ${time}=${count} 05:00=1`), { interval: grain, ...options })
      expect(await give('7')).toEqual(refused(3, [`3: ${ONCE}`]))
      const repeated = async () => {
        const [day] = await counting.world.days()
        return [first, second].map(interval => day?.counts[interval])
      }
      expect(await give('7', { repeatedHour: 'first' })).toEqual(stored(3))
      expect(await repeated()).toEqual([7, -1])
      expect(await give('8', { repeatedHour: 'second' })).toMatchObject({ stored: 1, unchanged: 2 })
      expect(await repeated()).toEqual([7, 8])
      expect(await give('')).toEqual(unchanged(3))
      expect(await give('', { repeatedHour: 'first', erase: true })).toMatchObject({ erased: 1, unchanged: 2 })
      expect(await repeated()).toEqual([-1, 8])
    },
  )

  const [SPRING, AUTUMN] = ['2025-10-05', '2025-04-06']

  test.each<[string, string, string, Record<number, number>]>([
    // The hour from 02:30, when the clock shows it first.
    ['the shorter clock hour by its own time', SPRING, '01:00 02:00 03:00 02:30=1', { 1: 0, 2: 1, 3: 2 }],
    ['the hour that the change begins by its own time', AUTUMN, '01:00=1 01:30=2 02:00=3', { 1: 1, 2: 2, 3: 3 }],
    ['that hour alike', AUTUMN, '00:00 01:00 01:00 02:00', { 0: 0, 1: 1, 2: 2, 3: 3 }],
    ['that hour by an offset', AUTUMN, '01:00=1 01:30+10:30=2', { 1: 1, 2: 2 }],
    ['that hour alike, around an empty half hour', AUTUMN, '01:00=1 01:30= 01:00=2', { 1: 1, 2: 2 }],
    ['that hour alike, around an empty one with an offset', AUTUMN, '01:00=1 01:30+10:30= 01:00=2', { 1: 1, 2: 2 }],
  ])('by half an hour may name %s', async (_, date, times, expected) => {
    await counting.sensorIn('Australia/Lord_Howe', 'hour')
    const rows = rowsOf(date, times)
    expect((await counting.give(rows)).errors).toEqual([])
    expect(await counting.counts()).toEqual([[date, expected]])
    expect(await counting.give(rows)).toEqual(unchanged(rows.length))
    expect((await counting.world.days())[0]?.sums).toHaveLength(date === AUTUMN ? 25 : 24)
  })
})
