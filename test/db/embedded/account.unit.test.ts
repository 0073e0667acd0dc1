import * as childProcess from 'node:child_process'
import { accountFor } from '../../../db/embedded/account'

jest.mock('node:child_process')

/** A system with these commands; `id` finds the user as soon as `exists` is set. */
function fakeSystem(system: { exists: boolean; canCreate: boolean }): void {
  jest.mocked(childProcess.spawnSync).mockImplementation(((_: string, [flag]: string[]) => ({
    stdout: system.exists ? (flag === '-u' ? '123\n' : '456\n') : '',
  })) as never)
  jest.mocked(childProcess.execFileSync).mockImplementation(((command: string) => {
    if (!system.canCreate) throw new Error(`${command} failed`)
    if (command === 'useradd') system.exists = true
  }) as never)
}

const runAs = (uid: number) => jest.spyOn(process, 'getuid').mockReturnValue(uid)

afterEach(() => jest.restoreAllMocks())

test('a user other than root runs PostgreSQL itself', () => {
  runAs(1000)
  expect(accountFor('/nowhere')).toBeUndefined()
})

test('root sees one line before a user is created', () => {
  runAs(0)
  const system = { exists: false, canCreate: true }
  fakeSystem(system)
  const lines: [string, boolean][] = []
  expect(accountFor('/nowhere', line => lines.push([line, system.exists]))).toEqual({ uid: 123, gid: 456 })
  expect(lines).toEqual([['PostgreSQL does not run as root: creating the system user postgres to run it', false]])
})

test('root sees nothing where the user exists', () => {
  runAs(0)
  fakeSystem({ exists: true, canCreate: false })
  const print = jest.fn()
  expect(accountFor('/nowhere', print)).toEqual({ uid: 123, gid: 456 })
  expect(print).not.toHaveBeenCalled()
})

test('a user that cannot be created is an error', () => {
  runAs(0)
  fakeSystem({ exists: false, canCreate: false })
  expect(() => accountFor('/nowhere')).toThrow(/the user postgres is missing and could not be created/)
})
