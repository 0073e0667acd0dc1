import { isWellFormed, makeKey } from '../../db/api-keys/key-format'
import { Command } from '../support/command'
import { settingsOf } from '../support/databases'
import { run, runJson } from '../support/in-process'
import { World } from '../support/world'

jest.setTimeout(60_000)

describe('partner-metrics keys', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
    await world.make.company('Alder', { id: 'companya1' })
    await world.make.company('Birch & Söhne', { id: 'companyb1' })
  })
  afterAll(() => world.stop())

  const alder = { id: 'companya1', name: 'Alder' }
  const birch = { id: 'companyb1', name: 'Birch & Söhne' }

  test('issues a key and prints its text once; the list has its whole label', async () => {
    const label = 'the tills in all shops of the northern region that have not been replaced yet'
    const companies = ['--company', 'Alder', 'companyb1']
    const { code, stdout, stderr } = await world.run(['keys', 'issue', ...companies, '--label', label, '--reseller'])
    expect([code, stderr]).toEqual([0, ''])
    const [key] = stdout.split('\n')
    expect(isWellFormed(key as string)).toBe(true)
    expect(key).toMatch(/^msk_live_/)
    const listed = await world.run(['list', 'keys'])
    expect(listed.stdout).toMatch(new RegExp(`\\t${label}\\tAlder, `))
    expect(listed.stdout).not.toContain((key as string).slice(9))
    const { rows: keys } = (await world.runJson(['list', 'keys'])).document
    expect(keys).toMatchObject([{ label, companies: [alder, birch], reseller: true }])
  })

  test('issues a key for METRICS_ENV and for companies by id or name, for none or all, as one JSON document', async () => {
    const scopes = ['internal:graphql:read', 'partner:metrics:legacy:read']
    const companies = ['--company', 'companyb1', '--company', 'Alder']
    const env = { ...settingsOf(world.database), METRICS_ENV: 'dev' }
    const { code, document } = await runJson(['keys', 'issue', ...companies, '--scope', ...scopes], env)
    expect(code).toBe(0)
    expect(document).toEqual({
      id: expect.stringMatching(/^[a-z][a-z0-9]{23}$/),
      key: expect.stringMatching(/^msk_test_/),
      label: null,
      companies: [alder, birch],
      all_companies: false,
      scopes,
      reseller: false,
      rate: null,
      environment: 'dev',
      expires_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
    expect((await world.runJson(['keys', 'issue', '--no-company'])).document).toMatchObject({ companies: [] })
    const all = ['keys', 'issue', '--all-companies', '--scope', 'internal:graphql:read']
    expect((await world.runJson(all)).document).toMatchObject({ companies: [], all_companies: true })
  })

  test('issues a key with a rate limit, which stays when the key is rotated', async () => {
    const { code, document } = await world.runJson(['keys', 'issue', '--no-company', '--rate', '6000/min'])
    expect([code, document.rate]).toEqual([0, { requests: 6000, seconds: 60 }])
    const rotated = await world.runJson(['keys', 'rotate', document.id])
    expect(rotated.document.rate).toEqual({ requests: 6000, seconds: 60 })
    expect((await world.run(['show', 'keys', rotated.document.id])).stdout).toContain('6000/min')
  })

  test('reports unknown companies and keys, and suggests the names that were probably meant', async () => {
    const unknown = await world.run(['keys', 'issue', '--company', 'Alder', 'Elm', 'alder'])
    const lines = [
      'error: there is no company with the id or name "Elm" (`partner-metrics list companies` shows all)',
      'there is no company with the id or name "alder": did you mean "Alder"?',
    ]
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: expect.any(String) })
    for (const line of lines) expect(unknown.stderr).toContain(line)
    const { code, document } = await world.runJson(['keys', 'rotate', 'nothing'])
    expect(code).toBe(1)
    const message = 'there is no key with the id "nothing" (`partner-metrics list keys` shows all)'
    expect(document).toEqual({ error: { code: 'UNKNOWN_KEY', message } })
  })

  test('keeps the old key valid for the overlap that a rotation asks for, at most 30 days, and lists its end', async () => {
    const issued = (await world.runJson(['keys', 'issue', '--company', 'Alder', '--rate', '70/min'])).document
    const rotated = (await world.runJson(['keys', 'rotate', issued.id, '--overlap', '24h'])).document
    const end = Date.parse(rotated.created_at) + 86_400_000
    expect(rotated).toMatchObject({ key: expect.stringMatching(/^msk_live_/), expires_at: null })
    expect(Date.parse(rotated.old_key_expires_at)).toBe(end)
    const until = new Date(end).toISOString().slice(0, 16).replace('T', ' ')
    const created = issued.created_at.slice(0, 10)
    const { stdout } = await world.run(['list', 'keys'])
    expect(stdout.split('\n').find(line => line.includes(issued.id))).toMatch(
      new RegExp(`\\t70/min\\t${created}\\t\\t${until}$`),
    )
    expect((await world.runJson(['keys', 'rotate', issued.id])).document.error.code).toBe('KEY_REPLACED')
    for (const overlap of ['24', '0h', '31d', '43201min', 'long']) {
      const { code, document } = await world.runJson(['keys', 'rotate', rotated.id, '--overlap', overlap])
      expect([code, document.error.code]).toEqual([2, 'USAGE'])
    }
    expect((await world.runJson(['keys', 'rotate', rotated.id, '--overlap', '30d'])).code).toBe(0)
  })

  test('issues a key until the end of a day in UTC, or until an instant, but not one that has ended', async () => {
    const expiry = async (end: string) => {
      const { code, document } = await world.runJson(['keys', 'issue', '--no-company', '--expires', end])
      return code === 0 ? document.expires_at : `${code} ${document.error.message}`
    }
    expect(await expiry('2099-12-31')).toBe('2100-01-01T00:00:00Z')
    expect(await expiry('2099-12-31T12:00:00.5+01:00')).toBe('2099-12-31T11:00:00.5Z')
    expect(await expiry('2020-01-01')).toMatch(/^2 .*It is in the past/)
    expect(await expiry('2099-02-30')).toMatch(/^2 .*YYYY-MM-DD/)
    expect(await expiry('2099-12-31T12:00:00')).toMatch(/^2 .*with its UTC offset/)
  })

  test('shows all attributes of a key', async () => {
    const old = (await world.runJson(['keys', 'issue', '--company', 'Alder', '--label', 'shown'])).document
    const { key, ...issued } = (await world.runJson(['keys', 'rotate', old.id])).document
    const call = `INSERT INTO legacy_calls VALUES ('2026-03-01', $1, '/route', 1, '2026-03-01T10:00:00Z')`
    await world.rows(call, [issued.id])
    const { document } = await world.runJson(['show', 'keys', issued.id])
    expect(document).toEqual({
      ...issued,
      deactivated_at: null,
      last_used_on: null,
      replaces: old.id,
      replaced_by: null,
      last_legacy_call_at: '2026-03-01T10:00:00Z',
    })
    const { stdout } = await world.run(['show', 'keys', old.id])
    for (const value of [old.id, 'shown', 'Alder', 'production', old.created_at, issued.id])
      expect(stdout).toContain(value)
    expect(stdout).not.toContain(key)
  })

  test('finds a key by its text on standard input', async () => {
    const { key, id } = (await world.runJson(['keys', 'issue', '--no-company', '--label', 'leaked'])).document
    const shown = await world.run(['show', 'keys', '-'], `${key}\n`)
    expect(shown).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(id) })
    expect(shown.stdout).not.toContain(key)
    // Through a real pipe.
    expect(await new Command(['show', 'keys', '-'], settingsOf(world.database), `${key}\n`).ended).toEqual(shown)
    const rotated = await world.runJson(['keys', 'rotate', '-'], key)
    expect(rotated).toMatchObject({ code: 0, document: { label: 'leaked', key: expect.not.stringContaining(key) } })
    const deactivated = await world.runJson(['keys', 'deactivate', '-'], `${rotated.document.key}\r\n`)
    expect(deactivated).toMatchObject({ code: 0, document: { id: rotated.document.id, changed: true } })
    const again = await world.run(['keys', 'deactivate', rotated.document.id])
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('was already deactivated')])
  })

  test('reports a key on standard input that is not one, or not known, without repeating it', async () => {
    const unknown = makeKey('production')
    for (const [input, code] of [
      [unknown, 'UNKNOWN_KEY'],
      [unknown.slice(0, -1), 'INVALID_KEY'],
      ['', 'INVALID_KEY'],
    ] as const) {
      for (const command of ['rotate', 'deactivate']) {
        const ended = await world.run(['keys', command, '-', '--json'], `${input}\n`)
        expect(ended.code).toBe(1)
        expect(JSON.parse(ended.stdout).error.code).toBe(code)
        if (input) expect(ended.stdout + ended.stderr).not.toContain(input)
      }
    }
  })

  test('never prints a key that is given as an argument', async () => {
    const key = makeKey('production')
    const secret = key.slice(9, 30)
    for (const args of [
      ['keys', 'rotate', key],
      ['show', 'keys', key.slice(0, 30)],
      ['keys', key],
      ['list', 'keys', `--key=${key}`],
      ['keys', 'issue', '--company', key],
      ['keys', 'issue', '--no-company', '--label', `was ${key}`],
      ['import', 'companies', key],
      [key],
    ]) {
      const { code, stdout, stderr } = await world.run([...args, '--json'])
      expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'KEY_IN_ARGUMENT'])
      expect(stderr).toContain('Give - as ID')
      expect(stdout + stderr).not.toContain(secret)
    }
    const { code, stdout, stderr } = await world.run(['keys', 'rotate', key.slice(9), '--json'])
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, 'UNKNOWN_KEY'])
    expect(stdout + stderr).not.toContain(secret)
  })

  test('reports in one line that the database cannot be reached', async () => {
    const away = { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' }
    const { code, stdout, stderr } = await run(['list', 'keys'], away)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^error: the database in 127\.0\.0\.1:1\/d cannot be opened: .*ECONNREFUSED.*\n$/)
    expect(stderr).not.toContain('hunter2')
  })
})
