/** Runs the steps of the Dockerfile in clean folders, as far as they can be run without Docker, and starts what they make. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Command, DataDir } from '../support/command'

const ROOT = join(__dirname, '..', '..')

jest.setTimeout(900_000)

const images = mkdtempSync(join(tmpdir(), 'partner-metrics-image-'))
afterAll(() => rmSync(images, { recursive: true, force: true }))

/** The instructions, with continued lines joined. */
const instructions = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .flatMap(line => {
    const [, name, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    return name ? [{ name, rest: rest as string }] : []
  })

/** The files of the repository that .dockerignore allows. */
const context = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter(file => file && readFileSync(join(ROOT, '.dockerignore'), 'utf8').includes(`\n!${file.split('/')[0]}\n`))

test('the steps of the Dockerfile make a service that its health check accepts', async () => {
  const stages: Record<string, string> = {}
  const values: Record<string, string> = {}
  let folder = ''
  for (const { name, rest } of instructions) {
    const words = rest.split(' ')
    if (name === 'FROM') {
      folder = join(images, `${Object.keys(stages).length}`)
      mkdirSync(folder)
      stages[words[2] ?? 'last'] = folder
    }
    if (name === 'COPY') {
      const [, stage] = /^--from=(.+)$/.exec(words[0]!) ?? []
      const from = stage ? words.slice(1).map(word => word.replace('/app', stages[stage]!)) : []
      if (stage) execFileSync('cp', ['--archive', ...from], { cwd: folder })
      else
        for (const file of words[0] === '.' ? context : words.slice(0, -1)) cpSync(join(ROOT, file), join(folder, file))
    }
    // The account and the folder of the image are not here.
    if (name === 'RUN' && !rest.startsWith('install ')) await runStep(rest, folder)
    if (['ENTRYPOINT', 'CMD', 'HEALTHCHECK'].includes(name)) values[name] = rest.slice(rest.indexOf('['))
  }
  const [, main] = JSON.parse(values.ENTRYPOINT!) as [string, string]
  const data = new DataDir()
  const service = new Command(JSON.parse(values.CMD!), { DATA_DIR: data.path }, undefined, { main: join(folder, main) })
  const PORT = new URL(await service.url()).port
  const [node, ...check] = JSON.parse(values.HEALTHCHECK!) as string[]
  const env = { PATH: process.env.PATH, PORT }
  await expect(promisify(execFile)(node!, check, { env })).resolves.toEqual({ stdout: '', stderr: '' })
  expect((await service.end('SIGTERM')).code).toBe(0)
  await expect(promisify(execFile)(node!, check, { env })).rejects.toMatchObject({ code: 1 })
  await data.dispose()
})

/** Runs a command of the image, without what this Jest tells its processes. */
const runStep = (command: string, cwd: string) =>
  promisify(execFile)('sh', ['-c', command], { cwd, env: { PATH: process.env.PATH, HOME: process.env.HOME } })
