/**
 * One PostgreSQL for a whole run of the tests: the embedded one in a temporary directory, or the one whose superuser
 * TEST_DATABASE_URL names. It holds one template, migrated and granted, which databases.ts copies.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { openEmbedded } from '../../db/embedded/embedded-cluster'
import { grantLogin } from '../../db/logins'
import { migrate } from '../../db/migrate/migrate'
import { withPool } from '../../db/postgres/pool'
import { requiredSettings } from '../../db/session-settings'
import { addMissingRules } from '../../db/zones/rules-in-force'

/**
 * The values that the tests need: the URL of the superuser, the template, that with the demo (which demo.ts makes if a test
 * needs it), and the login with which the service reads.
 */
export interface TestServer {
  url: string
  template: string
  demo: string
  reader: string
  password: string
}

/** Ends what this run has started. */
export type Closing = () => Promise<void>

/** Linux has a file system in memory here. A container's may be too small. */
const MEMORY = '/dev/shm'

const MIN_MEMORY_BYTES = 4 * 2 ** 30

export default async function setUp() {
  if (hasRoom(MEMORY)) process.env.TMPDIR ??= MEMORY
  const { url, close } = await openServer()
  // Jest ends at once when it is interrupted; what runs in a session of its own would stay.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => close().finally(() => process.exit(1)))
  const run = randomBytes(4).toString('hex')
  const server = {
    url,
    template: `test_template_${run}`,
    demo: `test_demo_${run}`,
    reader: `test_reader_${run}`,
    password: run,
  }
  const closing: Closing = async () => {
    // The cluster of this run is deleted with all that failed tests have left in it.
    if (!process.env.TEST_DATABASE_URL) return close()
    await perform(url, [
      `DROP DATABASE IF EXISTS ${server.template}`,
      `DROP DATABASE IF EXISTS ${server.demo}`,
      `DROP ROLE IF EXISTS ${server.reader}`,
    ])
  }
  try {
    await makeTemplate(server)
  } catch (error) {
    await closing()
    throw error
  }
  process.env.TEST_SERVER = JSON.stringify(server)
  Object.assign(globalThis, { closing })
}

/**
 * Returns whether databases fit into a folder. On disk, PostgreSQL spends up to half of its time on creating and deleting
 * the files of databases, and clusters that tests start wait for the disk.
 */
function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= MIN_MEMORY_BYTES
  } catch {
    return false
  }
}

async function makeTemplate({ url, template, reader, password }: TestServer): Promise<void> {
  await perform(url, [
    `CREATE ROLE ${reader} LOGIN PASSWORD '${password}'`,
    ...requiredSettings('reader').map(([name, value]) => `ALTER ROLE ${reader} SET ${name} = '${value}'`),
    `CREATE DATABASE ${template} TEMPLATE template0 ENCODING UTF8 LOCALE 'C'`,
  ])
  const templateUrl = new URL(url)
  templateUrl.pathname = template
  await migrate(templateUrl.href)
  await grantLogin(templateUrl.href, reader)
  // For assets that tests insert by SQL.
  await withPool(templateUrl.href, { max: 1 }, owner => addMissingRules(owner, ['Europe/Berlin', 'UTC']))
}

async function openServer(): Promise<{ url: string; close: Closing }> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, close: async () => {} }
  const dataDir = mkdtempSync(join(tmpdir(), 'partner-metrics-test-'))
  chmodSync(dataDir, 0o755)
  const embedded = await openEmbedded({
    dataDir,
    create: true,
    settings: {
      // Nothing has to outlive a run.
      fsync: 'off',
      full_page_writes: 'off',
      synchronous_commit: 'off',
      autovacuum: 'off',
      max_connections: 300,
      scram_iterations: 1,
    },
  })
  const close = async () => {
    await embedded.leave()
    rmSync(dataDir, { recursive: true, force: true })
  }
  // To prove a password takes both sides a third of what a connection costs, unless it was set to be proven at once.
  const { username, password } = new URL(embedded.ownerUrl)
  await perform(embedded.ownerUrl, [`ALTER ROLE ${username} PASSWORD '${password}'`]).catch(async error => {
    await close()
    throw error
  })
  // Tests use it like any other PostgreSQL: they may change the port of the URL.
  const url = new URL(embedded.ownerUrl)
  url.searchParams.delete('embedded_in')
  return { url: url.href, close }
}

async function perform(url: string, statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
