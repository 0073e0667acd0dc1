import { str as crc32 } from 'crc-32'
import fc from 'fast-check'
import { Client, type Pool } from 'pg'
import {
  deactivateKey,
  issueKey,
  isWellFormed,
  type Key,
  type KeyGrant,
  keyHash,
  makeKey,
  prefixOf,
  readKeys,
  rotateKey,
} from '../../../db/api-keys/api-keys'
import { openPool } from '../../../db/postgres/pool'
import { createDatabase, type TestDatabase } from '../../support/databases'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('the text of a key', () => {
  test('is its prefix, 32 characters and 6 of check', () => {
    expect(makeKey('dev')).toMatch(/^msk_test_[0-9A-Za-z]{38}$/)
    expect(makeKey('production')).toMatch(/^msk_live_[0-9A-Za-z]{38}$/)
    expect(prefixOf('dev')).toBe('msk_test_')
    expect(prefixOf('production')).toBe('msk_live_')
  })

  test('ends with the CRC-32 of all before it, in base62', () => {
    for (let i = 0; i < 200; i++) {
      const key = makeKey('dev')
      const check = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0)
      expect(check).toBe(crc32(key.slice(0, -6)) >>> 0)
      expect(isWellFormed(key)).toBe(true)
    }
  })

  test('is never drawn twice, and uses every character about as often', () => {
    const keys = Array.from({ length: 4_000 }, () => makeKey('dev').slice(9, -6))
    expect(new Set(keys).size).toBe(4_000)
    const seen = new Map<string, number>()
    for (const character of keys.join('')) seen.set(character, (seen.get(character) ?? 0) + 1)
    expect(seen.size).toBe(62)
    // 128,000 draws, 2,065 of each expected: 10 standard deviations lie within these bounds.
    for (const count of seen.values()) expect(Math.abs(count - 128_000 / 62)).toBeLessThan(455)
  })

  test('is told from one with any other character in any place', () => {
    const character = fc.constantFrom(...ALPHABET)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 46 }), character, (place, other) => {
        const key = makeKey('production')
        const changed = key.slice(0, place) + other + key.slice(place + 1)
        expect(isWellFormed(changed)).toBe(changed === key)
      }),
      { numRuns: 500 },
    )
  })

  test('is nothing shorter, longer, padded or in other letters', () => {
    const key = makeKey('dev')
    for (const text of ['', 'msk_test_', key.slice(1), key.slice(0, -1), `${key}\n`, ` ${key}`, key.toUpperCase()]) {
      expect(isWellFormed(text)).toBe(false)
    }
  })

  test('is not any other text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => !isWellFormed(text)))
    fc.assert(fc.property(fc.string({ unit: 'binary', minLength: 1 }), text => !isWellFormed(makeKey('dev') + text)))
  })
})

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

  const alder = { id: 'companya1', name: 'Alder' }
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
  /** What both walls let through when a key is presented: the same. */
  const companiesOf = async (key: string) => {
    const { rows } = await db.query(
      `SELECT authenticate_key($1), companies_in_scope() AS companies,
         nullif(current_setting('partner_metrics.companies'), '')::integer[] AS told`,
      [keyHash(key)],
    )
    expect(rows[0].told ?? []).toEqual(rows[0].companies)
    return rows[0].companies
  }

  test('carries what it was issued with, and only the hash of its text is stored', async () => {
    const scopes = ['partner:metrics:legacy:read']
    const issued = await issueKey(db, 'dev', grant({ companies: ['Birch', 'companya1', 'Alder'], scopes, label: 'L' }))
    expect(issued).toMatchObject({ companies: [alder, birch], scopes, label: 'L', environment: 'dev', reseller: false })
    expect(issued.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    expect(Math.abs(Date.parse(issued.created_at) - Date.now())).toBeLessThan(3_600_000)
    const { rows } = await db.query('SELECT k::text AS row, hash FROM api_keys k WHERE id = $1', [issued.id])
    expect(rows[0].hash).toEqual(keyHash(issued.key))
    expect(rows[0].row).not.toContain(issued.key.slice(9))
    expect(await read(issued.id)).not.toHaveProperty('key')
  })

  test('names a company by its id rather than by a name that looks like one', async () => {
    expect((await issueKey(db, 'dev', grant({ companies: ['companyb1'] }))).companies).toEqual([birch])
  })

  test('of no company has none; of all companies has those that come later too', async () => {
    expect(await companiesOf((await issueKey(db, 'dev', grant({ companies: [] }))).key)).toEqual([])
    const all = await issueKey(db, 'dev', grant({ companies: 'all', scopes: ['internal:graphql:read'] }))
    expect(all).toMatchObject({ companies: [], all_companies: true })
    const before = await companiesOf(all.key)
    await db.query(`INSERT INTO companies (id, name) VALUES ('companyd1', 'Dogwood')`)
    expect(await companiesOf(all.key)).toHaveLength(before.length + 1)
  })

  test('of an unknown company is not issued at all', async () => {
    const before = await readKeys(db)
    await expect(issueKey(db, 'dev', grant({ companies: ['Alder', 'Elm', 'Fir'] }))).rejects.toMatchObject({
      code: 'UNKNOWN_COMPANY',
      message: expect.stringContaining('"Elm", "Fir"'),
    })
    expect(await readKeys(db)).toEqual(before)
  })

  test('hands everything over when it is rotated, and is deactivated with that', async () => {
    const companies = ['Alder', 'Birch']
    const old = await issueKey(
      db,
      'dev',
      grant({ companies, scopes: ['internal:graphql:read'], reseller: true, label: 'R' }),
    )
    const { key, id, created_at, ...rest } = await rotateKey(db, 'dev', old.id)
    const { key: oldKey, id: oldId, created_at: oldCreated, ...oldRest } = old
    expect(rest).toEqual(oldRest)
    expect([key, id]).not.toEqual([oldKey, oldId])
    expect((await read(oldId)).deactivated_at).not.toBeNull()
    expect(await companiesOf(oldKey)).toEqual([])
    expect(await companiesOf(key)).toHaveLength(2)
  })

  test('of all companies is rotated to one of all companies', async () => {
    const old = await issueKey(db, 'dev', grant({ companies: 'all', scopes: ['internal:graphql:read'] }))
    expect(await rotateKey(db, 'dev', old.id)).toMatchObject({ all_companies: true, companies: [] })
  })

  test('is rotated once however many rotate it at once', async () => {
    const old = await issueKey(db, 'dev', grant({ label: 'race' }))
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => rotateKey(db, 'dev', old.id)))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'KEY_DEACTIVATED' })
    }
    const active = (await readKeys(db)).filter(key => key.label === 'race' && key.deactivated_at === null)
    expect(active).toHaveLength(1)
  })

  test('is valid to the last moment before the rotation commits, and not after', async () => {
    const old = await issueKey(db, 'dev', grant())
    const blocker = new Client({ connectionString: database.ownerUrl })
    await blocker.connect()
    await blocker.query('BEGIN')
    await blocker.query('SELECT FROM api_keys WHERE id = $1 FOR UPDATE', [old.id])
    const rotation = rotateKey(db, 'dev', old.id)
    expect(await companiesOf(old.key)).toHaveLength(1)
    await blocker.query('ROLLBACK')
    await blocker.end()
    const { key } = await rotation
    expect(await companiesOf(old.key)).toEqual([])
    expect(await companiesOf(key)).toHaveLength(1)
  })

  test('is told anew before the old one ends, so that nobody who is killed is left without a key that works', async () => {
    const old = await issueKey(db, 'dev', grant())
    const rotation = rotateKey(db, 'dev', old.id, () => {
      throw new Error('killed')
    })
    await expect(rotation).rejects.toThrow('killed')
    expect(await companiesOf(old.key)).toHaveLength(1)
    expect((await readKeys(db, old.id))[0]?.deactivated_at).toBeNull()
  })

  test('that is deactivated, unknown or of the other environment is not rotated', async () => {
    const { id } = await issueKey(db, 'dev', grant())
    await expect(rotateKey(db, 'production', id)).rejects.toMatchObject({ code: 'KEY_OF_OTHER_ENVIRONMENT' })
    await deactivateKey(db, id)
    await expect(rotateKey(db, 'dev', id)).rejects.toMatchObject({ code: 'KEY_DEACTIVATED' })
    await expect(rotateKey(db, 'dev', 'nothing')).rejects.toMatchObject({ code: 'UNKNOWN_KEY' })
  })

  test('is deactivated once, and keeps the time of that', async () => {
    const { id, key } = await issueKey(db, 'dev', grant())
    const first = await deactivateKey(db, id)
    expect(first).toMatchObject({ id, changed: true })
    expect(await companiesOf(key)).toEqual([])
    expect(await deactivateKey(db, id)).toEqual({ ...first, changed: false })
    await expect(deactivateKey(db, 'nothing')).rejects.toMatchObject({ code: 'UNKNOWN_KEY' })
  })
})
