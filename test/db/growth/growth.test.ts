/**
 * The growth of what PostgreSQL reads with the data: of each command that writes and of each route, whatever was there when a connection
 * planned its statements. `npm run bench -- --growth` prints the table at larger sizes, with CPU.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeShared, openShared } from '../../support/command-pools'
import { createDatabase, type TestDatabase } from '../../support/databases'
import { World } from '../../support/world'
import { type Cost, Meter, ReportingBatch } from './meter'
import { STEPS, type Step } from './steps'

jest.setTimeout(3_600_000)

/** Numbers of assets: n, 4 n and 16 n. */
const SIZES = [200, 800, 3_200]

/** The greatest growth of what is read from n to 4 n and to 16 n, and what may be read for each of n assets in any case: of
 * tables of some hundred rows, PostgreSQL reads all instead of looking rows up. */
const LIMITS = { linear: { growth: [5, 22], atLeast: 1_500 }, constant: { growth: [2, 2], atLeast: 20 } }

const CONNECTIONS: Record<string, Connection> = {
  'planned when tables were empty': { plannedBefore: true },
  'planned at one row': { plannedBefore: true, wasAnalyzed: true },
  new: { isNew: true },
  'beside an old snapshot': { isBesideSnapshot: true },
}

interface Connection {
  /** Whether the steps ran on it with one asset before. */
  plannedBefore?: boolean
  /** Whether the statistics were those of that time; else they were those of empty tables. Afterwards they are those of the moment. */
  wasAnalyzed?: boolean
  /** Whether each command has one of its own. */
  isNew?: boolean
  isBesideSnapshot?: boolean
}

/** A plan is kept from the sixth time on. */
const TIMES_UNTIL_KEPT = 6

type Measured = (step: Step, cost: Cost) => void

class Growth {
  private world!: World

  constructor(
    private readonly database: TestDatabase,
    private readonly connection: Connection,
  ) {}

  /** Returns the costs of each step, by size. */
  async measure(): Promise<Map<Step, Cost[]>> {
    const { plannedBefore, wasAnalyzed } = this.connection
    const costs = new Map<Step, Cost[]>(STEPS.map(step => [step, []]))
    await this.open()
    await this.world.make.vendor('hour', { name: 'Counters' })
    await this.world.owner.query('ANALYZE')
    if (plannedBefore) await this.runAll(1, wasAnalyzed, () => {})
    for (const size of SIZES) {
      if (!plannedBefore) await this.open()
      await this.runAll(size, true, (step, cost) => costs.get(step)!.push(cost))
    }
    return costs
  }

  stop(): Promise<void> {
    return this.world.stop()
  }

  /** Opens connections; those of requests plan their statements when they run first. */
  private async open(): Promise<void> {
    await this.world?.stop()
    await this.renew()
    const database = { ...this.database, drop: async () => {} }
    this.world = await World.open({ database, connections: 1, createBatch: () => new ReportingBatch() })
  }

  /** Lets commands have new connections. */
  private async renew(): Promise<void> {
    await closeShared(this.database.ownerUrl)
    openShared(this.database.ownerUrl)
  }

  private async runAll(assets: number, isAnalyzed: boolean | undefined, measured: Measured): Promise<void> {
    const { world, connection } = this
    const parent = mkdtempSync(join(tmpdir(), 'growth '))
    const company = await world.make.company('Fleet')
    const key = await world.make.key([company], { scopes: ['partner:metrics:legacy:read'] })
    const holder = await world.owner.connect()
    if (connection.isBesideSnapshot) await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM assets')
    try {
      const meter = new Meter(world)
      // A request reads rows that are gone until they are vacuumed, which a snapshot prevents.
      const steps = STEPS.filter(({ isRequest }) => !(connection.isBesideSnapshot && isRequest))
      let wasRequest: boolean | undefined
      for (const step of steps) {
        if (connection.isNew) await this.renew()
        if (isAnalyzed) await world.owner.query(step.isRequest && !wasRequest ? 'VACUUM ANALYZE' : 'ANALYZE')
        wasRequest = step.isRequest
        const run = () => step.run({ world, assets, key, folder: join(parent, 'all') })
        for (let i = 1; step.isRequest && assets === 1 && i < TIMES_UNTIL_KEPT; i++) await run()
        measured(step, await meter.measure(run))
      }
    } finally {
      await holder.query('ROLLBACK')
      holder.release()
      rmSync(parent, { recursive: true })
    }
    await world.owner.query('VACUUM')
  }
}

test.each(Object.entries(CONNECTIONS))(
  'PostgreSQL reads as much more as there is: connections %s',
  async (_, connection) => {
    const database = await createDatabase()
    const growth = new Growth(database, connection)
    try {
      const costs = await growth.measure()
      if (process.env.GROWTH) print(costs)
      expect([...costs].flatMap(describeExcess)).toEqual([])
    } finally {
      await growth.stop()
      await database.drop()
    }
  },
)

/** Returns what grows faster than a step may. */
function describeExcess([{ name, isConstant }, costs]: [Step, Cost[]]): string[] {
  const { growth, atLeast } = LIMITS[isConstant ? 'constant' : 'linear']
  return (['rows', 'blocks'] as const).flatMap(figure => {
    const figures = costs.map(cost => cost[figure])
    const first = Math.max(figures[0]!, atLeast * SIZES[0]!)
    const isTooMuch = growth.some((limit, i) => figures[i + 1]! > limit * first)
    return isTooMuch ? [`${name}: ${figures.join(' → ')} ${figure}`] : []
  })
}

function print(costs: Map<Step, Cost[]>): void {
  const growth = (figures: number[]) => `${figures.map(figure => Math.round(figure)).join(' → ')}`.padEnd(32)
  const rows = [...costs].map(([{ name }, each]) =>
    [
      name.padEnd(48),
      ...(['rows', 'blocks', 'cpu'] as const).map(figure => growth(each.map(cost => cost[figure]))),
    ].join(' '),
  )
  process.stdout.write(`${SIZES.join(', ')} assets: rows, blocks and milliseconds of CPU\n${rows.join('\n')}\n`)
}
