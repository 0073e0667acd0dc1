/** The companies and assets of the demo, with the fields of the import, from the table of places. */
import { PLACES } from './places'
import { chances, demoId } from './random'

/** Relative audience of the hours 0 to 23 on weekdays, then at weekends, by the shape of an asset's traffic. */
export const SHAPES = {
  commuter: `5 3 2 3 8 24 58 92 95 68 57 60 63 63 65 74 87 98 86 61 43 32 22 13
    16 11 8 5 6 8 12 24 37 48 58 64 65 64 64 64 63 60 54 45 37 31 24 17`,
  retail: `2 1 1 0 1 3 8 16 24 36 54 64 76 74 68 69 81 93 90 67 38 20 11 5
    9 6 4 2 2 3 4 8 18 42 75 102 118 124 120 115 102 80 60 46 34 24 15 9`,
  nightlife: `25 15 8 5 4 6 12 22 28 26 27 31 37 40 40 45 53 63 73 79 83 83 74 60
    132 112 95 78 54 32 19 15 17 24 32 40 46 48 49 51 54 61 71 81 87 91 91 87`,
  leisure: `3 2 1 2 6 12 18 22 26 32 38 42 50 52 50 52 60 70 76 68 52 36 18 6
    9 4 2 3 8 16 22 24 32 56 84 104 116 124 126 124 114 102 90 74 56 38 24 12`,
}

export type Shape = keyof typeof SHAPES

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
