import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { asApiError } from '../../../db/postgres/errors'

const NOWHERE = join(__dirname, 'nowhere')

test('the missing socket of a server is an outage of the database, another missing file is not', async () => {
  const [missingSocket] = await once(connect(NOWHERE), 'close').then(
    () => [],
    error => [error],
  )
  const missingFile = await readFile(NOWHERE).catch(error => error)
  expect([missingSocket.code, missingFile.code]).toEqual(['ENOENT', 'ENOENT'])
  expect(asApiError(missingSocket)).toMatchObject({ code: 'UNAVAILABLE', cause: missingSocket })
  expect(asApiError(missingFile)).toBe(missingFile)
})
