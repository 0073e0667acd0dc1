/** Conditions of the database that only its operator can change. */
import { appendFileSync, existsSync } from 'node:fs'
import { findCondition } from '../../db/operator-error'
import { World } from '../support/world'

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

test.each([
  ['53100', 'DISK_FULL', /^the disk of the database is full$/],
  ['53200', 'OUT_OF_MEMORY', /^the database is out of memory$/],
  ['53300', 'TOO_MANY_CONNECTIONS', /^the database has no connection left/],
  ['25006', 'DATABASE_READ_ONLY', /^the database is read-only/],
])('SQLSTATE %s is named for what it is, by commands and imports', async (state, code, message) => {
  await world.rows(`
    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'text of the server' USING ERRCODE = '${state}'; END $$;
    CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION refuse();
    CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON companies FOR EACH ROW EXECUTE FUNCTION refuse()`)
  expect(await world.runJson(['keys', 'issue', '--no-company'])).toEqual({
    code: 1,
    document: { error: { code, message: expect.stringMatching(message) } },
  })
  const { code: status, stderr } = await world.run(['import', 'companies', '-'], 'name\nAcme\n')
  expect([status, stderr]).toEqual([1, expect.stringMatching(new RegExp(message.source.slice(1, -1)))])
  expect(stderr).not.toMatch(/text of the server|unexpected/)
})

;(existsSync('/dev/full') ? test : test.skip)('a full disk of the command itself is named with the file', () => {
  const write = () => appendFileSync('/dev/full', 'text')
  expect(write).toThrow('ENOSPC')
  try {
    write()
  } catch (error) {
    expect(findCondition(error)).toMatchObject({
      code: 'DISK_FULL',
      message: expect.stringMatching(/^the disk is full/),
    })
  }
})
