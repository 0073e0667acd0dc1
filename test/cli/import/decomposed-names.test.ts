import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settingsOf } from '../../support/databases'
import { runJson } from '../../support/in-process'
import { World } from '../../support/world'

const composed = (text: string) => text.normalize('NFC')
const decomposed = (text: string) => text.normalize('NFD')

describe('names with letters that Unicode writes in two ways', () => {
  let world: World
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-names-'))
  beforeAll(async () => {
    world = await World.open()
  })
  afterEach(() => world.clear())
  afterAll(async () => {
    await world.stop()
    rmSync(directory, { recursive: true })
  })

  const write = (...lines: string[]) => {
    const path = join(directory, 'file.csv')
    writeFileSync(path, lines.join('\n'))
    return path
  }
  const command = async (...args: string[]) => {
    const { code, stderr } = await world.run(args)
    expect(code === 0 ? '' : stderr).toBe('')
  }
  const show = async (...args: string[]) => (await world.runJson(['show', ...args])).document
  const queryOf = async (query: string) => (await world.owner.query(query)).rows

  test.each([
    ['files are decomposed', decomposed, composed],
    ['commands and requests are decomposed', composed, decomposed],
  ])('are one name if %s', async (_, inFile, asked) => {
    await command('import', 'companies', write('name', inFile('Zülpich Média')))
    await command('import', 'vendors', write('name,finest_grain,own', inFile('Zähler,hour,false')))
    const asset = 'media_type,format,latitude,longitude,city,country,region,time_zone,external_id:géo'.replace(
      'géo',
      'geo',
    )
    await command(
      ...['import', 'assets'],
      write(
        inFile(`Trägername,Größe,company_id,legacy_id,${asset}`),
        inFile('Brücke Süd,"9,5",Zülpich Média,7,static,other,50.7,6.6,Zülpich,DE,DE-NW,Europe/Berlin,Süd-1'),
      ),
      ...['--map', asked('name=Trägername'), '--ignore', asked('Grö*')],
    )
    const sensors = write(
      inFile('serial,model,vendor_id,asset_id,installed_at'),
      inFile('Süd-1,M,Zähler,Brücke Süd,2020-01-01'),
    )
    await command('import', 'sensors', sensors)
    await command('import', 'sensors', write(asked('serial,model'), asked('Süd-1,N')))
    const wide = write(inFile('start,Süd,Äußeres'), '2026-02-10 08:00,23,9', '2026-02-10 09:00,32,9')
    await command('import', 'impressions', wide, '--wide', '--serial', asked('Süd=Süd-1'), '--ignore', asked('Äußeres'))
    const long = write('start,impressions', '2026-02-10 08:00,23')
    await command('import', 'impressions', long, '--set', asked('sensor=Süd-1'), '--interval', 'hour')
    await command('import', 'health', write('sensor,checked_at,status', inFile('Süd-1,2026-02-10T09:00Z,healthy')))
    expect(await queryOf('SELECT name, city, external_ids FROM assets')).toEqual([
      { name: composed('Brücke Süd'), city: composed('Zülpich'), external_ids: { geo: composed('Süd-1') } },
    ])
    expect(await queryOf('SELECT serial, model FROM sensors')).toEqual([{ serial: composed('Süd-1'), model: 'N' }])
    expect(await queryOf('SELECT impressions::integer FROM sensor_days')).toEqual([{ impressions: 55 }])

    expect(await show('sensors', asked('Süd-1'))).toMatchObject({ serial: composed('Süd-1') })
    expect(await show('assets', asked('Brücke Süd'))).toMatchObject({ legacy_id: 7 })
    await command('note', 'add', '--sensor', asked('Süd-1'), '--from', '2026-02-10', '--kind', 'caveat', '--text', 'x')
    const stretch = ['--from', '2026-02-10T08:00', '--to', '2026-02-10T09:00', '--reason', 'x']
    await command('set-aside', 'impressions', '--sensor', asked('Süd-1'), ...stretch, '--yes')
    await command('doctor', '--sensor', asked('Süd-1'))
    await command('close', '2026-01', '--company', asked('Zülpich Média'))

    const issued = ['keys', 'issue', '--company', asked('Zülpich Média'), '--json']
    const { key } = (await runJson(issued.slice(0, -1), { ...settingsOf(world.database), METRICS_ENV: 'dev' })).document
    for (const [name, value] of [
      ['name_contains', 'BRÜCKE'],
      ['city', 'Zülpich'],
      ['external_id', 'geo:Süd-1'],
    ] as const) {
      const { data } = await world.read(`/v1/partner/sensors?${name}=${encodeURIComponent(asked(value))}`, key)
      expect([name, data.map(({ serial }: { serial: string }) => serial)]).toEqual([name, [composed('Süd-1')]])
    }
    const analyst = await world.make.key([], { all_companies: true, scopes: ['internal:graphql:read'] })
    const query = `{ sensors(vendor: "${asked('Zähler')}", filter: {nameContains: "${asked('süd')}"}) { nodes { serial } } }`
    const { body } = await world.get('/graphql', {
      ...{ key: analyst, method: 'POST', body: JSON.stringify({ query }) },
      headers: { 'Content-Type': 'application/json' },
    })
    expect(body.data.sensors.nodes).toEqual([{ serial: composed('Süd-1') }])

    await command(
      'delete',
      'impressions',
      '--sensor',
      asked('Süd-1'),
      '--from',
      '2026-02-10',
      '--to',
      '2026-02-10',
      '--yes',
    )
    await command('delete', 'sensors', asked('Süd-1'), '--yes')
    expect(await queryOf('SELECT serial FROM sensors')).toEqual([])
  })
})
