import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountFor } from '../../../db/embedded/account'

/** The process of the worker, where the service's modules are loaded: Jest gives a test a copy. */
const worker: NodeJS.Process = (globalThis as unknown as { requireOnce: NodeJS.Require }).requireOnce('node:process')
const { PATH } = worker.env
const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-account-'))
/** Exists as soon as the user does. */
const user = join(directory, 'user')

const hasUser = () => existsSync(user)

/** Replaces the system's commands that find and create users. */
function install(commands: Record<'id' | 'groupadd' | 'useradd', string>): void {
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
}

const FIND = `[ -e '${user}' ] && case $1 in -u) echo 123;; -g) echo 456;; esac`

const runAs = (uid: number) => jest.spyOn(worker, 'getuid').mockReturnValue(uid)

beforeEach(() => {
  rmSync(user, { force: true })
  install({ id: FIND, groupadd: ':', useradd: `: > '${user}'` })
  worker.env.PATH = directory
})
afterEach(() => {
  worker.env.PATH = PATH
  jest.restoreAllMocks()
})
afterAll(() => rmSync(directory, { recursive: true }))

test('a user other than root runs PostgreSQL itself', () => {
  runAs(1000)
  expect(accountFor('/nowhere')).toBeUndefined()
})

test.each([
  [
    'one line before a user is created',
    false,
    ['PostgreSQL does not run as root: creating the system user postgres to run it'],
  ],
  ['nothing where the user exists', true, []],
])('root sees %s', (_, exists, expected) => {
  runAs(0)
  if (exists) writeFileSync(user, '')
  const lines: string[] = []
  const print = (line: string) => lines.push(hasUser() ? `late: ${line}` : line)
  expect(accountFor('/nowhere', print)).toEqual({ uid: 123, gid: 456 })
  expect(lines).toEqual(expected)
})

test('a user that cannot be created is an error', () => {
  runAs(0)
  install({ id: FIND, groupadd: 'exit 1', useradd: 'exit 1' })
  expect(() => accountFor('/nowhere')).toThrow(/the user postgres is missing and could not be created/)
})
