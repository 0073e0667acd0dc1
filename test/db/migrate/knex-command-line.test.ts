import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withPool } from '../../../db/postgres/pool'
import { createDatabase, settingsOf } from '../../support/databases'

jest.setTimeout(120_000)

const ROOT = join(__dirname, '..', '..', '..')

const MIGRATIONS = readdirSync(join(ROOT, 'db', 'migrations')).filter(file => file.endsWith('.ts'))

async function knex(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(join(ROOT, 'node_modules', '.bin', 'knex'), args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
  })
  return stdout
}

/** The output of `migrate:list` for a database with no pending migrations. */
const UP_TO_DATE = [
  `Found ${MIGRATIONS.length} Completed Migration file/files.`,
  ...MIGRATIONS,
  'No Pending Migration files Found.',
]

const list = async (env: Record<string, string>) => (await knex(['migrate:list'], env)).trim().split('\n').slice(1)

test('without DATABASE_URL it says what changes the embedded database', async () => {
  await expect(knex(['migrate:latest'])).rejects.toMatchObject({
    stderr: expect.stringContaining('set DATABASE_URL: only `partner-metrics migrate` changes the embedded database'),
  })
})

test('migrate:latest creates a database, and leaves one of before the first release as it is', async () => {
  const database = await createDatabase()
  const query = (sql: string) => withPool(database.ownerUrl, { max: 1 }, owner => owner.query(sql))
  try {
    await query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    await knex(['migrate:latest'], settingsOf(database))
    expect(await list(settingsOf(database))).toEqual(UP_TO_DATE)
    await query("UPDATE knex_migrations SET name = '0300_schema.ts'")
    await expect(knex(['migrate:latest'], settingsOf(database))).rejects.toMatchObject({
      stderr: expect.stringContaining('files are missing: 0300_schema.ts'),
    })
    expect((await query('SELECT name FROM knex_migrations')).rows).toEqual([{ name: '0300_schema.ts' }])
  } finally {
    await database.drop()
  }
})
