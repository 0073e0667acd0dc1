import { KINDS } from '../../db/import/kinds'
import { run, runJson } from '../support/command'

const COMMANDS = [
  [],
  ['serve'],
  ['migrate'],
  ['demo'],
  ['import'],
  ['keys'],
  ['keys', 'issue'],
  ['keys', 'rotate'],
  ['keys', 'deactivate'],
  ['keys', 'list'],
  ['keys', 'show'],
  ['list'],
  ['show'],
  ['delete'],
  ['delete', 'companies'],
  ['delete', 'assets'],
  ['delete', 'sensors'],
  ['delete', 'impressions'],
  ['delete', 'origins'],
  ['delete', 'demographics'],
  ['retain'],
  ['export'],
  ['status'],
  ['verify'],
  ['history'],
  ['legacy-traffic'],
]

describe('the command line', () => {
  test.each(COMMANDS.map(command => [command]))('prints its usage: %j --help', async command => {
    const { code, stdout, stderr } = await run([...command, '--help'], {})
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^Usage: ${['partner-metrics', ...command].join(' ')} `))
  })

  test('prints the columns of each kind of file', async () => {
    const { stdout } = await run(['import', '--help'], {})
    for (const [kind, { columns }] of Object.entries(KINDS)) {
      expect(stdout).toMatch(new RegExp(`^ +${kind} +${columns.join(', ')}$`, 'm'))
    }
  })

  test('prints its version', async () => {
    expect(await run(['--version'], {})).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  test.each([
    [['bogus'], /unknown command 'bogus'/],
    [['serve', '--bogus'], /unknown option '--bogus'/],
    [['import', 'bogus', 'file'], /choices are companies, /],
    [['keys'], /Usage: partner-metrics keys/],
    [[], /Usage: partner-metrics/],
  ])('reports wrong usage of %j and exits with 2', async (args, message) => {
    const { code, stdout, stderr } = await run(args, {})
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  })

  test('prints one line for each invalid setting and exits with 2', async () => {
    const env = { PORT: 'x', METRICS_ENV: 'y', LOG_LEVEL: 'z' }
    for (const args of [['serve'], ['migrate'], ['keys', 'list']]) {
      const { code, stdout, stderr } = await run(args, env)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/^error: PORT /),
        expect.stringMatching(/^error: METRICS_ENV /),
        expect.stringMatching(/^error: LOG_LEVEL /),
      ])
    }
    const { code, document } = await runJson(['migrate'], { PORT: 'x' })
    expect(code).toBe(2)
    expect(document).toEqual({ error: { code: 'INVALID_SETTINGS', message: expect.stringMatching(/^PORT is "x"/) } })
  })
})
