/** Commands whose connection breaks at the commit: nobody can tell whether it was done, but a command shows it. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Command } from 'commander'
import { createProgram } from '../../cli/command-line'
import { Invocation } from '../../cli/invocation'
import { keyHash } from '../../db/api-keys/key-format'
import { readNodeRules, ZoneRules } from '../../db/calendar/zone-rules'
import { withPool } from '../../db/postgres/pool'
import { storeRules } from '../../db/zones/rules-in-force'
import { loadDemo } from '../../imports/demo/load'
import { withoutTables, withoutTriggers } from '../support/databases'
import { run } from '../support/in-process'
import { splitWords } from '../support/text'
import { World } from '../support/world'
import { fillNetwork } from './operations/network'

jest.setTimeout(120_000)

const STRETCH = '--from 2026-01-02T00:00Z --to 2026-01-03T00:00Z'

/** Commands that write, in an order in which each finds what it changes, with the input, and what happens before. */
const WRITING: [command: string, input?: string | undefined, prepare?: () => Promise<unknown>][] = [
  ['import companies -', 'name\nCedar\n'],
  ['import impressions - --interval quarter_hour', 'sensor,start,impressions\nSN-1,2026-01-05T00:00:00Z,5\n'],
  ['note add --asset 101 --from 2026-01-01 --kind caveat --text "road works"'],
  [
    'note remove ID',
    undefined,
    async () => ([{ id }] = (await world.rows('SELECT id FROM notes')) as [{ id: string }]),
  ],
  [`set-aside impressions --sensor SN-1 ${STRETCH} --reason test --yes`],
  ['restore 1 --yes'],
  ['close 2026-01 --yes'],
  ['close 2026-01 --undo --reason test --yes'],
  ['zones update', undefined, storeOtherRules],
  ['verify --repair', undefined, () => world.rows(withoutTriggers('UPDATE measured_assets SET assets = ~assets'))],
  ['keys issue --company companyalder'],
  ['keys rotate ID', undefined, issueKey],
  ['keys deactivate ID', undefined, issueKey],
  ['delete sensors SN-5 --yes'],
  ['delete assets 102 --yes'],
  ['delete companies companybirch --yes'],
  ['retain --months 1 --yes'],
]

/** Commands that write nothing, or delete as those above; `demo`, `migrate` and `import all` have a test below. */
const OTHERS = [
  ...['serve', 'migrate', 'demo', 'import all', 'export all', 'pull', 'list', 'show', 'delete impressions'],
  ...['delete origins', 'delete demographics', 'status', 'doctor', 'zones', 'history', 'legacy-traffic'],
]

/** `unsent`: the server does not receive the commit. `unanswered`: it commits, and its answer is lost. */
type Cut = 'unsent' | 'unanswered'

/** The simple query COMMIT of the protocol, as pg and Knex send it. */
const COMMIT = /Q\0\0\0.COMMIT;?\0/s

/** Passes connections on to PostgreSQL, and cuts one at its commit. */
class CuttingProxy {
  /** The way in which the next commit is cut; undefined once it is. */
  cut: Cut | undefined
  private readonly sockets = new Set<Socket>()
  private readonly server: Server

  private constructor(private readonly target: URL) {
    this.server = createServer(client => this.pass(client)).listen(0, '127.0.0.1')
  }

  static async to(url: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(url))
    await once(proxy.server, 'listening')
    return proxy
  }

  /** The address of the database behind it. */
  get url(): string {
    const { port } = this.server.address() as AddressInfo
    return Object.assign(new URL(this.target), { hostname: '127.0.0.1', port }).href
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
    this.server.close()
  }

  private pass(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname)
    const end = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      this.sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    let isCommitting = false
    client.on('data', data => {
      if (!this.cut || !COMMIT.test(data.toString('latin1'))) return server.write(data)
      const { cut } = this
      this.cut = undefined
      if (cut === 'unsent') return end()
      isCommitting = true
      server.write(data)
    })
    server.on('data', data => (isCommitting && data.includes('COMMIT\0') ? end() : client.write(data)))
  }
}

let world: World
let proxy: CuttingProxy
/** The note or key that a command is about. */
let id: string

beforeAll(async () => {
  world = await World.open()
  await fillNetwork(world)
  proxy = await CuttingProxy.to(world.database.ownerUrl)
})
afterAll(async () => {
  proxy.close()
  await world.stop()
})

const runCut = (args: readonly string[], input?: string) => run(args, { DATABASE_URL: proxy.url }, input)

async function storeOtherRules(): Promise<void> {
  const { zone, starts, offsets } = readNodeRules('Etc/UTC')
  await storeRules(world.owner, [new ZoneRules(zone, '2000a', [...starts, 2e9], [...offsets, 3600])])
}

async function issueKey(): Promise<void> {
  id = (await world.runJson(['keys', 'issue', '--no-company'])).document.id
}

const MESSAGE = /broke at the commit: it may have been done; look with `partner-metrics ([^`]+)`$/m

/** Returns what a command that only reads prints. */
const show = async (args: string): Promise<string> => (await world.run(args.split(' '))).stdout

test.each(WRITING)('%s names a command that shows whether it was done', async (...[command, input, prepare]) => {
  await prepare?.()
  const named = command.startsWith('keys') ? 'list keys' : 'history'
  // The first command shows for all that the message does not depend on what was done.
  for (const cut of command === WRITING[0]![0] ? (['unsent', 'unanswered'] as const) : (['unanswered'] as const)) {
    const before = await show(named)
    proxy.cut = cut
    const { code, stderr } = await runCut(splitWords(command.replace('ID', id)), input)
    expect([code, proxy.cut, stderr]).toEqual([1, undefined, expect.stringMatching(MESSAGE)])
    expect(MESSAGE.exec(stderr)?.[1]).toBe(named)
    expect((await show(named)) !== before).toBe(cut === 'unanswered')
  }
})

test('every command that writes is among them', async () => {
  const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr }
  const names = ({ commands }: Command, path = ''): string[] =>
    commands.flatMap(each => [`${path}${each.name()}`, ...names(each, `${path}${each.name()} `)])
  const known = [...WRITING.map(([command]) => command), ...OTHERS]
  const unknown = names(createProgram(new Invocation([], {}, streams))).filter(
    name => !known.some(command => command === name || command.startsWith(`${name} `)),
  )
  expect(unknown).toEqual([])
})

test('a rotation ends with a new key that was printed, or an old one that works, and is not called a deactivation', async () => {
  for (const cut of ['unsent', 'unanswered'] as const) {
    const old = (await world.runJson(['keys', 'issue', '--no-company'])).document
    proxy.cut = cut
    const { stdout } = await runCut(['keys', 'rotate', old.id, '--json'])
    const printed = JSON.parse(stdout)
    const valid = await world.rows('SELECT id FROM api_keys WHERE hash = ANY ($1) AND deactivated_at IS NULL', [
      [old.key, printed.key].map(keyHash),
    ])
    expect(valid).toEqual([{ id: cut === 'unsent' ? old.id : printed.id }])
    const again = await world.run(['keys', 'rotate', old.id])
    const replaced = `error: the key ${old.id} was already replaced by ${printed.id}: rotate that one\n`
    expect([again.code, again.stderr]).toEqual(cut === 'unsent' ? [0, ''] : [1, replaced])
  }
})

test('a load of the demo is shown by the history, and a migration by the same command, which completes it', async () => {
  proxy.cut = 'unanswered'
  const load = withPool(proxy.url, { max: 2 }, pool => loadDemo(pool, 'production'))
  await expect(load).rejects.toThrow('look with `partner-metrics history`')
  for (const cut of ['unsent', 'unanswered'] as const) {
    await withoutTables(world.database)
    proxy.cut = cut
    const { code, stderr } = await runCut(['migrate'])
    expect([code, MESSAGE.exec(stderr)?.[1]]).toEqual([1, 'migrate'])
    expect((await world.run(['migrate'])).code).toBe(0)
  }
})
