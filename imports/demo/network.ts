/** The companies, assets and sensors of the demo, with the fields of the import, and the seeded chance that varies them. */
import { createHash } from 'node:crypto'
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import { NATIVE_MINUTES } from '../../db/calendar/grains'
import { dateOf, dayAt, dayNumber } from '../../db/calendar/local-days'
import { readNodeRules } from '../../db/calendar/zone-rules'

/** A company, its city with region, time zone, latitude and longitude, and the name of an asset there of each of the kinds. */
const CITIES = `
Nordlicht Außenwerbung, London, GB-LND, Europe/London, 51.52, -0.13,
  Shoreditch High Street, Camden Lock Market, King's Cross Concourse, A40 Westway Arch 9, Oxford Street Centre, Tower Bridge Café
Nordlicht Außenwerbung, Berlin, DE-BE, Europe/Berlin, 52.51, 13.4,
  Alexanderplatz Tram, Hermannplatz Süd, Hauptbahnhof Ebene 1, Stadtring Tempelhof, Warschauer Brücke, Mall am Gesundbrunnen
Nordlicht Außenwerbung, Hamburg, DE-HH, Europe/Berlin, 53.56, 10,
  Altona Busbahnhof, Mönckebergstraße Mitte, Dammtor Gleis 3, Elbtunnel Zufahrt, Reeperbahn Spielbudenplatz, Europa Passage
Nordlicht Außenwerbung, Köln, DE-NW, Europe/Berlin, 50.94, 6.95,
  Zülpicher Platz, Schildergasse Ost, Domplatte Ausgang, Rheinpark Messe, Rudolfplatz, Neumarkt Galerie
Nordlicht Außenwerbung, Kathmandu, NP-P3, Asia/Kathmandu, 27.71, 85.32,
  Ratna Park, Thamel Gate, Tribhuvan Departures, Koteshwor Ring Road, Durbar Marg Corner, Civil Mall
Harborline Outdoor, New York, US-NY, America/New_York, 40.74, -73.98,
  Astoria Shelter, Union Square East, Penn Station 34th Street, BQE Williamsburg, Times Square North, Hudson Yards Level 2
Harborline Outdoor, Chicago, US-IL, America/Chicago, 41.89, -87.65,
  Six Corners, Michigan Avenue at Ohio, Union Station Great Hall, Kennedy Expressway 47, Wrigleyville, River North Tower
Harborline Outdoor, São Paulo, BR-SP, America/Sao_Paulo, -23.56, -46.66,
  Avenida Paulista 1578, Vila Madalena Esquina, Estação da Luz, Marginal Pinheiros Km 12, Anhangabaú, Shopping Vila Olímpia
Southern Cross Panels, Sydney, AU-NSW, Australia/Sydney, -33.89, 151.2,
  Newtown King Street, Bondi Beach Promenade, Circular Quay Wharf 4, Anzac Bridge Inbound, Pitt Street Mall, Barangaroo Lobby
Southern Cross Panels, Melbourne, AU-VIC, Australia/Melbourne, -37.82, 144.97,
  Brunswick Street, Bourke Street Mall, Flinders Street Steps, Monash Freeway Toorak, Southbank Promenade, Chadstone Level 1`

/** The attributes of a kind of assets, and the impressions of a day. */
const KINDS = [
  ['bus_shelter', 'static', 303, 1.2, 1.8, 17_000],
  ['urban_panel', 'digital', 302, 1.2, 2.1, 32_000],
  ['transit', 'digital', 10602, 2, 1.1, 58_000],
  ['billboard', 'static', 30102, 9, 3, 95_000],
  ['spectacular', 'digital', 30103, 12, 7, 85_000],
  ['place_based', 'digital', 20501, 1.1, 1.9, 18_000],
] as const

export const VENDORS = [
  { id: demoId('vendor', 'm'), name: 'Larkfield Counting', own: true, finest_grain: 'minute' },
  { id: demoId('vendor', 'q'), name: 'Metroflux Sensorik', own: false, finest_grain: 'quarter_hour' },
  { id: demoId('vendor', 'h'), name: 'Tallystone', own: false, finest_grain: 'hour' },
] as const

export const ASSETS = CITIES.trim()
  .split(/\n(?! )/)
  .flatMap(makeAssets)
export const COMPANIES = [...new Map(ASSETS.map(({ company_id: id, company: name }) => [id, { id, name }])).values()]

/** Stations have two sensors. */
export const SENSORS = ASSETS.flatMap(asset => (asset.format === 'transit' ? [asset, asset] : [asset])).map(makeSensor)
/** The installation of a sensor that moved. */
export const MOVED = { ...SENSORS[9]!, asset_id: ASSETS[9]!.id }

export type Sensor = (typeof SENSORS)[number]

function makeAssets(text: string, cityIndex: number) {
  const [company = '', city = '', region = '', time_zone = '', latitude, longitude, ...names] = text.split(/,\s+/)
  return KINDS.map(([format, media_type, venue_type_id, width_m, height_m, daily], kind) => {
    const [name, index] = [names[kind]!, cityIndex * KINDS.length + kind]
    const id = demoId('asset', `${company}/${name}`)
    const chance = chances('asset', id)
    return {
      ...{
        id,
        company,
        company_id: demoId('company', company),
        name,
        description: `${format.replace('_', ' ')} in ${city}`,
      },
      ...{ city, region, country: region.slice(0, 2), time_zone, address: `${name} ${1 + Math.floor(99 * chance())}` },
      latitude: (Number(latitude) + 0.04 * (chance() - 0.5)).toFixed(5),
      longitude: (Number(longitude) + 0.04 * (chance() - 0.5)).toFixed(5),
      ...{
        format,
        media_type,
        venue_type_id,
        venue_taxonomy: '1.1',
        width_m,
        height_m,
        indoors: format === 'place_based',
      },
      facing_degrees: 5 * Math.floor(72 * chance()),
      legacy_id: 9_100_123 + index,
      // Marketplaces have the screens.
      'external_id:hivestack': media_type === 'digital' ? 93_725 + index : '',
      status: index === 21 ? 'inactive' : index === 39 ? 'archived' : 'active',
      daily: vary(daily, chance),
    }
  })
}

/** Minutes since a sensor was seen, and the reason, by its health. */
export const HEALTH = { healthy: [2, ''], degraded: [9, 'intervals_missing'], offline: [7_500, 'no_contact'] } as const

function makeSensor(asset: (typeof ASSETS)[number], index: number) {
  const serial = `S-${demoId('serial', `${asset.id} ${index}`).slice(-8)}`.toUpperCase()
  const vendor = VENDORS[index % 3]!
  const minutes = NATIVE_MINUTES[vendor.finest_grain]
  const chance = chances('sensor', serial)
  const health: keyof typeof HEALTH = index % 10 === 0 ? 'degraded' : index === 55 ? 'offline' : 'healthy'
  return {
    ...{ id: demoId('sensor', serial), serial, model: `Counter ${minutes}`, vendor_id: vendor.id, minutes, asset },
    asset_id: asset.id,
    installed_at: dateOf(dayNumber('2023-02-01') + Math.floor(500 * chance())),
    billable_state: index === 30 ? 'pending' : asset.status === 'active' ? 'billable' : 'suspended',
    daily: vary(asset.daily, chance),
    health,
  }
}

/** Returns the local date some days before `now` (seconds since 1970). */
export const dateBefore = (now: number, time_zone: string, days: number): string =>
  dateOf(dayNumber(dayAt(readNodeRules(time_zone), now).date) - days)

function digest(...subject: string[]): Buffer {
  const hash = createHash('sha256')
  return hash.update(['partner-metrics demo 1', ...subject].join('\n')).digest()
}

/** Returns a generator of numbers from 0 to 1, exclusive, which are the same for a subject on every machine and every day. */
export function chances(...subject: string[]): () => number {
  const hash = digest(...subject)
  const generator = xoroshiro128plusFromState([0, 4, 8, 12].map(offset => hash.readInt32LE(offset)))
  return () => (generator.next() >>> 0) / 2 ** 32
}

/** Returns a number of which `value` is the average. */
export function vary(value: number, chance: () => number): number {
  return value * (0.7 + 0.6 * chance())
}

/** Returns the id of a row, derived from its natural key: `demo` and 20 characters. */
export function demoId(noun: string, key: string): string {
  const digits = BigInt(`0x${digest(noun, key).toString('hex', 0, 16)}`).toString(36)
  return `demo${digits.slice(-20).padStart(20, '0')}`
}
