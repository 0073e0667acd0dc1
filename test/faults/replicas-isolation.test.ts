/** Responses read from a replica have the same bytes as if no other company existed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { generatePaths, ROUTES } from '../isolation/requests'
import { namesOf, startWithTenants, TENANTS, type TenantService, withoutPosition } from '../isolation/tenants'
import { DISABLE } from '../support/databases'
import { send } from '../support/http'
import { run } from '../support/in-process'
import { Server } from './server'

jest.setTimeout(300_000)

const HOSTS = { maxReplicaLagMs: 1_000, needsPrimary: false }

let primary: Server
let replica: Server
let complete: TenantService
let reduced: TenantService

beforeAll(async () => {
  primary = await Server.start()
  await run(['migrate'], primary.env)
  await perform('CREATE DATABASE reduced TEMPLATE metrics')
  replica = await primary.replicate()
  const startOn = (name: string, companies: readonly ('Alder' | 'Birch' | 'Cedar')[]) => {
    const on = (url: string) => Object.assign(new URL(url), { pathname: name }).href
    const database = {
      ownerUrl: on(primary.ownerUrl),
      readerUrl: on(primary.readerUrl),
      writerUrl: on(primary.writerUrl),
      drop: async () => {},
    }
    const readerUrls = [primary, replica].map(({ readerUrl }) => on(readerUrl))
    return startWithTenants(companies, [['Alder']], { database, readerUrls, hosts: HOSTS })
  }
  complete = await startOn('metrics', TENANTS)
  reduced = await startOn('reduced', ['Alder'])
})
afterAll(async () => {
  for (const tenants of [complete, reduced]) await tenants?.service.stop()
  for (const server of [primary, replica]) await server?.dispose()
})

/** Runs a statement on the primary as its superuser, in a database that no service uses. */
async function perform(statement: string): Promise<void> {
  const client = new Client({
    connectionString: Object.assign(new URL(primary.ownerUrl), { pathname: 'postgres' }).href,
  })
  await client.connect()
  await client.query(statement)
  await client.end()
}

const batchesOf = ({ service: world }: TenantService): number[] =>
  world.gateway.database.reports.map(({ batches }) => batches)

/** Returns the requests whose responses differ. */
async function findDifferences(): Promise<string[]> {
  const different: string[] = []
  for (const path of ROUTES.flatMap(route => TENANTS.flatMap(name => generatePaths(route, [namesOf(name)])))) {
    const read = async ({ service: world, keys }: TenantService) => {
      const { status, text } = await send(world.url + path, { key: keys.get('Alder') as string })
      return `${status} ${withoutPosition(text)}`
    }
    if ((await read(complete)) !== (await read(reduced))) different.push(path)
  }
  return different
}

test('no request gets data of other companies from a replica', async () => {
  for (const { service: world } of [complete, reduced]) {
    while (world.gateway.database.reports.map(({ role }) => role).join() !== 'primary,standby') await sleep(10)
  }
  const [, before] = batchesOf(complete)
  expect(await findDifferences()).toEqual([])
  const [, after] = batchesOf(complete)
  expect(after).toBeGreaterThan((before as number) + 500)
})

test('without the scope checks, this would be found', async () => {
  for (const statements of Object.values(DISABLE)) await complete.service.owner.query(statements)
  // Resolves when the replica has replayed it.
  await complete.service.gateway.database.readerFor(Buffer.alloc(32)).replicated()
  expect((await findDifferences()).length).toBeGreaterThan(50)
})
