import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DIRECTORY = join(__dirname, '..', '..', '..', 'db', 'migrations')

const listed = readFileSync(join(DIRECTORY, 'migrations.sha256'), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => line.split('  ').reverse() as [name: string, hash: string])

const hashOf = (name: string): string =>
  createHash('sha256')
    .update(readFileSync(join(DIRECTORY, name)))
    .digest('hex')

const names = (readdirSync(DIRECTORY, { recursive: true }) as string[]).filter(name => /\.(ts|sql)$/.test(name))

test.each(listed)('%s is as it is listed: from the first release on, migrations are only added', (name, hash) => {
  if (names.includes(name) && hashOf(name) === hash) return
  throw new Error(
    `${name} was ${names.includes(name) ? 'edited' : 'deleted'}: if it was released, restore it, because databases have run it, ` +
      'and add a new migration instead; else list it anew (CONTRIBUTING.md)',
  )
})

test('every migration is listed in migrations.sha256, once', () => {
  expect(listed.map(([name]) => name).sort()).toEqual([...names].sort())
})
