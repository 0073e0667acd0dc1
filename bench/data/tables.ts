/** The population and its counts as rows for COPY, by table. */
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { textRow } from '../../db/counts/copy'
import { GROUP_COLUMNS } from '../../db/queries/demographics'
import { chances } from '../../db/seeds/demo/random'
import { PackedDays } from './counts'
import { type Asset, COMPANIES, idOf, LAST_DAY, VENDORS } from './population'

interface Table {
  /** The target of the COPY: `table (columns)`. */
  into: string
  rows: Iterable<string>
}

const CITIES = [
  ['DE', 'DE-BE', 'Berlin'],
  ['DE', 'DE-HH', 'Hamburg'],
  ['DE', 'DE-BY', 'München'],
  ['DE', 'DE-NW', 'Köln'],
  ['DE', 'DE-BB', 'Potsdam'],
  ['DE', 'DE-HE', 'Frankfurt am Main'],
  ['ES', 'ES-MD', 'Madrid'],
  ['ES', 'ES-CT', 'Barcelona'],
  ['US', 'US-NY', 'New York'],
  ['US', 'US-NJ', 'Newark'],
  ['FR', 'FR-IDF', 'Paris'],
  ['NL', 'NL-NH', 'Amsterdam'],
] as const

const cityOf = (city: number) => CITIES[city % CITIES.length]!

const FORMATS = ['billboard', 'bus_shelter', 'urban_panel', 'spectacular', 'transit', 'street_furniture']

const INSTALLED = '2020-01-01T00:00:00Z'

/** Cities from which the audience of an asset comes. */
const ORIGINS_PER_DAY = 5

/** @param now when the sensors were last checked, in milliseconds since 1970 */
export function listTables(assets: readonly Asset[], now: number): Table[] {
  return [
    { into: 'companies (number, id, name)', rows: companies() },
    { into: 'vendors (number, id, name, own, native_minutes)', rows: vendors() },
    { into: `assets (${ASSET_COLUMNS})`, rows: assetRows(assets) },
    { into: `sensors (${SENSOR_COLUMNS})`, rows: sensorRows(assets, now) },
    { into: 'installations (sensor, asset, company, native_minutes, installed_at)', rows: installations(assets) },
    { into: `sensor_days (${DAY_COLUMNS})`, rows: sensorDays(assets) },
    { into: 'origin_places (number, company, region, city)', rows: originPlaces() },
    { into: 'origin_days (asset, company, date, places, impressions)', rows: originDays(assets) },
    { into: `demographic_days (asset, company, date, ${GROUP_COLUMNS})`, rows: demographics(assets) },
  ]
}

const companies = () => COMPANIES.map((name, i) => textRow([i + 1, idOf(name), name]))

const vendors = () => VENDORS.map(({ name, minutes }, i) => textRow([i + 1, idOf(name), name, minutes === 1, minutes]))

const ASSET_COLUMNS = `number, id, legacy_id, company, name, description, media_type, format, venue_type_id, status, indoors,
  facing_degrees, width_m, height_m, latitude, longitude, address, city, region, postal_code, country, time_zone,
  created_at, updated_at`

function* assetRows(assets: readonly Asset[]): Generator<string> {
  for (const { number, id, legacyId, company, zone, city: cityIndex } of assets) {
    const [country, region, city] = cityOf(cityIndex)
    yield textRow([
      ...[number, id, legacyId, company, `Asset ${number} at the corner`, number % 3 ? 'Faces the square' : null],
      ...[number % 4 ? 'digital' : 'static', FORMATS[number % FORMATS.length]!, 302, 'active', number % 5 === 0],
      ...[(number * 7) % 360, 3.56, 2.52, 40 + (number % 1000) / 100, (number % 2000) / 100, `Main street ${number}`],
      ...[city, region, String(10_000 + (number % 80_000)), country, zone],
      ...['2024-05-06T07:08:09.012Z', '2026-01-02T03:04:05.678Z'],
    ])
  }
}

const SENSOR_COLUMNS = `number, id, serial, model, vendor, native_minutes, asset, company, billable_state, installed_at,
  health_status, health_checked_at, health_last_seen_at, health_reason`

/** All were checked at `now`; one in eight is degraded. */
function* sensorRows(assets: readonly Asset[], now: number): Generator<string> {
  const checked = new Date(now).toISOString()
  for (const { number: asset, company, sensors } of assets) {
    for (const { number, id, serial, vendor, minutes } of sensors) {
      const health = number % 8 ? ['healthy', checked, checked, null] : ['degraded', checked, checked, 'low_light']
      const model = `Counter ${vendor}`
      yield textRow([number, id, serial, model, vendor, minutes, asset, company, 'billable', INSTALLED, ...health])
    }
  }
}

function* installations(assets: readonly Asset[]): Generator<string> {
  for (const { number: asset, company, sensors } of assets) {
    for (const { number, minutes } of sensors) yield textRow([number, asset, company, minutes, INSTALLED])
  }
}

const DAY_COLUMNS = 'asset, sensor, company, date, native_minutes, impressions, observed, hours, counts'

function* sensorDays(assets: readonly Asset[]): Generator<string> {
  const packedDays = new PackedDays()
  for (const { number, company, zone, level, days: length, sensors } of assets) {
    for (let back = length - 1; back >= 0; back--) {
      for (const { number: sensor, minutes } of sensors) {
        const { date, packed } = packedDays.day(back, zone, minutes, level, sensor * 7 + back)
        yield `${number}\t${sensor}\t${company}\t${date}\t${minutes}\t${packed.columns}`
      }
    }
  }
}

const dateBack = (back: number): string => dateOf(dayNumber(LAST_DAY) - back)

const PLACES = [...CITIES].sort((a, b) => (a.join() < b.join() ? -1 : 1))

const placeOf = (company: number, place: number): number => (company - 1) * PLACES.length + place + 1

const originPlaces = () =>
  COMPANIES.flatMap((_, i) =>
    PLACES.map(([, region, city], place) => textRow([placeOf(i + 1, place), i + 1, region, city])),
  )

function* originDays(assets: readonly Asset[]): Generator<string> {
  for (const { number, company, city, days: length } of assets) {
    const places = Array.from({ length: ORIGINS_PER_DAY }, (_, i) => PLACES.indexOf(cityOf(city + i)))
      .sort((a, b) => a - b)
      .map(place => placeOf(company, place))
    for (let back = length - 1; back >= 0; back--) {
      const impressions = places.map((_, i) => 1000 + ((number * 31 + back * 17 + i * 401) % 5000))
      yield textRow([number, company, dateBack(back), `{${places}}`, `{${impressions}}`])
    }
  }
}

function* demographics(assets: readonly Asset[]): Generator<string> {
  const chance = chances('bench', 'demographics')
  const variants = Array.from({ length: 101 }, () => GROUP_COLUMNS.map(() => Math.floor(chance() * 900)).join('\t'))
  for (const { number, company, days } of assets) {
    for (let back = days - 1; back >= 0; back--) {
      yield `${number}\t${company}\t${dateBack(back)}\t${variants[(number * 7 + back) % variants.length]}\n`
    }
  }
}
