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

const names = (readdirSync(DIRECTORY, { recursive: true }) as string[]).filter(
  name => name.endsWith('.ts') || name.startsWith('baseline/'),
)

test.each(listed)('%s is as it landed: migrations are neither edited nor deleted', (name, hash) => {
  if (names.includes(name) && hashOf(name) === hash) return
  throw new Error(
    `${name} was ${names.includes(name) ? 'edited' : 'deleted'}, but databases have run it: restore it, ` +
      'and add a new migration instead (npx knex migrate:make NAME)',
  )
})

test('every migration is listed in migrations.sha256, once', () => {
  // `npm run generate` adds new ones.
  expect(listed.map(([name]) => name).sort()).toEqual([...names].sort())
})
