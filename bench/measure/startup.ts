/** How long it takes until the first answer, and what `npm ci` brings: sizes and times. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '../load/load'
import { ROOT, SERVICE } from '../paths'
import { memoryOf } from '../servers/processes'
import { announced, end } from '../servers/targets'
import { ask } from './response-check'

export interface Start {
  what: string
  /** Seconds from the command to its word that it listens; to the first answer of the database. */
  listening: number
  answering: number
  /** Megabytes of the node process then. */
  memory: number
}

/** On a database of its own: made with the demo, then joined again; and without a demo. */
export async function measureStarts(): Promise<Start[]> {
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-start-'))
  chmodSync(directory, 0o755)
  try {
    const dev = { DATA_DIR: join(directory, 'dev'), METRICS_ENV: 'dev' }
    const production = { DATA_DIR: join(directory, 'production'), METRICS_ENV: 'production' }
    return [
      await startOnce('first, with the demo', dev),
      await startOnce('again', dev),
      await startOnce('first, without the demo', production),
      await startOnce('again', production),
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function startOnce(what: string, settings: Record<string, string>): Promise<Start> {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  const child = spawn(process.execPath, [SERVICE, 'serve'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, ...settings, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'warn' },
  })
  try {
    const port = await announced(what, child)
    const listening = seconds()
    const { status } = await ask(port, get('/readyz', ''))
    if (status !== 200) throw new Error(`${what}: /readyz answered ${status}`)
    return { what, listening, answering: seconds(), memory: memoryOf(child.pid as number) }
  } finally {
    await end(child)
  }
}

export interface Installation {
  /** Of `npm ci` in a fresh clone, building included; packages come from npm's cache as far as it has them. */
  seconds: number
  /** Megabytes. */
  all: number
  production: number
  largest: { name: string; megabytes: number; production: boolean }[]
}

const LARGEST = 15

/** Installs the last commit in a fresh clone. */
export function measureInstallation(): Installation {
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-install-'))
  const clone = join(directory, 'clone')
  try {
    execFileSync('git', ['clone', '--quiet', '--shared', ROOT, clone])
    const began = performance.now()
    const { status, stderr } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: clone, encoding: 'utf8' })
    if (status !== 0) throw new Error(`npm ci: ${stderr}`)
    const seconds = (performance.now() - began) / 1000
    const modules = join(clone, 'node_modules')
    const sizes = packagesIn(modules).map(name => ({ name, megabytes: megabytesOf(join(modules, name)) }))
    const all = megabytesOf(modules)
    execFileSync('npm', ['prune', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: clone,
      stdio: 'ignore',
    })
    const largest = sizes
      .sort((a, b) => b.megabytes - a.megabytes)
      .slice(0, LARGEST)
      .map(size => ({ ...size, production: existsSync(join(modules, size.name)) }))
    return { seconds, all, production: megabytesOf(modules), largest }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const packagesIn = (modules: string): string[] =>
  readdirSync(modules)
    .filter(name => !name.startsWith('.'))
    .flatMap(name => (name.startsWith('@') ? readdirSync(join(modules, name)).map(each => `${name}/${each}`) : [name]))

const megabytesOf = (directory: string): number =>
  Number(execFileSync('du', ['-sk', directory], { encoding: 'utf8' }).split('\t')[0]) / 1024
