/** The feed against a model: which days of a month every position gets, after any transactions that change days of one asset. */
import fc from 'fast-check'
import { inTransaction } from '../../../db/transaction'
import { Factory, type MadeAsset, type MadeSensor } from '../../support/factories'
import { rounds } from '../../support/rounds'
import { World } from '../../support/world'

jest.setTimeout(rounds(60_000, 600_000))

const RUNS = rounds(12, 300)
const DAYS = 9

let world: World

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

interface Days {
  from: number
  to: number
}

const dateOf = (day: number) => `2026-01-0${day}`

const union = (all: Days[]): Days => ({
  from: Math.min(...all.map(({ from }) => from)),
  to: Math.max(...all.map(({ to }) => to)),
})

/** Replaces the counts of these days in a transaction. */
async function change(sensor: MadeSensor & { asset: MadeAsset }, days: number[]): Promise<void> {
  await inTransaction(world.owner, async client => {
    const dates = days.map(dateOf)
    await client.query('DELETE FROM sensor_days WHERE sensor = $1 AND date = ANY ($2)', [sensor.number, dates])
    const make = new Factory(world.owner, 'dev', client)
    for (const date of dates) await make.counts(sensor, date, () => Math.floor(Math.random() * 1_000_000))
    return { commit: true, result: null }
  })
}

/** Reads the feed to its end. @returns the days of impressions that it lists, and the end */
async function follow(key: string, cursor: string): Promise<{ listed: Days[]; end: string }> {
  const { data, pagination } = await world.read(`/v1/partner/changes?cursor=${cursor}`, key)
  const rows = data.filter(({ kind }: { kind: string }) => kind === 'impressions')
  const listed = rows.map((row: { from_date: string; to_date: string }) => ({
    from: Number(row.from_date.slice(-2)),
    to: Number(row.to_date.slice(-2)),
  }))
  return { listed, end: pagination.cursor }
}

const transactions = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: DAYS }), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 8,
})

test('every position gets all days that have changed since, and the newest ones no others', async () => {
  await fc.assert(
    fc.asyncProperty(transactions, async changes => {
      const company = await world.make.company()
      const key = await world.make.key([company])
      const asset = await world.make.asset({ company })
      const sensor = { ...(await world.make.sensor({ asset, grain: 'day' })), asset }
      const ends = [(await world.read('/v1/partner/changes', key)).pagination.cursor]
      const made: Days[] = []
      for (const days of changes) {
        await change(sensor, days)
        made.push({ from: Math.min(...days), to: Math.max(...days) })
        for (const [i, end] of ends.entries()) {
          const { listed } = await follow(key, end)
          const since = union(made.slice(i))
          // One row for the month, with everything that has changed since, and nothing that never did.
          expect(listed).toHaveLength(1)
          expect(union([...listed, since])).toEqual(listed[0])
          expect(union([...listed, ...made])).toEqual(union(made))
          // Exactly the days of the last change behind the one before, also when it was made in several transactions.
          const last = made.at(-1)
          if (made.slice(i).every(({ from, to }) => from === last?.from && to === last.to))
            expect(listed).toEqual([last])
        }
        ends.push((await follow(key, ends.at(-1) as string)).end)
        expect((await follow(key, ends.at(-1) as string)).listed).toEqual([])
      }
    }),
    { numRuns: RUNS },
  )
})
