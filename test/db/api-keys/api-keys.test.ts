import type { Pool, PoolClient } from 'pg'
import { deactivateKey, issueKey, type Key, type KeyGrant, readKeys, rotateKey } from '../../../db/api-keys/api-keys'
import { keyHash } from '../../../db/api-keys/key-format'
import { openPool } from '../../../db/postgres/pool'
import { createDatabase, type TestDatabase } from '../../support/databases'

describe('a key', () => {
  let database: TestDatabase
  let db: Pool
  beforeAll(async () => {
    database = await createDatabase()
    db = openPool(database.ownerUrl)
    await db.query(
      `INSERT INTO companies (id, name) VALUES ('companya1', 'Alder'), ('companyb1', 'Birch'), ('companyc1', 'companyb1')`,
    )
  })
  afterAll(async () => {
    await db.end()
    await database.drop()
  })

  const birch = { id: 'companyb1', name: 'Birch' }
  const grant = (more: Partial<KeyGrant> = {}): KeyGrant => ({
    companies: ['Alder'],
    scopes: [],
    reseller: false,
    rate: null,
    label: null,
    ...more,
  })
  const read = async (id: string): Promise<Key> => (await readKeys(db, id))[0] as Key
  /** Returns the companies that both protections, row-level security and scope predicates, let a key read. */
  const companiesOf = async (key: string, connection: Pool | PoolClient = db) => {
    const { rows } = await connection.query(
      `SELECT authenticate_key($1), companies_in_scope() AS companies,
         nullif(current_setting('partner_metrics.companies'), '')::integer[] AS predicate`,
      [keyHash(key)],
    )
    expect(rows[0].predicate).toEqual(rows[0].companies)
    return rows[0].companies ?? []
  }

  test('is stored by the hash of its text only', async () => {
    const { id, key } = await issueKey(db, 'dev', grant())
    const { rows } = await db.query('SELECT k::text AS row, hash FROM api_keys k WHERE id = $1', [id])
    expect(rows[0].hash).toEqual(keyHash(key))
    expect(rows[0].row).not.toContain(key.slice(9))
  })

  test('refers to a company by id before name', async () => {
    expect((await issueKey(db, 'dev', grant({ companies: ['companyb1'] }))).companies).toEqual([birch])
  })

  test('of no company reads none; one of all companies reads those added later, too', async () => {
    expect(await companiesOf((await issueKey(db, 'dev', grant({ companies: [] }))).key)).toEqual([])
    const all = await issueKey(db, 'dev', grant({ companies: 'all', scopes: ['internal:graphql:read'] }))
    expect(all).toMatchObject({ companies: [], all_companies: true })
    const before = await companiesOf(all.key)
    await db.query(`INSERT INTO companies (id, name) VALUES ('companyd1', 'Dogwood')`)
    expect(await companiesOf(all.key)).toHaveLength(before.length + 1)
    expect(await rotateKey(db, 'dev', all.id)).toMatchObject({ all_companies: true, companies: [] })
  })

  test('has no company that does not exist', async () => {
    await issueKey(db, 'dev', grant())
    const add = 'UPDATE api_keys SET companies = companies || (SELECT max(number) + 1 FROM companies)'
    await expect(db.query(add)).rejects.toThrow(/there is no company with the number/)
  })

  test('that is rotated twice at the same time is replaced once', async () => {
    const { id } = await issueKey(db, 'dev', grant())
    const ended = await Promise.allSettled([1, 2].map(() => rotateKey(db, 'dev', id)))
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const { rows } = await db.query('SELECT FROM api_keys WHERE replaces = $1 AND deactivated_at IS NULL', [id])
    expect(rows).toHaveLength(1)
  })

  test('is valid until the instant at which it expires, and not one moment longer', async () => {
    const companiesAt = async (expiry: string) => {
      const client = await db.connect()
      try {
        await client.query('BEGIN')
        const { id, key } = await issueKey(client, 'dev', grant())
        await client.query(`UPDATE api_keys SET expires_at = ${expiry} WHERE id = $1`, [id])
        return await companiesOf(key, client)
      } finally {
        client.release(true)
      }
    }
    expect(await companiesAt(`date_trunc('milliseconds', now())`)).toEqual([])
    expect(await companiesAt(`date_trunc('milliseconds', now()) + interval '1 ms'`)).toHaveLength(1)
    const expiring = await issueKey(db, 'dev', grant({ expires_at: new Date(Date.now() + 200).toISOString() }))
    while ((await companiesOf(expiring.key)).length > 0);
    const { rows } = await db.query('SELECT now() >= $1 AS "hasExpired"', [expiring.expires_at])
    expect(rows).toEqual([{ hasExpired: true }])
    await expect(rotateKey(db, 'dev', expiring.id)).rejects.toMatchObject({ code: 'KEY_EXPIRED' })
  })

  test('that is rotated with an overlap stays valid for that time, unless it expires before or is deactivated', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString()
    const [lasting, expiring] = [
      await issueKey(db, 'dev', grant()),
      await issueKey(db, 'dev', grant({ expires_at: soon })),
    ]
    const renewed = await rotateKey(db, 'dev', lasting.id, { overlap: 3600 })
    expect(renewed).toMatchObject({ label: lasting.label, expires_at: null })
    for (const { key } of [lasting, renewed]) expect(await companiesOf(key)).toHaveLength(1)
    const { rows } = await db.query(
      `SELECT extract(epoch FROM k.expires_at - next.created_at)::integer AS seconds, k.deactivated_at
       FROM api_keys k JOIN api_keys next ON next.replaces = k.id WHERE k.id = $1`,
      [lasting.id],
    )
    expect(rows).toEqual([{ seconds: 3600, deactivated_at: null }])
    await expect(rotateKey(db, 'dev', lasting.id)).rejects.toMatchObject({ code: 'KEY_REPLACED' })
    await deactivateKey(db, lasting.id)
    expect(await companiesOf(lasting.key)).toEqual([])
    const inherited = await rotateKey(db, 'dev', expiring.id, { overlap: 3600 })
    expect([inherited.expires_at, (await read(expiring.id)).expires_at]).toEqual([
      expiring.expires_at,
      expiring.expires_at,
    ])
  })

  test('that is deactivated, unknown or of the other environment cannot be rotated', async () => {
    const { id } = await issueKey(db, 'dev', grant())
    await expect(rotateKey(db, 'production', id)).rejects.toMatchObject({ code: 'KEY_OF_OTHER_ENVIRONMENT' })
    await deactivateKey(db, id)
    await expect(rotateKey(db, 'dev', id)).rejects.toMatchObject({ code: 'KEY_DEACTIVATED' })
    await expect(rotateKey(db, 'dev', 'nothing')).rejects.toMatchObject({ code: 'UNKNOWN_KEY' })
  })
})
