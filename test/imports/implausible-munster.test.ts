import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ImplausibleDay } from '../../imports/counts/guard/sensor-history'
import { World } from '../support/world'

const COUNTS = join(__dirname, '..', '..', '..', 'shared', 'data', 'munster', 'counts_quarter_hour.csv.gz')

const present = existsSync(COUNTS)
if (!present) console.warn('Real counts (Münster) are not there: the test of spikes among them is skipped.')

interface Row {
  station: string
  key: string
  day: number
  text: string
  count: number
}
/** Real counts of bicycles, Stadt Münster, dl-de/by-2-0, with errors that are put among them. */
;(present ? describe : describe.skip)('spikes among the counts of Münster', () => {
  let world: World
  const rows: Row[] = []
  /** The rows by station and day. */
  const days: [Row, ...Row[]][] = []
  beforeAll(async () => {
    world = await World.open()
    const lines = gunzipSync(readFileSync(COUNTS)).toString().trimEnd().split('\n')
    for (const line of lines.slice(1)) {
      const [station = '', start = '', count = ''] = line.split(',')
      const day = Date.parse(start.slice(0, 10)) / 86_400_000
      const row = {
        station,
        key: `${station} ${start.slice(0, 10)}`,
        day,
        text: `${station},${start}`,
        count: Number(count),
      }
      rows.push(row)
      if (days.at(-1)?.[0].key === row.key) days.at(-1)?.push(row)
      else days.push([row])
    }
    const asset = await world.make.asset()
    for (const serial of new Set(rows.map(({ station }) => station))) {
      await world.make.sensor({ asset, grain: 'quarter_hour', serial })
    }
  })
  afterAll(() => world.stop())

  let seed = 41
  const random = (n: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % n
  }

  /** Returns one row each of as many station-days with a history, which is 14 days in the 56 before that are not all 0. */
  const choose = (number: number, isChosen: (row: Row) => boolean): Set<Row> => {
    const judged = days.filter(([{ station, day }], i) => {
      const before = days
        .slice(Math.max(0, i - 56), i)
        .filter(([row]) => row.station === station && row.day >= day - 56)
      return before.length >= 14 && before.flat().some(({ count }) => count > 0)
    })
    const chosen = new Set<Row>()
    while (chosen.size < number) {
      const candidates = (judged.splice(random(judged.length), 1)[0] as Row[]).filter(isChosen)
      if (candidates.length > 0) chosen.add(candidates[random(candidates.length)] as Row)
    }
    return chosen
  }

  /** Returns the station-days that are named when some rows have another count. */
  const findImplausible = async (changed: ReadonlySet<Row>, change: (count: number) => number) => {
    const named: ImplausibleDay[] = []
    const lines = rows.map(row => `${row.text},${changed.has(row) ? change(row.count) : row.count}`)
    const { errors } = await world.import('impressions', ['sensor,start,impressions', ...lines], {
      // One station counts hours at first, and the hour that autumn repeats stands once.
      ...{ interval: 'quarter_hour', repeatedHour: 'first', refuseImplausible: true },
      onImplausible: ({ days }) => named.push(...days),
    })
    expect(errors).toHaveLength(named.length > 0 ? 1 : 0)
    return named.map(({ sensor, day }) => `${sensor} ${day}`)
  }

  test('are found, and nothing else is', async () => {
    const spikes = choose(114, () => true)
    expect((await findImplausible(spikes, () => 9999)).sort()).toEqual([...spikes].map(({ key }) => key).sort())
    const hundredfold = choose(127, ({ text }) => /T(0[7-9]|1[0-8]):/.test(text))
    const keys = new Set([...hundredfold].map(({ key }) => key))
    const found = await findImplausible(hundredfold, count => count * 100)
    expect(found.filter(key => !keys.has(key))).toEqual([])
    expect(found.length).toBeGreaterThanOrEqual(115)
    expect(await findImplausible(new Set(), count => count)).toEqual([])
  }, 180_000)
})
