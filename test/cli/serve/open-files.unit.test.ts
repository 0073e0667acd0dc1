import pino from 'pino'
import { warnOfOpenFiles } from '../../../cli/serve/open-files'
import { readSettings } from '../../../cli/settings'

/** Returns what the log says with a limit of open files, as Linux shows it. */
function warnings(limit: string, env: NodeJS.ProcessEnv = {}): string[] {
  const lines: string[] = []
  const limits = `Limit                     Soft Limit           Hard Limit           Units
Max processes             7                    7                    processes
Max open files            ${limit.padEnd(20)} 1048576              files`
  warnOfOpenFiles(pino({}, { write: line => lines.push(line) }), readSettings(env), limits)
  return lines
}

test('a limit of open files below MAX_CONNECTIONS is named, with what to do', () => {
  const [line = '', ...others] = warnings('1024')
  expect(others).toEqual([])
  expect(JSON.parse(line)).toMatchObject({
    ...{ level: 40, limit: 1024, max_connections: 1000, needed: 1110 },
    msg: expect.stringMatching(/MAX_CONNECTIONS.*LimitNOFILE.*lower MAX_CONNECTIONS/),
  })
  expect(warnings('1024', { MAX_CONNECTIONS: '900' })).toEqual([])
  expect(warnings('1110')).toEqual([])
  expect(warnings('unlimited')).toEqual([])
})
