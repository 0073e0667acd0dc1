import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MAIN } from '../support/build'
import { Command, DataDir } from '../support/command'

jest.setTimeout(60_000)

const PACKAGE = join(dirname(MAIN), '..', '..')

let dir: DataDir
let main: string

/** A copy of the package, which has no database yet. */
beforeAll(() => {
  dir = new DataDir()
  const copy = join(dir.path, '..', 'package')
  for (const name of ['dist', 'package.json']) cpSync(join(PACKAGE, name), join(copy, name), { recursive: true })
  symlinkSync(join(PACKAGE, 'node_modules'), join(copy, 'node_modules'))
  main = join(copy, 'dist', 'cli', 'main.js')
})
afterAll(() => dir.dispose())

/** Runs a command without DATA_DIR in a new working directory. */
function runIn(name: string, args: string[], env = {}) {
  const cwd = join(dir.path, '..', name)
  mkdirSync(cwd, { recursive: true })
  return { cwd, ended: new Command(args, env, undefined, { main, cwd }).ended }
}

test('without DATA_DIR, every command uses the database beside package.json, wherever it is run from', async () => {
  const first = runIn('first', ['migrate'])
  expect((await first.ended).code).toBe(0)
  const second = runIn('second', ['keys', 'list'])
  expect(await second.ended).toEqual({ code: 0, stdout: 'there are no keys\n', stderr: '' })
  for (const { cwd } of [first, second]) expect(readdirSync(cwd)).toEqual([])
  expect(readdirSync(join(dir.path, '..', 'package', '.data'))).toEqual(['epoch', 'postgres'])
})

test('a database in the working directory that is not used causes a warning', async () => {
  mkdirSync(join(dir.path, '..', 'third', '.data', 'postgres'), { recursive: true })
  const { cwd, ended } = runIn('third', ['keys', 'list'])
  expect((await ended).stderr).toContain(`warning: there is a database in ${join(cwd, '.data')}, but `)
})

test('DATA_DIR is relative to the working directory', async () => {
  const cwd = join(dir.path, '..', 'fourth')
  mkdirSync(cwd)
  renameSync(join(dir.path, '..', 'package', '.data'), join(cwd, 'own'))
  const { ended } = runIn('fourth', ['keys', 'list'], { DATA_DIR: 'own' })
  expect(await ended).toEqual({ code: 0, stdout: 'there are no keys\n', stderr: '' })
  expect(readdirSync(cwd)).toEqual(['own'])
})
