/** Runs the blocks of the README, as they are pasted into a shell. */
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { MAIN } from '../support/build'
import { DataDir } from '../support/command'
import { freePort } from '../support/free-port'

jest.setTimeout(120_000)

const README = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8')

const [, section = ''] = /^## Your own counts in five minutes\n([\s\S]*?)^## /m.exec(README) ?? []

const findBlocks = (language: string): string[] =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block]) => block as string)

const hasCurl = spawnSync('curl', ['--version']).status === 0

const testWithCurl = hasCurl ? test : test.skip

describe('the README, your own counts in five minutes,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-metrics-readme-'))
  const data = new DataDir()
  afterAll(async () => {
    await data.dispose()
    rmSync(folder, { recursive: true })
  })

  /** Runs a script in an empty directory in which `partner-metrics` is a command. */
  async function runScript(script: string, port: number): Promise<{ code: number; stdout: string; stderr: string }> {
    const [bin, cwd] = ['bin', 'empty'].map(name => join(folder, name)) as [string, string]
    for (const directory of [bin, cwd]) mkdirSync(directory)
    const command = join(bin, 'partner-metrics')
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
    chmodSync(command, 0o755)
    const PATH = [bin, process.env.PATH].join(delimiter)
    const env = { PATH, DATA_DIR: data.path, PORT: String(port), ADMIN_PORT: '0', METRICS_ENV: 'dev' }
    return new Promise(resolve =>
      execFile('bash', ['-e', '-m', '-c', script], { cwd, env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      ),
    )
  }

  testWithCurl('leads from an empty directory to the numbers on the screen', async () => {
    const [install, ...steps] = findBlocks('sh')
    expect(install).toMatch(/^npm ci\nalias partner-metrics=/)
    expect(steps).toHaveLength(2)
    const port = await freePort()
    const stop = `echo\npartner-metrics status\nkill %1\nwait\npartner-metrics delete companies 'Acme Outdoor' --yes\n`
    const { code, stdout, stderr } = await runScript([...steps, stop].join('\n').replaceAll('4100', `${port}`), port)
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
    const response = stdout.split('\n').find(line => line.startsWith('{'))
    expect(JSON.parse(response as string)).toEqual(JSON.parse(findBlocks('json')[0] as string))
    expect(stdout).toContain(`the service at http://127.0.0.1:${port} is running and ready`)
    expect(stdout).toContain('1 company')
  })
})
