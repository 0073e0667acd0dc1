/** Measures the duration and the size of `npm ci` in a fresh clone. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../paths'

export interface Installation {
  /** Duration of `npm ci`, which includes the build. Packages come from npm's cache as far as it has them. */
  seconds: number
  /** Megabytes of all packages, and of those that production needs. */
  all: number
  production: number
  largest: { name: string; megabytes: number; production: boolean }[]
}

const LARGEST = 15

/** Installs the last commit. */
export function measureInstallation(): Installation {
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-install-'))
  const clone = join(directory, 'clone')
  try {
    execFileSync('git', ['clone', '--quiet', '--shared', ROOT, clone])
    const started = performance.now()
    const { status, stderr } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: clone, encoding: 'utf8' })
    if (status !== 0) throw new Error(`npm ci: ${stderr}`)
    const seconds = (performance.now() - started) / 1000
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
