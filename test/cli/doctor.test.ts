import { dateOf, dayNumber } from '../../db/calendar/local-days'
import type { Factory } from '../support/factories'
import { splitWords } from '../support/text'
import { World } from '../support/world'

const TODAY = dayNumber(new Date().toISOString())
const DAYS = 24

/** A rounded day of quarter hours, with some noise that differs from sensor to sensor and day to day. */
const usual = (sensor: number, day: number) => (interval: number) =>
  Math.round(45 + 35 * Math.sin((interval / 96) * 2 * Math.PI - 2) + ((sensor * 7 + day * 13 + interval * 29) % 9))

/** Differences from that on a day; days count from today, so that yesterday is -1. */
type Faults = Record<string, (day: number, count: (interval: number) => number) => number[] | undefined>

const listCounts = (count: (interval: number) => number) => Array.from({ length: 96 }, (_, i) => count(i))

const FAULTS: Faults = {
  SILENT: (day, count) => (day >= -2 ? undefined : listCounts(count)),
  ZERO: (day, count) => listCounts(i => (day === -1 && i >= 30 ? 0 : count(i))),
  STUCK: (day, count) => listCounts(i => (day === -2 && i >= 40 && i < 70 ? 41 : count(i))),
  LEVEL: (day, count) => listCounts(i => (day >= -3 ? Math.round(count(i) / 2) : count(i))),
  SHIFTED: (day, count) => listCounts(i => count(day >= -3 ? (i + 92) % 96 : i)),
  'FAR ABOVE': (day, count) => listCounts(i => (day === -1 && i === 50 ? 9999 : count(i))),
}

const date = (day: number): string => dateOf(TODAY + day)

describe('partner-metrics doctor', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
    await world.make.together(fill)
  }, 120_000)
  afterAll(() => world.stop())

  /** Twelve sensors of a company, six of them with a fault each; one of another company, since a week. */
  async function fill(make: Factory): Promise<void> {
    const company = await make.company()
    const vendor = await make.vendor('quarter_hour', { own: false })
    const serials = [...Object.keys(FAULTS), 'FINE 1', 'FINE 2', 'FINE 3', 'FINE 4', 'FINE 5', 'FINE 6', 'NEW']
    for (const [i, serial] of serials.entries()) {
      const owner = serial === 'NEW' ? {} : { company }
      const asset = await make.asset({ ...owner, time_zone: 'Etc/UTC' })
      const attributes = { vendor, grain: 'quarter_hour', installed_at: '2020-01-01' } as const
      const sensor = await make.sensor({ ...attributes, asset, serial })
      for (let day = serial === 'NEW' ? -7 : -DAYS; day < 0; day++) {
        const counts = (FAULTS[serial] ?? ((_, count) => listCounts(count)))(day, usual(i, day))
        if (counts) await make.counts(sensor, date(day), counts)
      }
    }
  }

  test('names each faulty sensor with days, figures and a command, and no other one', async () => {
    const { code, document } = await world.runJson(['doctor'])
    expect(code).toBe(0)
    const found = (document.rows as { sensor: string; fault: string; from: string; to: string }[]).map(
      ({ sensor, fault, from, to }) => [sensor, fault, from, to],
    )
    expect(found.sort()).toEqual([
      ['FAR ABOVE', 'implausible', date(-1), date(-1)],
      ['LEVEL', 'level', date(-3), date(-1)],
      ['SHIFTED', 'shifted', date(-3), date(-1)],
      ['SILENT', 'silent', date(-2), date(-1)],
      ['STUCK', 'stuck', date(-2), date(-2)],
      ['ZERO', 'zero', date(-1), date(-1)],
    ])
    const stuck = document.rows.find(({ sensor }: { sensor: string }) => sensor === 'STUCK')
    const [from, to] = [`${date(-2)}T10:00+00:00`, `${date(-2)}T17:30+00:00`]
    expect(stuck).toMatchObject({
      evidence: `41 in 30 intervals in a row, from ${from} to ${to}`,
      remedy: `partner-metrics set-aside impressions --sensor STUCK --from ${from} --to ${to} --reason 'doctor: stuck'`,
    })
    expect(document.judged).toBe(13)
    expect(document.not_judged).toEqual([
      {
        sensor: 'NEW',
        asset_id: expect.any(String),
        faults: ['zero', 'shifted', 'level', 'implausible'],
        reason: 'fewer than 14 of the 56 days before have counts',
      },
    ])
  })

  test('shows one sensor with --sensor, of any days with --from', async () => {
    const { document } = await world.runJson(['doctor', '--sensor', 'LEVEL', '--from', date(-6)])
    expect(document.rows.map(({ fault, from, to }: Record<string, string>) => [fault, from, to])).toEqual([
      ['level', expect.any(String), date(-1)],
    ])
    expect(document.judged).toBe(1)
    expect((await world.run(['doctor', '--sensor', 'LEVAL'])).stderr).toContain('did you mean "LEVEL"?')
  })

  test('finds nothing more where its remedies were run', async () => {
    const { rows } = (await world.runJson(['doctor'])).document
    for (const { sensor, remedy } of rows) {
      const [command] = /partner-metrics (set-aside|note add)[^;]*/.exec(remedy) ?? []
      if (!command) continue
      const [, ...words] = splitWords(command.replace('TEXT', 'Text'))
      const confirmed = words[0] === 'note' ? [] : ['--yes']
      expect([sensor, (await world.run([...words, ...confirmed])).code]).toEqual([sensor, 0])
    }
    const after = (await world.runJson(['doctor'])).document
    expect(after.rows.map(({ sensor }: { sensor: string }) => sensor).sort()).toEqual(['SHIFTED', 'SILENT'])
    expect((await world.run(['doctor'])).stdout).toMatch(/^13 sensors were judged: 1 cannot be trusted, 1 is silent\n/)
  })
})
