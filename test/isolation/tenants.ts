/**
 * Services with the data of some of three companies. All data of a company is the same whichever others there are, so that
 * equal responses show nothing of the others.
 */
import { withoutTriggers } from '../support/databases'
import type { Factory, Made, MadeAsset } from '../support/factories'
import type { TestResponse } from '../support/http'
import { World, type WorldOptions } from '../support/world'

/** The companies, with the factor in their legacy ids and counts. */
const FACTORS = { Alder: 1, Birch: 2, Cedar: 3 } as const

export type Tenant = keyof typeof FACTORS

export const TENANTS = Object.keys(FACTORS) as Tenant[]

/** Returns the ids and names of a company's data, whether it exists or not. */
export const namesOf = (company: Tenant) => {
  const word = company.toLowerCase()
  return {
    company: `${word}company`,
    assets: [`${word}asset1`, `${word}asset2`],
    sensors: [`${word}sensor1`, `${word}sensor2`],
    legacyId: 9100 + FACTORS[company],
    city: `${company}ville`,
    region: `DE-${company.slice(0, 2).toUpperCase()}`,
    externalId: `${word}:${FACTORS[company]}`,
  }
}

/** The same in all services: the secret of cursors and the time. */
const OPTIONS = { cursorSecret: Buffer.alloc(32, 7), now: () => Date.parse('2026-01-04T00:00:00Z'), connections: 2 }

/** Ends of a year, of months and of February. */
const DATES = ['2025-12-31', '2026-01-01', '2026-01-02', '2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01']

/** The record of what was served, at the same times in all services: a day of each kind that was restated, and one that came late. */
const LEDGER = `
DELETE FROM former_totals; DELETE FROM transactions;
INSERT INTO transactions (commit_number, committed_at, mark, reason, note, note_is_public) VALUES
  (1, '2025-11-01Z', md5('1')::uuid, 'begin', NULL, false), (2, '2026-01-03Z', md5('2')::uuid, NULL, NULL, false),
  (3, '2026-01-03T06:00Z', md5('3')::uuid, 'import', 'Recalibrated', true);
INSERT INTO former_totals
  SELECT number, company, kind, '2026-01-01', 1, 3,
    length(id) + 700, 8, length(id) + 800, 9, false, id
  FROM assets, unnest(ARRAY['impressions', 'origins', 'demographics']) AS kind;
UPDATE asset_months SET since = ARRAY(
  SELECT CASE WHEN number IS NOT NULL THEN
    CASE WHEN month_start(month) + day::integer - 1 BETWEEN '2025-12-31' AND '2026-01-01' THEN 3 ELSE 1 END END
  FROM unnest(since) WITH ORDINALITY AS s (number, day) ORDER BY day);
UPDATE asset_months SET newest = (SELECT max(s) FROM unnest(since) AS s), oldest = (SELECT min(s) FROM unnest(since) AS s)`

/** When sensors moved from one company to another, a midnight. */
const MOVED_AT = '2026-01-02T23:00:00Z'

/** SQL: a sensor `s` is on an asset at an instant. What is said of a sensor is said by the company that has it then, if it exists. */
const isInstalled = (instant: string) =>
  `EXISTS (SELECT FROM installations i WHERE i.sensor = s.number AND tstzrange(installed_at, removed_at) @> ${instant})`

/** The health of all sensors, of those that moved in both places. */
const EXPLAIN_GAPS = `
INSERT INTO sensor_health SELECT number, day + 6 * hour, day + 7 * hour, 'offline'
  FROM sensors s, (SELECT interval '1 hour') AS h (hour), unnest(ARRAY['2025-12-31Z', '2026-01-01Z', '2026-01-03Z']::timestamptz[]) AS day
  WHERE ${isInstalled('day')}`

export interface TenantService {
  service: World
  /** The keys by their companies, joined by a plus, and those `without scopes`. */
  keys: Map<string, string>
}

/**
 * Starts a service.
 *
 * @param present the companies that exist
 * @param ofKeys the companies of each key to issue
 * @param options of the service beyond the usual ones
 */
export async function startWithTenants(
  present: readonly Tenant[],
  ofKeys: readonly (readonly Tenant[])[],
  options: WorldOptions = {},
): Promise<TenantService> {
  const world = await World.open({ ...OPTIONS, ...options })
  const keys = await world.make.together(make => makeTenants(make, present, ofKeys))
  await world.owner.query(ADD_NOTES)
  // When it was stored differs between services.
  await world.owner.query(
    `UPDATE assets SET updated_at = '2025-01-01Z'; UPDATE sensors SET updated_at = '2025-01-01Z';
    UPDATE companies SET final_through = '2025-12-31'`,
  )
  await world.owner.query(EXPLAIN_GAPS)
  // The commit would number these transactions itself.
  await world.owner.query(withoutTriggers(LEDGER))
  await world.owner.query(
    'INSERT INTO set_aside_days SELECT d.*, t.id FROM sensor_days d JOIN set_asides t USING (sensor) WHERE d.date = from_time::date',
  )
  await world.owner.query("UPDATE set_asides SET created_at = '2025-01-01Z'")
  // A sensor that left is elsewhere, whether the company there exists or not.
  await world.owner.query(withoutTriggers('UPDATE sensors SET last_company = NULL WHERE asset IS NULL'))
  // Last, since each of these changes the feed.
  await world.owner.query('UPDATE changes SET commit_number = 2')
  return { service: world, keys }
}

/** Notes on all assets and sensors, some internal, what is set aside of the sensors, and their faults: of those that moved, of both places. */
const ADD_NOTES = `
INSERT INTO notes (id, asset, from_date, kind, text, is_internal, updated_at)
  SELECT id || 'n' || i, number, '2026-01-01', 'caveat', name || ' ' || i, i = 1, '2025-01-01Z' FROM assets, generate_series(0, 1) AS i;
INSERT INTO notes (id, sensor, from_date, to_date, kind, text, is_internal, updated_at)
  SELECT id || 'n' || i, number, '2026-01-01'::date + 3 * i, '2026-01-02'::date + 3 * i, 'break', serial || ' ' || i, false, '2025-01-01Z'
  FROM sensors s, generate_series(0, 1) AS i WHERE ${isInstalled("timestamptz '2026-01-01Z' + 3 * i * interval '1 day'")};
INSERT INTO set_asides (sensor, from_time, to_time, reason, is_public, created_at)
  SELECT number, instant, instant + interval '1 hour', serial || ' at ' || extract(epoch FROM instant), true, '2025-01-01Z'
  FROM sensors s, unnest(ARRAY['2026-01-01T08:00:00Z', '2026-01-04T08:00:00Z']::timestamptz[]) AS instant
  WHERE ${isInstalled('instant')}`

/** Makes the companies with their data. @returns the keys by their companies */
async function makeTenants(
  make: Factory,
  present: readonly Tenant[],
  ofKeys: readonly (readonly Tenant[])[],
): Promise<Map<string, string>> {
  const vendors = {
    minute: await make.vendor('minute', { id: 'vendorone', name: 'One' }),
    quarter_hour: await make.vendor('quarter_hour', { id: 'vendortwo', name: 'Two' }),
    hour: await make.vendor('hour', { id: 'vendorthree', name: 'Three' }),
    day: await make.vendor('day', { id: 'vendorfour', name: 'Four' }),
  }
  const companies = new Map<Tenant, Made>()
  const moved: { Alder?: MadeAsset; Birch?: MadeAsset } = {}
  for (const name of present) {
    const factor = FACTORS[name]
    const { company: id, assets, sensors, legacyId, city, region } = namesOf(name)
    const company = await make.company(`${name} Ltd`, { id })
    companies.set(name, company)
    const location = {
      city,
      region,
      address: `${name} Street 1`,
      postal_code: `${factor}0000`,
      description: `by ${name}`,
    }
    const times = { created_at: '2025-01-01T00:00:00Z', updated_at: '2025-01-01T00:00:00Z' }
    const asset = (i: number, more: object) =>
      make.asset({ company, id: assets[i], name: `${name} Asset ${i}`, ...location, ...times, ...more })
    // A system of its own, and one that all have.
    const external_ids = { [name.toLowerCase()]: `${factor}`, everywhere: 'same' }
    const first = await asset(0, { legacy_id: legacyId, venue_type_id: factor, venue_taxonomy: '1.1', external_ids })
    const second = await asset(1, {
      external_ids: { everywhere: 'same' },
      latitude: 10 * factor,
      status: 'inactive',
      media_type: 'static',
      format: 'transit',
    })
    const health = { health_checked_at: '2026-01-03T23:50:00Z', health_status: 'healthy' }
    for (const [i, grain] of (['minute', 'quarter_hour'] as const).entries()) {
      const vendor = vendors[grain]
      const sensor = await make.sensor({
        asset: first,
        grain,
        vendor,
        id: sensors[i],
        serial: `${name} ${i}`,
        ...health,
      })
      for (const date of ['2026-01-01', '2026-01-02']) await make.counts(sensor, date, at => (at % 5) * factor)
    }
    // Equal sums, whose order is that of ids and names.
    for (const [i, grain] of (['hour', 'day'] as const).entries()) {
      const vendor = vendors[grain]
      const sensor = await make.sensor({ asset: second, grain, vendor, id: `${sensors[i]}b`, serial: `${name} b${i}` })
      for (const date of DATES) await make.counts(sensor, date, at => (at % 3) + factor)
    }
    for (const asset of [first, second]) {
      const places = [region, 'DE-HH'].flatMap(region => [city, 'Ähren'].map(city => ({ region, city })))
      const origins = DATES.flatMap((date, day) =>
        places.map(place => ({ date, ...place, impressions: 10 * ((day + 1) % 3) * factor })),
      )
      await make.origins(asset, origins)
      for (const date of DATES) await make.demographics(asset, date, { '25-34 male': 70 * factor, '65+ female': 11 })
    }
    if (name === 'Alder') moved.Alder = first
    if (name === 'Birch') moved.Birch = second
  }
  await addMovedSensor(make, vendors.minute, 'moved', moved.Alder, moved.Birch)
  await addMovedSensor(make, vendors.minute, 'movedback', moved.Birch, moved.Alder)
  const keys = new Map<string, string>()
  for (const names of ofKeys) {
    const scopes = ['internal:graphql:read', 'partner:metrics:legacy:read']
    const own = names.map(name => companies.get(name) as Made)
    keys.set(names.join('+'), await make.key(own, { scopes, reseller: true }))
    keys.set(`${names.join('+')} without scopes`, await make.key(own))
  }
  return keys
}

/** A sensor that was on an asset of one company, and has been on one of another since. */
async function addMovedSensor(
  make: Factory,
  vendor: Made,
  serial: string,
  from: MadeAsset | undefined,
  to: MadeAsset | undefined,
): Promise<void> {
  const health = from && { health_checked_at: '2026-01-02T12:00:00Z', health_status: 'offline' }
  const place = { asset: to ?? null, installed_at: MOVED_AT, ...health }
  const sensor = await make.sensor({ vendor, id: `${serial}sensor`, serial, ...place })
  if (!from) return
  await make.counts({ ...sensor, asset: from }, '2026-01-01', () => 3)
  await make.installation(sensor, from, '2025-12-31T23:00:00Z', MOVED_AT)
}

/** Removes positions in the feed of changes, which differ between databases; tools have them within a text, too. */
const withoutPosition = (text: string): string => text.replace(/((?:next|cursor)(?:\\?":\\?"|=))[\w-]{250,}/g, '$1…')

/** Headers that differ between equal responses. Where no position differs, so would the body if the tag did. */
const VARYING = /^(x-request-id|date|ratelimit|etag|server-timing|x-next-cursor)$/

/** Returns the parts of a response that are equal to those of an equal one. */
export const comparable = ({ status, headers, text }: Pick<TestResponse, 'status' | 'headers' | 'text'>) => ({
  status,
  text: withSortedErrors(withoutPosition(text)),
  headers: Object.entries(headers)
    .filter(([name]) => !VARYING.test(name))
    .map(([name, value]) => [name, withoutPosition(String(value))]),
})

/** GraphQL lists errors in the order in which they occurred, which may vary. */
function withSortedErrors(text: string): string {
  const [, head, errors, tail] = /^(\{"errors":)(\[.*\])(,"data":.*)$/s.exec(text) ?? []
  if (!errors) return text
  const sorted = JSON.parse(errors)
    .map((error: unknown) => JSON.stringify(error))
    .toSorted()
  return `${head}${sorted}${tail}`
}
