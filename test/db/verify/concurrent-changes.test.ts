/** Stored totals equal a recomputation after transactions that overlapped, waited for each other, were rolled back or killed. */
import fc from 'fast-check'
import type { PoolClient } from 'pg'
import { Factory, type MadeSensor } from '../../support/factories'
import { scaledRuns } from '../../support/fuzz'
import { rounds } from '../../support/rounds'
import { World } from '../../support/world'

jest.setTimeout(rounds(60_000, 900_000))

let world: World

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

const DATES = ['2025-12-31', '2026-01-01', '2026-01-31', '2026-02-01']

const CITIES = ['Berlin', 'Köln', null]

const step = fc.record({
  kind: fc.constantFrom('count', 'count', 'count', 'demographics', 'erase', 'city', 'move'),
  asset: fc.nat({ max: 3 }),
  date: fc.nat({ max: DATES.length - 1 }),
  value: fc.nat({ max: 500 }),
})

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const transaction = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 2 }),
  end: fc.constantFrom('COMMIT', 'COMMIT', 'COMMIT', 'ROLLBACK', 'kill'),
})

type Transaction = typeof transaction extends fc.Arbitrary<infer Value> ? Value : never

test('totals are those of the counts after concurrent transactions, some of them rolled back or killed', async () => {
  const ended = { COMMIT: 0, ROLLBACK: 0, kill: 0, deadlock: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(transaction, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 4 }),
      async clients => {
        const sensors = await world.make.together(async make => {
          const company = await make.company()
          const made: MadeSensor[] = []
          for (const i of [0, 1, 2, 3]) {
            const asset = await make.asset({ company, city: CITIES[i % CITIES.length] })
            made.push(await make.sensor({ asset, grain: 'day' }))
          }
          return made
        })
        await Promise.all(
          clients.map(async transactions => {
            for (const each of transactions) ended[await execute(each, sensors)]++
          }),
        )
        await world.verify()
      },
    ),
    { ...scaledRuns(8), endOnFailure: true },
  )
  expect(ended.COMMIT).toBeGreaterThan(ended.deadlock)
  expect(ended.ROLLBACK * ended.kill).toBeGreaterThan(0)
})

const DEADLOCK = '40P01'

async function execute({ steps, end }: Transaction, sensors: MadeSensor[]): Promise<Transaction['end'] | 'deadlock'> {
  const client = await world.owner.connect()
  try {
    await client.query('BEGIN')
    for (const each of steps.toSorted((a, b) => a.asset - b.asset)) await apply(each, client, sensors)
    if (end !== 'kill') await client.query(end)
    return end
  } catch (error) {
    if ((error as { code?: string }).code !== DEADLOCK) throw error
    if (end !== 'kill') await client.query('ROLLBACK')
    return 'deadlock'
  } finally {
    const { processID } = client as unknown as { processID: number }
    if (end === 'kill') await world.owner.query('SELECT pg_terminate_backend($1)', [processID])
    // To prepare the statements of the triggers again takes longer than a transaction.
    client.release(end === 'kill')
  }
}

async function apply({ kind, asset, date, value }: Step, client: PoolClient, sensors: MadeSensor[]): Promise<void> {
  const make = new Factory(world.owner, 'dev', client)
  const sensor = sensors[asset] as MadeSensor
  const { number } = sensor.asset as Exclude<MadeSensor['asset'], null>
  const day = DATES[date] as string
  if (kind === 'count') {
    // Locked as an import does: of two transactions that store the same day, one waits.
    await client.query('SELECT pg_advisory_xact_lock($1, $2)', [number, date])
    await client.query('DELETE FROM sensor_days WHERE (asset, date) = ($1, $2)', [number, day])
    await make.counts(sensor, day, () => value)
  } else if (kind === 'demographics') {
    await client.query('SELECT pg_advisory_xact_lock($1, $2)', [number, date])
    await client.query('DELETE FROM demographic_days WHERE (asset, date) = ($1, $2)', [number, day])
    await make.demographics(sensor.asset as never, day, { '25-34 male': value, '65+ female': 7 })
  } else if (kind === 'erase') {
    await client.query('DELETE FROM sensor_days WHERE asset = $1 AND date <= $2', [number, day])
  } else if (kind === 'city') {
    await client.query('UPDATE assets SET city = $2 WHERE number = $1', [number, CITIES[value % CITIES.length]])
  } else {
    const to = sensors[(asset + 1) % sensors.length]?.asset as Exclude<MadeSensor['asset'], null>
    await client.query(
      `UPDATE sensor_days SET asset = $2 WHERE asset = $1 AND date = $3 AND NOT EXISTS (
        SELECT FROM sensor_days d WHERE (d.asset, d.sensor, d.date) = ($2, sensor_days.sensor, $3))`,
      [number, to.number, day],
    )
  }
}
