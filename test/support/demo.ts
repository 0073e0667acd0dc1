/** The service with a few days of the demo, as documents, examples and clients use it. */
import { Client, escapeLiteral } from 'pg'
import { withPool } from '../../db/postgres/pool'
import { type DemoKey, loadDemo } from '../../imports/demo/load'
import { createDatabase, testServer } from './databases'
import { World, type WorldOptions } from './world'

/** A week and a day. */
const DAYS = 8

export interface DemoService {
  service: World
  /** Returns the first key of a kind. */
  keyOf(kind: DemoKey['kind']): string
}

/** Starts a service with the demo of the days before today. */
export async function startDemo(): Promise<DemoService> {
  const keys = await makeTemplate()
  return withKeys(await World.open({ database: await createDatabase(testServer().demo) }), keys)
}

/** Starts a service with a number of days of the demo before the time of the service. */
export async function startDemoAt(now: number, days: number, options: WorldOptions = {}): Promise<DemoService> {
  const world = await World.open({ ...options, now: () => now })
  const { keys } = await loadDemo(world.owner, 'dev', now / 1000, days)
  return withKeys(world, keys)
}

const withKeys = (world: World, keys: DemoKey[]): DemoService => ({
  service: world,
  keyOf: kind => (keys.find(key => key.kind === kind) as DemoKey).key,
})

/** Makes the template with the demo, unless another test file has done so. @returns the keys, which are its comment */
async function makeTemplate(): Promise<DemoKey[]> {
  const { url, demo } = testServer()
  const server = new Client({ connectionString: url })
  await server.connect()
  try {
    await server.query('SELECT pg_advisory_lock(hashtext($1))', [demo])
    const { rows } = await server.query(
      `SELECT shobj_description(oid, 'pg_database') AS keys FROM pg_database WHERE datname = $1`,
      [demo],
    )
    if (rows[0]) return JSON.parse(rows[0].keys)
    const { ownerUrl } = await createDatabase()
    const { keys } = await withPool(ownerUrl, { max: 2 }, pool => loadDemo(pool, 'dev', Date.now() / 1000, DAYS))
    const name = new URL(ownerUrl).pathname.slice(1)
    await server.query(`COMMENT ON DATABASE ${name} IS ${escapeLiteral(JSON.stringify(keys))}`)
    await server.query(`ALTER DATABASE ${name} RENAME TO ${demo}`)
    return keys
  } finally {
    await server.end()
  }
}
