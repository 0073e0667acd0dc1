import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { dumpSchema } from '../../../db/migrate/schema-dump'
import { createDatabase, type TestDatabase } from '../../support/databases'

const FILE = readFileSync(join(__dirname, '..', '..', '..', 'db', 'migrations', 'schema.sql'), 'utf8')

let database: TestDatabase
let client: Client

beforeAll(async () => {
  database = await createDatabase()
  client = new Client({ connectionString: database.ownerUrl })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

test('schema.sql is the schema that the migrations make (otherwise run npm run generate)', async () => {
  expect(await dumpSchema(client)).toBe(FILE)
})

test('schema.sql creates that schema in an empty database', async () => {
  const withoutComments = (sql: string) => sql.replace(/^[ \t]*--.*\n/gm, '')
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  await client.query(FILE)
  expect(withoutComments(await dumpSchema(client))).toBe(withoutComments(FILE))
})
