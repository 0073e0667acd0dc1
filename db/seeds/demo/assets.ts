/** The companies and assets of the demo, with the fields of the import, from the table of places. */
import { PLACES } from './places'
import { chances, demoId } from './random'
import type { Shape } from './shapes'

/** Format, medium, venue type, whether indoors, width, height, description, shape and impressions of an average day. */
const KINDS = {
  night: ['street_furniture', 'digital', 302, false, 0.9, 1.6, 'Street panel', 'nightlife', 16_000],
  street: ['urban_panel', 'digital', 302, false, 1.2, 2.1, 'Urban panel', 'retail', 33_000],
  shelter: ['bus_shelter', 'static', 303, false, 1.2, 1.8, 'Printed panel in a bus shelter', 'commuter', 15_000],
  station: ['transit', 'digital', 10602, true, 2, 1.1, 'Station screen', 'commuter', 52_000],
  airport: ['transit', 'digital', 10103, true, 3, 1.7, 'Airport screen', 'leisure', 40_000],
  billboard: ['billboard', 'static', 30102, false, 9, 3, 'Printed billboard', 'commuter', 84_000],
  spectacular: ['spectacular', 'digital', 30103, false, 12, 7, 'Spectacular', 'retail', 88_000],
  mall: ['place_based', 'digital', 20501, true, 1.1, 1.9, 'Screen in a mall', 'retail', 19_000],
  office: ['place_based', 'digital', 70102, true, 1, 1.8, 'Lobby screen', 'commuter', 4_500],
  window: ['window_panel', 'digital', 207, false, 1.1, 0.7, 'Window panel', 'leisure', 6_500],
  other: ['other', 'static', 30101, false, 3.6, 2.5, 'Wallscape', 'leisure', 12_000],
} satisfies Record<string, [string, string, number, boolean, number, number, string, Shape, number]>

export type Asset = ReturnType<typeof parseAsset>

export const COMPANIES: { id: string; name: string }[] = []
export const ASSETS: Asset[] = []

let city = parseCity('')
for (const line of PLACES.trim().split('\n')) {
  if (line.startsWith('# ')) COMPANIES.push({ id: demoId('company', line.slice(2)), name: line.slice(2) })
  else if (line.includes(' | ')) city = parseCity(line)
  else for (const text of line.split('; ')) ASSETS.push(parseAsset(COMPANIES.at(-1)?.name ?? '', text, ASSETS.length))
}

function parseCity(line: string) {
  const [location = '', homes = ''] = line.split(' | ')
  const [name = '', region = '', time_zone = '', latitude, longitude] = location.split(', ')
  const matches = [...homes.matchAll(/(\w+-\w+) ([^,]+) (\d+)/g)]
  return {
    ...{ city: name, region, country: region.slice(0, 2), time_zone, position: [Number(latitude), Number(longitude)] },
    homes: matches.map(([, region = '', city, weight]) => {
      return { country: region.slice(0, 2), region, city, weight: Number(weight) }
    }),
  }
}

function parseAsset(company: string, text: string, index: number) {
  const [name = '', words = ''] = text.split(': ')
  const [kind = '', ...codes] = words.split(' ')
  const [format, media_type, venue_type_id, indoors, width_m, height_m, description, shape, daily] =
    KINDS[kind as keyof typeof KINDS]
  const id = demoId('asset', `${company}/${name}`)
  const chance = chances('asset', id)
  const [latitude, longitude] = city.position.map(degrees => (degrees + 0.04 * (chance() - 0.5)).toFixed(5))
  return {
    ...{ ...city, id, company_id: company, name, description: `${description} in ${city.city}`, latitude, longitude },
    ...{ format, media_type, venue_type_id, indoors, width_m, height_m, shape },
    facing_degrees: indoors ? '' : 5 * Math.floor(72 * chance()),
    // Lobby screens are newer than the legacy interface.
    legacy_id: kind === 'office' ? '' : 9_100_101 + index,
    venue_taxonomy: '1.1',
    // One company numbers its faces, and marketplaces have the screens of all.
    'external_id:inventory': COMPANIES.length === 1 ? `NA-${1001 + index}` : '',
    'external_id:hivestack': media_type === 'digital' ? 93_701 + index : '',
    status: codes.find(code => /active|archived/.test(code)) ?? 'active',
    sensors: codes.filter(code => !/active|archived/.test(code)),
    daily: daily * (0.7 + 0.6 * chance()),
    address: `${name} ${1 + Math.floor(99 * chance())}`,
  }
}
