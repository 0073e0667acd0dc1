import { KINDS } from '../../db/import/import-file'
import { run } from '../support/command'

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
  ['legacy-traffic'],
]

describe('the command line', () => {
  test.each(COMMANDS.map(command => [command]))('tells how to use it: %j --help', async command => {
    const { code, stdout, stderr } = await run([...command, '--help'], {})
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^Usage: ${['partner-metrics', ...command].join(' ')} `))
  })

  test('names the columns of each kind of file', async () => {
    const { stdout } = await run(['import', '--help'], {})
    for (const [kind, { columns }] of Object.entries(KINDS)) {
      expect(stdout).toMatch(new RegExp(`^ +${kind} +${columns.join(', ')}$`, 'm'))
    }
  })

  test('tells its version', async () => {
    expect(await run(['--version'], {})).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  test.each([
    [['bogus'], /unknown command 'bogus'/],
    [['serve', '--bogus'], /unknown option '--bogus'/],
    [['import', 'bogus', 'file'], /choices are companies, /],
    [['keys'], /Usage: partner-metrics keys/],
    [[], /Usage: partner-metrics/],
  ])('says what is wrong with %j, and exits with 2', async (args, message) => {
    const { code, stdout, stderr } = await run(args, {})
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  })
})
