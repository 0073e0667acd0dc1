/** Tests that need a program of the system, which are skipped, saying so, where it is not installed. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the operating examples. */
export const OPS = join(__dirname, '..', '..', 'ops')

/** Returns the names of metrics in expressions of Prometheus. */
export const metricsIn = (text: string): string[] =>
  text.match(/\b(?:up|(?:http|db|nodejs|process|service|sensors|import)_[a-z0-9_]+)(?=[\s{[)])/g) ?? []

export interface Finished {
  status: number | null
  output: string
}

/** Runs a program to its end. */
export function runProgram(program: string, args: readonly string[], env: Record<string, string> = {}): Finished {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, ...env } })
  return { status, output: `${stdout}${stderr}` }
}

/** Returns the function that defines a test, or one that skips it where the program is missing. */
export function testWith(program: string): jest.It {
  const isInstalled = spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
  if (!isInstalled) process.stderr.write(`skipped: ${program} is not installed\n`)
  return isInstalled ? test : test.skip
}

const SERVERS = '/usr/lib/postgresql'

/** Returns the directory of a PostgreSQL of Debian that has these programs, if one is installed. */
export function findPostgres(...programs: string[]): string | undefined {
  const bin = (existsSync(SERVERS) ? readdirSync(SERVERS) : [])
    .filter(version => Number(version) >= 15)
    .map(version => join(SERVERS, version, 'bin'))
    .find(folder => programs.every(name => existsSync(join(folder, name))))
  if (!bin) process.stderr.write(`skipped: no PostgreSQL with ${programs.join(', ')} is installed\n`)
  return bin
}

export const OPERATIONS = ['install.md', 'database.md', 'running.md', 'maintenance.md']
  .map(name => readFileSync(join(OPS, '..', 'docs', name), 'utf8'))
  .join('\n')

/** Returns the code blocks of the operations pages under a heading. */
export const codeBlocks = (heading: string, language = 'sh'): string[] => {
  const [, section = ''] = new RegExp(`^##+ ${heading}\\n([\\s\\S]*?)(?=^##|(?![\\s\\S]))`, 'm').exec(OPERATIONS) ?? []
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block]) => block!)
}
