/** The packages that the service consists of: what the lock file verifies, and their licenses. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** Tools with other licenses, of which nothing is distributed. */
const TOOLS = ['axe-core', 'caniuse-lite']

interface Locked {
  integrity?: string
  resolved?: string
}

interface Component {
  name: string
  hashes?: object[]
  licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[]
}

test('the lock file has a checksum of every package', () => {
  const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const { '': _, ...locked } = lock.packages
  const unverified = Object.entries(locked).filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity))
  expect(unverified.map(([path]) => path)).toEqual([])
  const sources = Object.values(locked).flatMap(({ resolved }) => resolved ?? [])
  expect(sources.filter(url => !url.startsWith('https://registry.npmjs.org/'))).toEqual([])
})

test('npm run sbom lists all packages with checksums, and licenses that allow distribution', () => {
  const sbom = execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, encoding: 'utf8' })
  const { bomFormat, components }: { bomFormat: string; components: Component[] } = JSON.parse(sbom)
  expect(bomFormat).toBe('CycloneDX')
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['koa', 'react', 'monaco-editor']))
  expect(components.filter(({ hashes }) => !hashes)).toEqual([])
  const refused = components.filter(({ name, licenses = [] }) => !TOOLS.includes(name) && !licenses.some(isAllowed))
  expect(refused.map(({ name, licenses }) => `${name}: ${JSON.stringify(licenses)}`)).toEqual([])
})

/** Returns whether a license, or an expression of SPDX, is satisfied by the allowed ones. */
const isAllowed = (given: NonNullable<Component['licenses']>[number]): boolean =>
  ('expression' in given ? given.expression : (given.license.id ?? 'none'))
    .replace(/[()]/g, '')
    .split(' OR ')
    .some(choice => choice.split(' AND ').every(name => ALLOWED_LICENSES.includes(name)))
