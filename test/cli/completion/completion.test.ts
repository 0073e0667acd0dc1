import { spawnSync } from 'node:child_process'
import { run } from '../../support/in-process'

const script = async (shell: string) => (await run(['completion', shell], {})).stdout

/** Runs a program with a text as its input; undefined where it is not installed. */
function runProgram(
  program: string,
  args: string[],
  input = '',
): { status: number | null; output: string } | undefined {
  const { error, status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' })
  return error ? undefined : { status, output: stdout + stderr }
}

describe('completion', () => {
  test.each([
    [['k'], 'keys'],
    [['keys', ''], 'issue rotate deactivate show list --help'],
    [['keys', 'rotate', 'x', '--o'], '--overlap'],
    [['keys', 'issue', '--scope', 'int'], 'internal:graphql:read'],
    [['keys', 'issue', '--label', ''], ''],
    [['import', 'imp'], 'impressions'],
    [['completion', 'z'], 'zsh'],
  ])('in bash, the last of %j becomes: %s', async (words, completed) => {
    const call = `COMP_WORDS=(partner-metrics "$@"); COMP_CWORD=$#; _partner_metrics; echo "\${COMPREPLY[*]}"`
    const ended = runProgram('bash', ['-c', `${await script('bash')}\n${call}`, 'bash', ...words])
    expect(ended).toEqual({ status: 0, output: `${completed}\n` })
  })

  test.each([
    ['zsh', ['-n']],
    ['fish', ['--no-execute']],
  ])('has a script that %s accepts, where that is installed', async (shell, args) => {
    const text = await script(shell)
    for (const word of ['legacy-traffic', 'internal:graphql:read', 'overlap'])
      expect(text.replaceAll('\\:', ':')).toContain(word)
    expect(runProgram(shell, args, text) ?? { status: 0, output: '' }).toEqual({ status: 0, output: '' })
  })
})
