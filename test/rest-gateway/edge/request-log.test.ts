import pino from 'pino'
import { makeKey } from '../../../db/api-keys/key-format'
import { Proxies } from '../../../rest-gateway/edge/proxies'
import { World } from '../../support/world'

const META = '/v1/partner/meta'

let lines: Record<string, unknown>[]
let world: World
let key: string

beforeAll(async () => {
  lines = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const limits = { proxies: new Proxies(['127.0.0.1']) }
  world = await World.open({ log, limits })
  key = await world.make.key([])
})
afterAll(() => world.stop())

async function logged(headers: Record<string, string>, path = META): Promise<Record<string, unknown>> {
  await world.get(path, { key, headers })
  return lines.at(-1) as Record<string, unknown>
}

test('a request is logged in one line: its id, key, operation, status and duration', async () => {
  const { rows } = await world.owner.query('SELECT id FROM api_keys')
  const line = await logged({ 'X-Request-Id': 'mine-1' })
  expect(line).toMatchObject({
    request_id: 'mine-1',
    method: 'GET',
    operation: 'ReadMeta',
    key_id: rows[0].id,
    status: 200,
  })
  expect(line.ms).toEqual(expect.any(Number))
  expect(await logged({}, '/v1/partner/assets?limit=0')).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' })
  expect(JSON.stringify(lines)).not.toContain(key)
})

test('a database that is full or has no connection left is the reason of UNAVAILABLE in the log, and not in the response', async () => {
  const company = await world.make.company()
  const analyst = await world.make.key([company], { scopes: ['internal:graphql:read'] })
  await world.owner.query(`
    CREATE FUNCTION refuse() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$;
    CREATE POLICY refuse ON companies AS RESTRICTIVE FOR SELECT USING (refuse())`)
  for (const path of [META, '/graphql?query={meta{companies{id}}}']) {
    const { status, text } = await world.get(path, { key: analyst })
    expect([path, status, text]).toEqual([path, 503, expect.not.stringContaining('disk')])
    expect(lines.at(-1)).toMatchObject({ code: 'UNAVAILABLE', reason: 'the disk of the database is full' })
  }
  await world.owner.query('DROP POLICY refuse ON companies')
  expect(await logged({})).not.toHaveProperty('reason')
})

test('the address of a client behind a trusted proxy is logged, unless it has a valid key', async () => {
  const headers = { 'X-Forwarded-For': '203.0.113.9' }
  expect(await logged(headers)).not.toHaveProperty('client')
  for (const invalid of [undefined, 'nonsense', makeKey('dev')]) {
    await world.get(META, { headers, ...(invalid !== undefined && { key: invalid }) })
    expect(lines.at(-1)).toMatchObject({ status: 401, client: '203.0.113.9' })
  }
})
