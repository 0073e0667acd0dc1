/** The packages that the service consists of, as the lock file verifies them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(__dirname, '..')

interface Locked {
  integrity?: string
  resolved?: string
}

test('the lock file has a checksum of every package', () => {
  const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const { '': _, ...locked } = lock.packages
  const unverified = Object.entries(locked).filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity))
  expect(unverified.map(([path]) => path)).toEqual([])
  const sources = Object.values(locked).flatMap(({ resolved }) => resolved ?? [])
  expect(sources.filter(url => !url.startsWith('https://registry.npmjs.org/'))).toEqual([])
})
