import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(__dirname, '..', '..')

const SCRIPT = `
const log = require('./cli/serve/logger').createLogger('info')
const request = { request_id: 'a-1', method: 'GET', operation: 'ReadMeta', key_id: 'k1', status: 200, code: undefined, ms: 1.2 }
log.info(request, 'request')
log.info({ reason: 'connection closed', text: 'a\\nb msk_live_1234', complete: false }, 'stream')
log.error({ err: new Error('of a test'), request_id: 'a-1' }, 'internal error')`

const NODE = ['--require', 'sucrase/register/ts', '-e', SCRIPT]

test('the log is a JSON document per line', () => {
  const { stderr } = spawnSync(process.execPath, NODE, { cwd: ROOT, encoding: 'utf8' })
  const lines = stderr.trimEnd().split('\n')
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { msg: 'request', request_id: 'a-1', status: 200, ms: 1.2 },
    { msg: 'stream', text: 'a\nb msk_live_…' },
    { msg: 'internal error', err: { message: 'of a test' } },
  ])
})
