/** Records of changes and of calls of the legacy API, and conditions of the database that only its operator can change. */
import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { findCondition } from '../../db/operator-error'
import { World } from '../support/world'

jest.setTimeout(60_000)

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

describe('partner-metrics history', () => {
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-history-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  afterEach(() => world.rows('DELETE FROM operations'))

  const history = async (...args: string[]) => (await world.runJson(['history', ...args])).document.rows

  test('is empty at first', async () => {
    expect(await world.run(['history'])).toEqual({ code: 0, stdout: 'no changes are recorded\n', stderr: '' })
    expect(await history()).toEqual([])
  })

  test('lists imports with account, file, options and figures, latest first', async () => {
    const [first, second] = ['a.csv', 'b.csv'].map(name => join(directory, name)) as [string, string]
    writeFileSync(first, 'name\nAlder\n')
    writeFileSync(second, 'title,x\nBirch,1\nAlder,2\n')
    await world.run(['import', 'companies', first])
    await world.run(['import', 'companies', second, '--map', 'name=title', '--ignore', 'x', '--skip-faulty'])
    const recorded = { id: expect.any(Number), at: expect.any(String), account: userInfo().username }
    const figures = { read: 1, stored: 1, unchanged: 0, rejected: 0, not_stored: 0 }
    expect(await history()).toMatchObject([
      {
        ...recorded,
        command: 'import companies',
        details: { file: second, map: [['name', 'title']], ignore: ['x'], skipFaulty: true },
        figures: { ...figures, read: 2, unchanged: 1 },
      },
      { ...recorded, command: 'import companies', details: { file: first }, figures },
    ])
    expect(await history('--limit', '1')).toMatchObject([{ details: { file: second } }])
    const { stdout } = await world.run(['history'])
    expect(stdout).toContain('import companies')
    expect(stdout).toContain(`file ${second}, map name title, ignore x, skip faulty`)
  })

  test('lists an import that stored nothing because of an error as a failed one', async () => {
    await world.run(['import', 'companies', '-'], 'name\n""\nCedar\n')
    expect(await history()).toMatchObject([{ command: 'failed import companies' }])
  })

  test('lists keys that were issued, rotated and deactivated, without their texts', async () => {
    await world.make.company('Ash', { id: 'companyash' })
    const issued = (await world.runJson(['keys', 'issue', '--company', 'Ash', '--label', 'till'])).document
    const rotated = (await world.runJson(['keys', 'rotate', issued.id])).document
    for (let i = 0; i < 2; i++) await world.run(['keys', 'deactivate', rotated.id])
    const details = { label: 'till', scopes: [], companies: ['companyash'] }
    const rows = await history()
    expect(rows).toMatchObject([
      { command: 'keys deactivate', details: { id: rotated.id } },
      { command: 'keys rotate', details: { ...details, id: rotated.id, replaces: issued.id } },
      { command: 'keys issue', details: { ...details, id: issued.id, replaces: null } },
    ])
    expect(JSON.stringify(rows)).not.toContain('msk_')
  })
})

describe('partner-metrics legacy-traffic', () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  let keyId: string
  beforeAll(async () => {
    keyId = (await world.runJson(['keys', 'issue', '--no-company', '--label', 'till 7'])).document.id
  })

  const traffic = async (...args: string[]) => (await world.runJson(['legacy-traffic', ...args])).document

  test('reports that it is safe only after 30 days of recorded silence', async () => {
    const verdict = async (days: number) => {
      await world.rows(`UPDATE service SET legacy_counted_from = now() - $1 * interval '1 day'`, [days])
      return (await traffic('--since', daysAgo(0))).verdict
    }
    expect(await verdict(0)).toEqual({
      safe_to_retire: false,
      reason: expect.stringMatching(
        /^30 whole days in a row without a call are needed, and 0 were recorded \(no call was recorded; calls are recorded since .*\)$/,
      ),
    })
    expect(await verdict(29.9)).toMatchObject({ safe_to_retire: false })
    expect(await verdict(30.1)).toEqual({
      safe_to_retire: true,
      reason: expect.stringMatching(/^no call was recorded, and calls are recorded since /),
    })
    expect(await traffic()).toMatchObject({ since: daysAgo(30), rows: [] })
  })

  test('reports the calls since a given day', async () => {
    for (const [days, calls] of [
      [2, 5],
      [9, 50],
      [40, 7],
    ] as const) {
      const columns = [daysAgo(days), keyId, calls, `${daysAgo(days)}T10:00:00Z`]
      await world.rows(`INSERT INTO legacy_calls VALUES ($1, $2, '/v1/metrics/assets', $3, $4)`, columns)
    }
    expect((await traffic()).rows).toMatchObject([{ calls: 55 }])
    expect((await traffic('--since', daysAgo(60))).rows).toMatchObject([{ calls: 62 }])
    expect(await traffic('--since', daysAgo(1))).toMatchObject({
      rows: [],
      verdict: { safe_to_retire: false, reason: expect.stringContaining(`the last call was at ${daysAgo(2)}`) },
    })
    const { code, stdout } = await world.run(['legacy-traffic'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/till 7\tassets\t55\t\S+\n/)
    const silentDays = Math.floor((Date.now() - Date.parse(`${daysAgo(2)}T10:00:00Z`)) / 86_400_000)
    expect(stdout).toContain(
      `not safe to switch off: 30 whole days in a row without a call are needed, and ${silentDays} were recorded`,
    )
  })
})

test.each([
  ['53100', 'DISK_FULL', /^the disk of the database is full$/],
  ['53200', 'OUT_OF_MEMORY', /^the database is out of memory$/],
  ['53300', 'TOO_MANY_CONNECTIONS', /^the database has no connection left/],
  ['25006', 'DATABASE_READ_ONLY', /^the database is read-only/],
])('SQLSTATE %s is named for what it is, by commands and imports', async (state, code, message) => {
  await world.rows(`
    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'text of the server' USING ERRCODE = '${state}'; END $$;
    CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION refuse();
    CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON companies FOR EACH ROW EXECUTE FUNCTION refuse()`)
  expect(await world.runJson(['keys', 'issue', '--no-company'])).toEqual({
    code: 1,
    document: { error: { code, message: expect.stringMatching(message) } },
  })
  const { code: status, stderr } = await world.run(['import', 'companies', '-'], 'name\nAcme\n')
  expect([status, stderr]).toEqual([1, expect.stringMatching(new RegExp(message.source.slice(1, -1)))])
  expect(stderr).not.toMatch(/text of the server|unexpected/)
})

;(existsSync('/dev/full') ? test : test.skip)('a full disk of the command itself is named with the file', () => {
  const write = () => appendFileSync('/dev/full', 'text')
  expect(write).toThrow('ENOSPC')
  try {
    write()
  } catch (error) {
    expect(findCondition(error)).toMatchObject({
      code: 'DISK_FULL',
      message: expect.stringMatching(/^the disk is full/),
    })
  }
})
