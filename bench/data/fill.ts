/**
 * Loads the generated data into an empty, migrated database by COPY. Foreign keys are not checked meanwhile, because the
 * generated rows are consistent. Afterwards the database is vacuumed and analysed, as autovacuum would leave it.
 */
import { Client } from 'pg'
import { issueKey } from '../../db/api-keys/api-keys'
import { copyIn } from '../../db/counts/copy'
import { addMissingRules } from '../../db/zones/rules-in-force'
import { type Asset, COMPANIES, ENVIRONMENT, idOf, makeAssets, READER, type Size } from './population'
import { listTables } from './tables'

export interface BenchData {
  size: Size
  /** The assets in the key's scope, by ascending id. */
  assets: Asset[]
  /** An API key for one company, with the scope for GraphQL. */
  key: string
  /** The secret that signs cursors. */
  cursorSecret: Buffer
  /** The duration of loading. */
  seconds: number
}

/** @param ownerUrl logs in as a superuser who owns the tables: it disables the triggers of foreign keys */
export async function fill(ownerUrl: string, size: Size): Promise<BenchData> {
  const started = performance.now()
  const assets = makeAssets(size)
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    // Statement triggers receive all rows of a COPY in a transition table.
    await client.query(`SET work_mem = '256MB'`)
    await checkForeignKeys(client, false)
    await addMissingRules(client, [...new Set(assets.map(({ zone }) => zone))])
    for (const { into, rows } of listTables(assets, Date.now())) {
      const remaining = rows[Symbol.iterator]()
      for (let chunks = nextChunks(remaining); chunks.length > 0; chunks = nextChunks(remaining)) {
        await copyIn(client, `COPY ${into} FROM STDIN`, chunks)
      }
    }
    await checkForeignKeys(client, true)
    for (const table of ['companies', 'vendors', 'assets', 'sensors']) {
      await client.query(
        `SELECT setval(pg_get_serial_sequence('${table}', 'number'), (SELECT max(number) FROM ${table}))`,
      )
    }
    await client.query('VACUUM (ANALYZE)')
    const reader = idOf(COMPANIES[READER - 1]!)
    const grant = {
      companies: [reader],
      scopes: ['internal:graphql:read'],
      reseller: false,
      label: 'bench',
      rate: null,
    }
    const { key } = await issueKey(client, ENVIRONMENT, grant)
    const { rows } = await client.query<{ secret: Buffer }>('SELECT cursor_secret AS secret FROM service')
    const cursorSecret = rows[0]?.secret as Buffer
    const own = assets.filter(({ company }) => company === READER).sort((a, b) => (a.id < b.id ? -1 : 1))
    return { size, assets: own, key, cursorSecret, seconds: (performance.now() - started) / 1000 }
  } finally {
    await client.end()
  }
}

/** Limits the transition tables of triggers. */
const ROWS_PER_COPY = 50_000

const CHUNK_LENGTH = 262_144

/** The next rows of a COPY, joined to chunks of a useful size for writing. Empty at the end. */
function nextChunks(rows: Iterator<string>): string[] {
  const chunks: string[] = []
  let chunk = ''
  for (let i = 0; i < ROWS_PER_COPY; i++) {
    const { value, done } = rows.next()
    if (done) break
    chunk += value
    if (chunk.length < CHUNK_LENGTH) continue
    chunks.push(chunk)
    chunk = ''
  }
  if (chunk !== '') chunks.push(chunk)
  return chunks
}

/** Enables or disables PostgreSQL's internal triggers, which are those of foreign keys. */
async function checkForeignKeys(client: Client, check: boolean): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('ALTER TABLE %s ${check ? 'ENABLE' : 'DISABLE'} TRIGGER %I', tgrelid::regclass, tgname) AS statement
     FROM pg_trigger WHERE tgisinternal`,
  )
  for (const { statement } of rows) await client.query(statement)
}
