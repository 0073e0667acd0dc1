/** The companies, assets and sensors of the demo, with the fields of the import. */
import { createHash } from 'node:crypto'
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import { NATIVE_MINUTES } from '../../db/calendar/grains'
import { dateOf, dayAt, dayNumber } from '../../db/calendar/local-days'
import { readNodeRules } from '../../db/calendar/zone-rules'

/**
 * A city has a name, region, time zone, latitude and longitude, and the weights of the homes of its audience, its own first.
 * An asset has a name, a kind, sensors, and perhaps a status. A sensor is the grain of its vendor (`m` minute, `q` quarter
 * hour, `h` hour) and its condition: `!` has gaps, `?` is offline, `+` is new, `>` moves to the next asset on the first day of
 * yesterday's month.
 */
const NETWORK = `
# Nordlicht Außenwerbung
Berlin, DE-BE, Europe/Berlin, 52.51, 13.4 | 70, DE-BB Potsdam 9, DE-HH Hamburg 5, DE-SN Leipzig 4, PL-14 Warszawa 3
Warschauer Brücke West: night m; Alexanderplatz Tram: shelter m; Hauptbahnhof Ebene 1: station m m
Stadtring Tempelhof: billboard m q; Kurfürstendamm Ecke Joachimsthaler: spectacular m; Südkreuz Vorplatz: other
Mall am Gesundbrunnen: mall m; Kottbusser Tor Nord: night m m>; Hermannplatz Süd: street q
Adlershof Campus Forum: office q; Späti Oranienstraße: window h
Hamburg, DE-HH, Europe/Berlin, 53.56, 10 | 72, DE-SH Norderstedt 8, DE-SH Lübeck 6, DE-HB Bremen 5, DK-84 København 2
Mönckebergstraße Mitte: street m; Reeperbahn Spielbudenplatz: spectacular m; Altona Busbahnhof: shelter q
Elbtunnel Zufahrt Süd: billboard h; HafenCity Überseeallee: window q!
Köln, DE-NW, Europe/Berlin, 50.94, 6.95 | 66, DE-NW Bonn 9, DE-NW Düsseldorf 8, NL-LI Maastricht 2, BE-WLG Liège 2
Domplatte Ausgang: station m q; Schildergasse Ost: street m; Zülpicher Platz: night q
Rheinpark Messe: billboard h inactive
London, GB-LND, Europe/London, 51.52, -0.13 | 70, GB-CRY Croydon 7, GB-RDG Reading 5, GB-BNH Brighton 4, FR-75C Paris 3
Oxford Street Centre: spectacular m; King's Cross Concourse: station m; Shoreditch High Street: shelter m!
Canary Wharf Lobby 3: office q; A40 Westway Arch 9: billboard q; Camden Lock Market: street h
Kathmandu, NP-P3, Asia/Kathmandu, 27.71, 85.32 | 
Durbar Marg Corner: billboard h; Thamel Gate: night q
# Harborline Outdoor
New York, US-NY, America/New_York, 40.74, -73.98 | 62, US-NJ Jersey City 11, US-NJ Newark 7, US-NY Yonkers 6, CA-ON Toronto 2
Times Square North: spectacular m m; Penn Station 34th Street: station m; Union Square East: street m
Bedford Avenue L: night m q; BQE Williamsburg: billboard q; Hudson Yards Level 2: mall m; Wall Street Gym: office m+
JFK Terminal 4 Departures: airport q; Astoria Blvd Shelter: shelter h; Flatiron Pharmacy Window: window q
Canal Street Wallscape: other
Chicago, US-IL, America/Chicago, 41.89, -87.65 | 70, US-IL Evanston 9, US-IL Naperville 8, US-IN Gary 5, US-WI Milwaukee 5
Michigan Avenue at Ohio: street m; Kennedy Expressway 47: billboard h; Union Station Great Hall: station q
Wicker Park Six Corners: night m; River North Tower Elevator: office q; Navy Pier Entrance: street h archived
São Paulo, BR-SP, America/Sao_Paulo, -23.56, -46.66 | 72, BR-SP Guarulhos 9, BR-SP Osasco 6, BR-SP Campinas 4, BR-RJ Rio de Janeiro 3
Avenida Paulista 1578: shelter m; Estação da Luz: station q q; Marginal Pinheiros Km 12: billboard h?
Shopping Vila Olímpia: mall q; Vila Madalena Esquina: night m; Guarulhos Embarque: airport q
# Southern Cross Panels
Sydney, AU-NSW, Australia/Sydney, -33.89, 151.2 | 74, AU-NSW Parramatta 11, AU-NSW Wollongong 4, AU-VIC Melbourne 3, NZ-AUK Auckland 2
Circular Quay Wharf 4: station m; Pitt Street Mall: spectacular m; Newtown King Street: night m
Anzac Bridge Inbound: billboard h; Barangaroo Tower 2 Lobby: office m; Bondi Beach Promenade: street q
Sydney Airport T1 Arrivals: airport q m?; Surry Hills Bakery: window m+
Melbourne, AU-VIC, Australia/Melbourne, -37.82, 144.97 | 78, AU-VIC Geelong 8, AU-VIC Ballarat 4, AU-NSW Sydney 5, AU-TAS Hobart 2
Flinders Street Steps: station m; Bourke Street Mall: street m; Chadstone Level 1: mall m
Monash Freeway Toorak: billboard h; Brunswick Street Fitzroy: night q; Southbank Promenade: other
Lord Howe Island, AU-NSW, Australia/Lord_Howe, -31.55, 159.08 | 44, AU-NSW Sydney 30, AU-QLD Brisbane 9, AU-VIC Melbourne 5
Lagoon Road Jetty: window m; Lord Howe Museum: office h
`

/** Format, medium, venue type, indoors, width, height, description, impressions of a weekday, share at weekends, peak hours. */
const KINDS = {
  night: ['street_furniture', 'digital', 302, false, 0.9, 1.6, 'Street panel', 14_000, 1.5, 20, 23],
  street: ['urban_panel', 'digital', 302, false, 1.2, 2.1, 'Urban panel', 32_000, 1.1, 12, 17],
  shelter: ['bus_shelter', 'static', 303, false, 1.2, 1.8, 'Printed panel in a bus shelter', 17_000, 0.6, 8, 17],
  station: ['transit', 'digital', 10602, true, 2, 1.1, 'Station screen', 58_000, 0.6, 8, 17],
  airport: ['transit', 'digital', 10103, true, 3, 1.7, 'Airport screen', 37_000, 1.3, 8, 17],
  billboard: ['billboard', 'static', 30102, false, 9, 3, 'Printed billboard', 95_000, 0.6, 8, 17],
  spectacular: ['spectacular', 'digital', 30103, false, 12, 7, 'Spectacular', 85_000, 1.2, 13, 18],
  mall: ['place_based', 'digital', 20501, true, 1.1, 1.9, 'Screen in a mall', 18_000, 1.3, 13, 17],
  office: ['place_based', 'digital', 70102, true, 1, 1.8, 'Lobby screen', 6_000, 0.1, 8, 12],
  window: ['window_panel', 'digital', 207, false, 1.1, 0.7, 'Window panel', 6_000, 1.3, 12, 17],
  other: ['other', 'static', 30101, false, 3.6, 2.5, 'Wallscape', 12_000, 1.1, 12, 17],
} as const

export const VENDORS = {
  m: { id: demoId('vendor', 'm'), name: 'Larkfield Counting', own: true, finest_grain: 'minute' },
  q: { id: demoId('vendor', 'q'), name: 'Metroflux Sensorik', own: false, finest_grain: 'quarter_hour' },
  h: { id: demoId('vendor', 'h'), name: 'Tallystone', own: false, finest_grain: 'hour' },
} as const

/** The billable state of sensors by the status of their asset. */
const BILLABLE = { active: 'billable', inactive: 'suspended', archived: 'retired' }

export type Asset = ReturnType<typeof parseAsset>
export type Sensor = ReturnType<typeof makeSensor>

export const COMPANIES: { id: string; name: string }[] = []
export const ASSETS: Asset[] = []

let city = parseCity('')
for (const line of NETWORK.trim().split('\n')) {
  if (line.startsWith('# ')) COMPANIES.push({ id: demoId('company', line.slice(2)), name: line.slice(2) })
  else if (line.includes(' | ')) city = parseCity(line)
  else for (const text of line.split('; ')) ASSETS.push(parseAsset(COMPANIES.at(-1)!.name, text, ASSETS.length))
}

export const SENSORS = ASSETS.flatMap((asset, i) => asset.sensors.map((code, j) => makeSensor(code, asset, i, j)))

function parseCity(line: string) {
  const [place = '', homes = ''] = line.split(' | ')
  const [city = '', region = '', time_zone = '', ...position] = place.split(', ')
  const parseHome = ([, homeRegion = region, homeCity = city, weight]: RegExpExecArray) => {
    return { country: homeRegion.slice(0, 2), region: homeRegion, city: homeCity, weight: Number(weight) }
  }
  const matches = [...homes.matchAll(/(?:(\w+-\w+) ([^,]+) )?(\d+)/g)]
  return { city, region, country: region.slice(0, 2), time_zone, position, homes: matches.map(parseHome) }
}

function parseAsset(company: string, text: string, index: number) {
  const [name = '', words = ''] = text.split(': ')
  const [kind = '', ...codes] = words.split(' ')
  const [format, media_type, venue_type_id, indoors, width_m, height_m, description, daily, weekend, ...peaks] =
    KINDS[kind as keyof typeof KINDS]
  const id = demoId('asset', `${company}/${name}`)
  const chance = chances('asset', id)
  const [latitude, longitude] = city.position.map(degrees => (Number(degrees) + 0.04 * (chance() - 0.5)).toFixed(5))
  return {
    ...{ ...city, id, company_id: company, name, description: `${description} in ${city.city}`, latitude, longitude },
    ...{ format, media_type, venue_type_id, venue_taxonomy: '1.1', indoors, width_m, height_m, weekend },
    hours: distribute(peaks),
    facing_degrees: indoors ? '' : 5 * Math.floor(72 * chance()),
    // Lobby screens are newer than the legacy interface.
    legacy_id: kind === 'office' ? '' : 9_100_101 + index,
    // One company numbers its faces, and marketplaces have the screens of all.
    'external_id:inventory': COMPANIES.length === 1 ? `NA-${1001 + index}` : '',
    'external_id:hivestack': media_type === 'digital' ? 93_701 + index : '',
    status: codes.find(code => code in BILLABLE) ?? 'active',
    sensors: codes.filter(code => !(code in BILLABLE)),
    daily: daily * (0.7 + 0.6 * chance()),
    address: `${name} ${1 + Math.floor(99 * chance())}`,
  }
}

function makeSensor(code: string, asset: Asset, index: number, number: number) {
  const serial = `${code[0]}-${demoId('serial', `${asset.id} ${number}`).slice(-8)}`.toUpperCase()
  const vendor = VENDORS[code[0] as keyof typeof VENDORS]
  const [minutes, chance, condition] = [NATIVE_MINUTES[vendor.finest_grain], chances('sensor', serial), code.slice(1)]
  return {
    ...{ id: demoId('sensor', serial), serial, model: `Counter ${minutes}`, vendor_id: vendor.name },
    ...{ minutes, condition, asset, asset_id: asset.id },
    installed_at: dateOf(dayNumber('2023-02-01') + Math.floor(500 * chance())),
    billable_state: condition === '+' ? 'pending' : BILLABLE[asset.status as keyof typeof BILLABLE],
    next: condition === '>' ? ASSETS[index + 1] : undefined,
    daily: (asset.daily * (0.8 + 0.4 * chance())) / asset.sensors.length,
  }
}

/** Returns the local date some days before `now` (seconds since 1970). */
export const dateBefore = (now: number, { time_zone }: Asset, days: number): string =>
  dateOf(dayNumber(dayAt(readNodeRules(time_zone), now).date) - days)

/** Returns the day on which the sensors that move do so. */
export const moveDate = (now: number, asset: Asset): string => `${dateBefore(now, asset, 1).slice(0, 8)}01`

/** Returns the parts of the audience of a day by hour, which are greatest at the peaks. */
function distribute(peaks: readonly number[]): number[] {
  const weights = Array.from({ length: 24 }, (_, hour) => {
    const distances = peaks.map(peak => Math.min(Math.abs(hour - peak), 24 - Math.abs(hour - peak)))
    return 0.04 + distances.reduce((sum, distance) => sum + 1 / (1 + (distance / 2.5) ** 2), 0)
  })
  return split(1, weights)
}

/** Returns parts of a total in proportion to weights. */
export function split(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map(weight => (weight * total) / sum)
}

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

/** Returns the id of a row, derived from its natural key: `demo` and 20 characters. */
export function demoId(noun: string, key: string): string {
  const digits = BigInt(`0x${digest(noun, key).toString('hex', 0, 16)}`).toString(36)
  return `demo${digits.slice(-20).padStart(20, '0')}`
}
