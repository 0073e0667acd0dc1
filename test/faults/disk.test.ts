import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, runJson } from '../support/command'
import { Monitor } from './monitor'

jest.setTimeout(180_000)

/** Mounts an own file system of some MiB; undefined without the right to mount. */
function smallDisk(size: number): string | undefined {
  const at = mkdtempSync(join(tmpdir(), 'partner-metrics-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m`, 'tmpfs', at], { stdio: 'pipe' })
    chmodSync(at, 0o755)
    return at
  } catch {
    rmSync(at, { recursive: true })
    return undefined
  }
}

const disk = smallDisk(200)

afterAll(() => {
  if (!disk) return
  execFileSync('umount', ['-l', disk])
  rmSync(disk, { recursive: true })
})

if (!disk) console.warn('skipping a full disk: only root can mount a small one')

;(disk ? test : test.skip)(
  'when the disk of the embedded database is full, an import stores nothing, and the service recovers when there is space',
  async () => {
    const at = disk as string
    const env = { DATA_DIR: join(at, 'data'), RATE_LIMIT: '1000000', LOG_LEVEL: 'error' }
    const filler = join(at, 'filler')
    const fill = (leave: number) => {
      const { bsize, bavail } = statfsSync(at)
      writeFileSync(filler, Buffer.alloc(Math.max(0, bsize * bavail - leave)), { flag: 'a' })
    }
    await runJson(['migrate'], env)
    const { key } = (await runJson(['keys', 'issue', '--all-companies', '--scope', 'internal:graphql:read'], env))
      .document
    const service = new Command(['serve'], env)
    const monitor = await Monitor.start(await service.url(), key)
    const rows = join(at, 'companies.csv')
    writeFileSync(
      rows,
      `id,name\n${Array.from({ length: 100_000 }, (_, i) => `company${i},Company number ${i}\n`).join('')}`,
    )
    for (const leave of [4_000_000, 100_000, 0]) {
      fill(leave)
      const refused = await runJson(['import', 'companies', rows], env)
      expect(refused.code).toBe(1)
      expect(JSON.stringify(refused.document)).toMatch(
        /the disk of the database is full|the database is not available, or went away|could not be started|cannot be opened/,
      )
      rmSync(filler)
      expect(await monitor.recovery()).toBeLessThan(15_000)
    }
    const { document } = await runJson(['import', 'companies', rows], env)
    expect(document.total).toMatchObject({ read: 100_000, stored: 100_000 })
    await monitor.stop()
    expect((await service.end('SIGTERM')).code).toBe(0)
  },
)
