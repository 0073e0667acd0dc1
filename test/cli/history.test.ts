import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { World } from '../support/world'

jest.setTimeout(60_000)

describe('partner-metrics history', () => {
  let world: World
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-history-'))
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(async () => {
    await world.stop()
    rmSync(directory, { recursive: true })
  })
  afterEach(() => world.rows('DELETE FROM operations'))

  const history = async (...args: string[]) => (await world.runJson(['history', ...args])).document.rows

  const write = (name: string, content: string): string => {
    writeFileSync(join(directory, name), content)
    return join(directory, name)
  }

  test('is empty at first', async () => {
    expect(await world.run(['history'])).toEqual({ code: 0, stdout: 'no changes are recorded\n', stderr: '' })
    expect(await history()).toEqual([])
  })

  test('lists imports with account, file, options and figures, latest first', async () => {
    const [first, second] = [write('a.csv', 'name\nAlder\n'), write('b.csv', 'title,x\nBirch,1\nAlder,2\n')]
    await world.run(['import', 'companies', first])
    await world.run(['import', 'companies', second, '--map', 'name=title', '--ignore', 'x', '--skip-faulty'])
    const recorded = { id: expect.any(Number), at: expect.any(String), account: userInfo().username }
    const figures = { read: 1, stored: 1, unchanged: 0, rejected: 0, not_stored: 0 }
    expect(await history()).toMatchObject([
      {
        ...recorded,
        command: 'import companies',
        details: { file: second, map: [['name', 'title']], ignore: ['x'], skipFaulty: true },
        figures: { ...figures, read: 2, unchanged: 1 },
      },
      { ...recorded, command: 'import companies', details: { file: first }, figures },
    ])
    expect(await history('--limit', '1')).toMatchObject([{ details: { file: second } }])
    const { stdout } = await world.run(['history'])
    expect(stdout).toContain('import companies')
    expect(stdout).toContain(`file ${second}, map name title, ignore x, skip faulty`)
  })

  test('lists an import that stored nothing because of an error as a failed one', async () => {
    await world.run(['import', 'companies', write('bad.csv', 'name\n""\nCedar\n')])
    expect(await history()).toMatchObject([{ command: 'failed import companies' }])
  })

  test('lists keys that were issued, rotated and deactivated, without their texts', async () => {
    await world.make.company('Ash', { id: 'companyash' })
    const issued = (await world.runJson(['keys', 'issue', '--company', 'Ash', '--label', 'till'])).document
    const rotated = (await world.runJson(['keys', 'rotate', issued.id])).document
    for (let i = 0; i < 2; i++) await world.run(['keys', 'deactivate', rotated.id])
    const details = { label: 'till', scopes: [], companies: ['companyash'] }
    const rows = await history()
    expect(rows).toMatchObject([
      { command: 'keys deactivate', details: { id: rotated.id } },
      { command: 'keys rotate', details: { ...details, id: rotated.id, replaces: issued.id } },
      { command: 'keys issue', details: { ...details, id: issued.id, replaces: null } },
    ])
    expect(JSON.stringify(rows)).not.toContain('msk_')
  })
})
