/**
 * Fills an empty, migrated database straight by COPY. Foreign keys are not looked at, for the rows are made to fit; checks,
 * triggers and indexes are. Afterwards the database is as one in which autovacuum has been: vacuumed, analysed.
 */
import { Client } from 'pg'
import { issueKey } from '../../db/api-keys/api-keys'
import { copyIn } from '../../db/import/copy'
import { type Asset, COMPANIES, ENVIRONMENT, idOf, makeAssets, READER, type Size } from './population'
import { tablesOf } from './tables'

export interface Filled {
  size: Size
  /** In scope of the key, by ascending id. */
  assets: Asset[]
  /** Reads one company, and asks GraphQL. */
  key: string
  /** Signs cursors. */
  cursorSecret: Buffer
  seconds: number
}

/** @param ownerUrl logs in as a superuser who owns the tables */
export async function fill(ownerUrl: string, size: Size): Promise<Filled> {
  const began = performance.now()
  const assets = makeAssets(size)
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    // What a COPY brings is kept for its triggers.
    await client.query(`SET work_mem = '256MB'`)
    await checkForeignKeys(client, false)
    for (const { into, rows } of tablesOf(assets, Date.now())) {
      const all = rows[Symbol.iterator]()
      for (let some = inPieces(all); !some.done; some = inPieces(all)) {
        await copyIn(client, `COPY ${into} FROM STDIN`, some.pieces)
      }
    }
    await checkForeignKeys(client, true)
    for (const table of ['companies', 'vendors', 'assets', 'sensors']) {
      await client.query(
        `SELECT setval(pg_get_serial_sequence('${table}', 'number'), (SELECT max(number) FROM ${table}))`,
      )
    }
    await client.query('VACUUM (ANALYZE)')
    const reader = idOf(COMPANIES[READER - 1] as string)
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
    return { size, assets: own, key, cursorSecret, seconds: (performance.now() - began) / 1000 }
  } finally {
    await client.end()
  }
}

/** Rows of one COPY: its triggers look at them all at once. */
const AT_ONCE = 50_000

/** The next rows, in pieces that are worth a write. */
function inPieces(rows: Iterator<string>): { pieces: string[]; done: boolean } {
  const pieces: string[] = []
  let piece = ''
  for (let i = 0; i < AT_ONCE; i++) {
    const { value, done } = rows.next()
    if (done) break
    piece += value
    if (piece.length < 262_144) continue
    pieces.push(piece)
    piece = ''
  }
  if (piece !== '') pieces.push(piece)
  return { pieces, done: pieces.length === 0 }
}

/** PostgreSQL's own triggers are those of foreign keys. */
async function checkForeignKeys(client: Client, check: boolean): Promise<void> {
  const { rows } = await client.query<{ switched: string }>(
    `SELECT format('ALTER TABLE %s ${check ? 'ENABLE' : 'DISABLE'} TRIGGER %I', tgrelid::regclass, tgname) AS switched
     FROM pg_trigger WHERE tgisinternal`,
  )
  for (const { switched } of rows) await client.query(switched)
}
