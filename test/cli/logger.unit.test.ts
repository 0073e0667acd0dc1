import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const ROOT = join(__dirname, '..', '..')

const hasTerminal = `${spawnSync('script', ['--version']).stdout}`.includes('util-linux')

const SCRIPT = `
const log = require('./cli/serve/logger').createLogger('info')
const request = { request_id: 'a-1', method: 'GET', operation: 'ReadMeta', key_id: 'k1', status: 200, code: undefined, ms: 1.2 }
log.info(request, 'request')
log.info({ reason: 'connection closed', text: 'a\\nb msk_live_1234', complete: false }, 'stream')
log.error({ err: new Error('of a test'), request_id: 'a-1' }, 'internal error')`

const NODE = ['--require', 'sucrase/register/ts', '-e', SCRIPT]

test('the log is a JSON document per line where stderr is no terminal', () => {
  const { stderr } = spawnSync(process.execPath, NODE, { cwd: ROOT, encoding: 'utf8' })
  const lines = stderr.trimEnd().split('\n')
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { msg: 'request', request_id: 'a-1', status: 200, ms: 1.2 },
    { msg: 'stream', text: 'a\nb msk_live_…' },
    { msg: 'internal error', err: { message: 'of a test' } },
  ])
})

const onTerminal = hasTerminal ? test : test.skip

onTerminal('the log is a line of text per entry on a terminal, and only an error has more', () => {
  const command = [process.execPath, ...NODE].map(text => `'${text.replaceAll("'", `'\\''`)}'`).join(' ')
  const output = execFileSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: ROOT,
    input: '',
    encoding: 'utf8',
  })
  const lines = stripVTControlCharacters(output).trimEnd().split('\r\n')
  expect(lines.slice(0, 4)).toEqual([
    expect.stringMatching(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: request request_id=a-1 method=GET operation=ReadMeta key_id=k1 status=200 ms=1\.2$/,
    ),
    expect.stringMatching(/INFO: stream reason="connection closed" text="a\\nb msk_live_…" complete=false$/),
    expect.stringMatching(/ERROR: internal error request_id=a-1$/),
    'Error: of a test',
  ])
  expect(lines[4]).toMatch(/^ +at /)
})
