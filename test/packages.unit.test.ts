/** The packages that the service consists of: what the lock file verifies, and their licenses. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(__dirname, '..')

/** Licenses that allow distribution with software that is not open source. */
const ALLOWED_LICENSES = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'CC0-1.0',
  'BlueOak-1.0.0',
  'PSF-2.0',
  'Python-2.0',
]

interface Package {
  name: string
  license?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))

interface Locked {
  integrity?: string
  resolved?: string
}

test('the lock file has a checksum of every package', () => {
  const { packages } = readJson(ROOT, 'package-lock.json') as { packages: Record<string, Locked> }
  const { '': _, ...locked } = packages
  const unverified = Object.entries(locked).filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity))
  expect(unverified.map(([path]) => path)).toEqual([])
  const sources = Object.values(locked).flatMap(({ resolved }) => resolved ?? [])
  expect(sources.filter(url => !url.startsWith('https://registry.npmjs.org/'))).toEqual([])
})

test('npm run sbom lists all installed packages in CycloneDX, with checksums and licenses', () => {
  const bom = JSON.parse(
    execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }),
  )
  expect(bom.bomFormat).toBe('CycloneDX')
  const names = bom.components.map(({ name }: Package) => name)
  expect(names).toEqual(expect.arrayContaining(shippedPackages().map(({ name }) => name)))
  const incomplete = bom.components.filter((component: object) => !('hashes' in component && 'licenses' in component))
  expect(incomplete).toEqual([])
})

test('all shipped packages have a license that allows distribution', () => {
  const shipped = shippedPackages()
  expect(shipped.map(({ name }) => name)).toEqual(expect.arrayContaining(['koa', 'react', 'monaco-editor']))
  const unknown = shipped.filter(({ license }) => !isAllowed(license))
  expect(unknown.map(({ name, license }) => `${name}: ${license}`)).toEqual([])
})

/** Production dependencies, and what is bundled for browsers, with all packages that these depend on. */
function shippedPackages(): Package[] {
  const found = new Map<string, Package>()
  const add = (name: string, from: string, isOptional = false) => {
    const folder = findFolder(name, from)
    if (!folder && !isOptional) throw new Error(`${name} is not installed, which ${from} depends on`)
    if (!folder || found.has(folder)) return
    const manifest: Package = readJson(folder, 'package.json')
    found.set(folder, manifest)
    const { dependencies = {}, optionalDependencies = {} } = manifest
    for (const dependency of Object.keys(dependencies)) add(dependency, folder, dependency in optionalDependencies)
    // For other platforms, they are not installed.
    for (const dependency of Object.keys(optionalDependencies)) add(dependency, folder, true)
  }
  for (const name of [...Object.keys(readJson(ROOT, 'package.json').dependencies), ...bundledPackages()])
    add(name, ROOT)
  return [...found.values()]
}

/** Returns the packages that the sources of browser pages import. */
function bundledPackages(): Set<string> {
  const sources = ['explorer', 'docs'].flatMap(folder => {
    const path = join(ROOT, 'web', folder)
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  })
  const imports = sources.flatMap(source => [...source.matchAll(/(?:from|import) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/g)])
  return new Set(imports.map(([, name]) => name as string))
}

/** Returns the folder from which a package is loaded by another one. */
function findFolder(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  return from === ROOT ? undefined : findFolder(name, dirname(from))
}

/** Returns whether an SPDX expression is satisfied by the allowed licenses. */
const isAllowed = (license = 'none'): boolean =>
  license
    .replace(/[()]/g, '')
    .split(' OR ')
    .some(choice => choice.split(' AND ').every(name => ALLOWED_LICENSES.includes(name)))
