/** Names with letters that Unicode writes in two ways, composed and decomposed: in files, commands and requests they are one name. */
import { splitWords } from '../support/text'
import { World } from '../support/world'

const composed = (text: string) => text.normalize('NFC')
const decomposed = (text: string) => text.normalize('NFD')

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterEach(() => world.clear())
afterAll(() => world.stop())

const ASSET =
  'Trägername,Größe,company_id,legacy_id,media_type,format,latitude,longitude,city,country,region,time_zone,external_id:geo'

test.each([
  ['files are decomposed', decomposed, composed],
  ['commands and requests are decomposed', composed, decomposed],
])('are one name if %s', async (_, inFile, asked) => {
  const command = async (text: string, ...lines: string[]) => {
    const { code, stderr } = await world.run(splitWords(asked(text)), inFile(lines.join('\n')))
    expect([text, code === 0 ? '' : stderr]).toEqual([text, ''])
  }
  await command('import companies -', 'name', 'Zülpich Média')
  await command('import vendors -', 'name,finest_grain,own', 'Zähler,hour,false')
  const asset = 'Brücke Süd,"9,5",Zülpich Média,7,static,other,50.7,6.6,Zülpich,DE,DE-NW,Europe/Berlin,Süd-1'
  await command('import assets - --map name=Trägername --ignore Grö*', ASSET, asset)
  const sensor = 'serial,model,vendor_id,asset_id,installed_at'
  await command('import sensors -', sensor, 'Süd-1,M,Zähler,Brücke Süd,2020-01-01')
  expect(await world.import('sensors', ['serial,model', asked('Süd-1,N')])).toMatchObject({ stored: 1 })
  const wide = ['start,Süd,Äußeres', '2026-02-10 08:00,23,9', '2026-02-10 09:00,32,9']
  await command('import impressions - --wide --serial Süd=Süd-1 --ignore Äußeres', ...wide)
  const long = ['start,impressions', '2026-02-10 08:00,23']
  await command('import impressions - --set sensor=Süd-1 --interval hour', ...long)
  await command('import health -', 'sensor,checked_at,status', 'Süd-1,2026-02-10T09:00Z,healthy')
  expect(await world.rows('SELECT name, city, external_ids FROM assets')).toEqual([
    { name: composed('Brücke Süd'), city: composed('Zülpich'), external_ids: { geo: composed('Süd-1') } },
  ])
  expect(await world.rows('SELECT serial, model FROM sensors')).toEqual([{ serial: composed('Süd-1'), model: 'N' }])
  expect(await world.rows('SELECT impressions::integer FROM sensor_days')).toEqual([{ impressions: 55 }])

  await command('show sensors Süd-1')
  await command('show assets "Brücke Süd"')
  await command('note add --sensor Süd-1 --from 2026-02-10 --kind caveat --text x')
  const stretch = '--from 2026-02-10T08:00 --to 2026-02-10T09:00 --reason x --yes'
  await command(`set-aside impressions --sensor Süd-1 ${stretch}`)
  await command('doctor --sensor Süd-1')
  await command('close 2026-01 --yes --company "Zülpich Média"')

  const [company] = await world.rows('SELECT id, number FROM companies')
  const key = await world.make.key([company as { id: string; number: number }])
  for (const [name, value] of [
    ['name_contains', 'BRÜCKE'],
    ['city', 'Zülpich'],
    ['external_id', 'geo:Süd-1'],
  ] as const) {
    const { data } = await world.read(`/v1/partner/sensors?${name}=${encodeURIComponent(asked(value))}`, key)
    expect([name, data.map(({ serial }: { serial: string }) => serial)]).toEqual([name, [composed('Süd-1')]])
  }
  const query = `{ sensors(filter: {nameContains: "${asked('süd')}"}) { nodes { serial } } }`
  expect((await world.graphql(key, query)).sensors.nodes).toEqual([{ serial: composed('Süd-1') }])

  await command('delete impressions --sensor Süd-1 --from 2026-02-10 --to 2026-02-10 --yes')
  await command('delete sensors Süd-1 --yes')
  expect(await world.rows('SELECT serial FROM sensors')).toEqual([])
})
