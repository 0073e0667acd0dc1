/** Keys: what is issued, rotated, shown and found by its text, which is printed once and never again. */
import { Writable } from 'node:stream'
import { run as runCommandLine } from '../../cli/command-line'
import { isWellFormed, makeKey } from '../../db/api-keys/key-format'
import { Command } from '../support/command'
import { settingsOf } from '../support/databases'
import { run } from '../support/in-process'
import { like, splitWords } from '../support/text'
import { World } from '../support/world'

jest.setTimeout(60_000)

let world: World
beforeAll(async () => {
  world = await World.open()
  await world.make.company('Alder', { id: 'companya1' })
  await world.make.company('Birch & Söhne', { id: 'companyb1' })
})
afterAll(() => world.stop())

const keys = (args: string, input?: string) => world.runJson(['keys', ...splitWords(args)], input)
const alder = { id: 'companya1', name: 'Alder' }
const birch = { id: 'companyb1', name: 'Birch & Söhne' }

const ISSUED = {
  ...{
    id: expect.stringMatching(/^[a-z][a-z0-9]{23}$/),
    key: like('msk_live_…'),
    label: null,
    companies: [],
    all_companies: false,
    scopes: [],
  },
  ...{ reseller: false, rate: null, environment: 'production', expires_at: null, created_at: like('20…Z') },
}

test.each<[args: string, document: object]>([
  [
    '--company companyb1 --company Alder --scope internal:graphql:read partner:metrics:legacy:read',
    { companies: [alder, birch], scopes: ['internal:graphql:read', 'partner:metrics:legacy:read'] },
  ],
  ['--company Alder --reseller --label "till 7"', { companies: [alder], reseller: true, label: 'till 7' }],
  ...(
    [
      ['6000/min', 6000, 60],
      ['5/s', 5, 1],
      ['100/h', 100, 3600],
      ['1000000000/d', 1_000_000_000, 86_400],
    ] as const
  ).map(
    ([rate, requests, seconds]) => [`--no-company --rate ${rate}`, { rate: { requests, seconds } }] as [string, object],
  ),
  ['--all-companies --scope internal:graphql:read', { all_companies: true, scopes: ['internal:graphql:read'] }],
  ['--no-company --expires 2099-12-31', { expires_at: '2100-01-01T00:00:00Z' }],
  ['--no-company --expires 2099-12-31T12:00:00.5+01:00', { expires_at: '2099-12-31T11:00:00.5Z' }],
])('issue %s', async (args, document) => {
  const { code, document: issued } = await keys(`issue ${args}`)
  expect([code, issued]).toEqual([0, { ...ISSUED, ...document }])
  expect(isWellFormed(issued.key)).toBe(true)
  const { key, ...shown } = issued
  const more = {
    deactivated_at: null,
    last_used_on: null,
    replaces: null,
    replaced_by: null,
    last_legacy_call_at: null,
  }
  expect((await world.runJson(['show', 'keys', issued.id])).document).toEqual({ ...shown, ...more })
  // A key keeps its grant when it is rotated.
  const { document: rotated } = await keys(`rotate ${issued.id}`)
  expect(rotated).toEqual({
    ...ISSUED,
    ...document,
    id: rotated.id,
    key: expect.not.stringContaining(key),
  })
})

test.each<[args: string, code: 1 | 2, error: string, message: string]>([
  ['issue --no-company --expires 2020-01-01', 2, 'USAGE', '…in the past…'],
  ['issue --no-company --expires 2099-02-30', 2, 'USAGE', '…YYYY-MM-DD…'],
  ['issue --no-company --expires 2099-12-31T12:00:00', 2, 'USAGE', '…with its UTC offset…'],
  ['issue --company Alder Elm alder', 1, 'UNKNOWN_COMPANY', '…"Elm"…"alder": did you mean "Alder"?'],
  ...['24', '0h', '31d', '43201min', 'long'].map((overlap): [string, 2, string, string] => [
    ...([`rotate x --overlap ${overlap}`, 2, 'USAGE', '…--overlap…'] as const),
  ]),
])('%s is refused', async (args, code, error, message) => {
  expect(await keys(args)).toEqual({ code, document: { error: { code: error, message: like(message) } } })
})

test('text shows the key once, for METRICS_ENV, and lists have its whole label', async () => {
  const label = 'the tills in all shops of the northern region that have not been replaced yet'
  const env = { ...settingsOf(world.database), METRICS_ENV: 'dev' }
  const { code, stdout, stderr } = await run(['keys', 'issue', '--company', 'Alder', '--label', label], env)
  const [key = ''] = stdout.split('\n')
  expect([code, stderr, key]).toEqual([0, '', like('msk_test_…')])
  const listed = await world.run(['list', 'keys'])
  expect(listed.stdout).toContain(`\t${label}\tAlder`)
  expect(listed.stdout).not.toContain(key.slice(9))
})

test('an overlap keeps the old key valid until then, which is listed, and lets it be rotated no more', async () => {
  const { document: issued } = await keys('issue --company Alder --rate 70/min')
  const { document: rotated } = await keys(`rotate ${issued.id} --overlap 24h`)
  const end = Date.parse(rotated.created_at) + 86_400_000
  expect(Date.parse(rotated.old_key_expires_at)).toBe(end)
  const until = new Date(end).toISOString().slice(0, 16).replace('T', ' ')
  const { stdout } = await world.run(['list', 'keys'])
  expect(stdout.split('\n').find(line => line.includes(issued.id))).toMatch(new RegExp(`\\t70/min\\t.*\\t\\t${until}$`))
  expect((await keys(`rotate ${issued.id}`)).document.error.code).toBe('KEY_REPLACED')
  expect((await keys(`rotate ${rotated.id} --overlap 30d`)).code).toBe(0)
})

test('a key is found by its text on standard input, which no output repeats', async () => {
  const { key, id } = (await keys('issue --no-company --label leaked')).document
  const shown = await world.run(['show', 'keys', '-'], `${key}\n`)
  expect(shown).toMatchObject({ code: 0, stderr: '', stdout: like(`…${id}…`) })
  expect(shown.stdout).not.toContain(key)
  // Through a real pipe.
  expect(await new Command(['show', 'keys', '-'], settingsOf(world.database), `${key}\n`).ended).toEqual(shown)
  const rotated = await keys('rotate -', key)
  expect(rotated).toMatchObject({ code: 0, document: { label: 'leaked', key: expect.not.stringContaining(key) } })
  const deactivated = { code: 0, document: { id: rotated.document.id, changed: true } }
  expect(await keys('deactivate -', `${rotated.document.key}\r\n`)).toMatchObject(deactivated)
  expect((await keys(`deactivate ${rotated.document.id}`)).document.changed).toBe(false)
  const unknown = makeKey('production')
  for (const [input, code] of [
    [unknown, 'UNKNOWN_KEY'],
    [unknown.slice(0, -1), 'INVALID_KEY'],
    ['', 'INVALID_KEY'],
  ] as const) {
    const ended = await world.run(['keys', 'rotate', '-', '--json'], `${input}\n`)
    expect([ended.code, JSON.parse(ended.stdout).error.code]).toEqual([1, code])
    if (input) expect(ended.stdout + ended.stderr).not.toContain(input)
  }
})

test('a key that is given as an argument is refused, and never printed', async () => {
  const key = makeKey('production')
  const secret = key.slice(9, 30)
  for (const [args, code, error] of [
    ...[
      ...[`keys rotate ${key}`, `show keys ${key.slice(0, 30)}`, `keys ${key}`, `list keys --key=${key}`, key],
      ...[`keys issue --company ${key}`, `keys issue --no-company --label "was ${key}"`, `import companies ${key}`],
    ].map(args => [args, 2, 'KEY_IN_ARGUMENT'] as const),
    [`keys rotate ${key.slice(9)}`, 1, 'UNKNOWN_KEY'] as const,
  ]) {
    const { code: exit, stdout, stderr } = await world.run([...splitWords(args), '--json'])
    expect([args, exit, JSON.parse(stdout).error.code]).toEqual([args, code, error])
    expect(stdout + stderr).not.toContain(secret)
  }
})

/** Runs a command whose output is on a full disk. */
async function runWithoutOutput(args: string[]): Promise<{ code: number; stderr: string }> {
  let stderr = ''
  const code = await runCommandLine(
    args,
    { METRICS_ENV: 'production', ...settingsOf(world.database) },
    {
      stdin: process.stdin,
      stdout: new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space left')) }),
      stderr: new Writable({
        write(chunk, _encoding, done) {
          stderr += chunk
          done()
        },
      }),
    },
  )
  return { code, stderr }
}

test('a key stays valid, and none is issued, where the new one could not be printed', async () => {
  const { document: old } = await keys('issue --no-company')
  const listed = await world.run(['list', 'keys'])
  for (const args of [
    ['rotate', old.id],
    ['issue', '--no-company'],
  ]) {
    const { code, stderr } = await runWithoutOutput(['keys', ...args])
    expect([code, stderr]).toEqual([1, 'error: the output could not be written: no space left\n'])
  }
  expect(await world.run(['list', 'keys'])).toEqual(listed)
})
