/** The commands that write and the routes, in an order in which all of them have as many rows as there are assets. */
import type { RouteRecord } from '../../../rest-gateway/record'
import { partnerRoutes } from '../../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../../rest-gateway/routes/legacy'
import { withoutTriggers } from '../../support/databases'
import type { World } from '../../support/world'

/** Data of a company with a number of assets. */
export interface Fleet {
  world: World
  assets: number
  key: string
  /** A folder that is not there. */
  folder: string
}

export interface Step {
  name: string
  run(fleet: Fleet): Promise<unknown>
  /** Whether its work does not depend on the number of assets. */
  isConstant?: boolean
  isRequest?: boolean
}

const lines = (fleet: Fleet, line: (index: number) => string): string[] =>
  Array.from({ length: fleet.assets }, (_, index) => line(index))

/** Runs a command, which has to succeed. */
async function run({ world }: Fleet, args: string[], input?: string): Promise<void> {
  const { code, stdout, stderr } = await world.run(args, input)
  if (code !== 0) throw new Error(`${args.slice(0, 4).join(' ')}: ${stdout.slice(-500)} ${stderr.slice(-500)}`)
}

/** Returns the import of some lines for each asset. @param options of the command */

const imports = (
  name: string,
  kind: string,
  header: string,
  line: (index: number) => string,
  options: string[] = [],
): Step => ({
  name,
  run: fleet => run(fleet, ['import', kind, '-', ...options], [header, ...lines(fleet, line)].join('\n')),
})

/** The first day is in the month before the others, between which there is a gap. */
const DAYS = ['2026-02-27', '2026-03-01', '2026-03-03']

const assetId = (index: number) => String(1000 + index)

const importAssets = (name: string, city: string, zone: string): Step =>
  imports(
    name,
    'assets',
    'id,legacy_id,company_id,name,media_type,format,latitude,longitude,city,country,time_zone',
    index =>
      `fleetasset${assetId(index)},${assetId(index)},Fleet,A${index},digital,billboard,52,13,${city} ${index},DE,${zone}`,
  )

const importCounts = (name: string, count: number, options: string[] = []): Step =>
  imports(
    name,
    'impressions',
    'sensor,start,impressions',
    index => DAYS.map(day => `S${index},${day}T10:00,${count}`).join('\n'),
    ['--interval', 'hour', ...options],
  )

const importNotes = (column: string, prefix: string): Step =>
  imports(
    `import notes, by ${column}`,
    'notes',
    `${column},from,kind,text`,
    index => `${prefix === '' ? assetId(index) : prefix + index},2026-03-01,caveat,Road works`,
  )

const FIRST: Step[] = [
  importAssets('import assets', 'City', 'Europe/Berlin'),
  imports(
    'import sensors',
    'sensors',
    'serial,model,vendor_id,asset_id,billable_state,installed_at',
    index => `S${index},M,Counters,${assetId(index)},billable,2026-01-01T00:00Z`,
  ),
  imports('import health', 'health', 'sensor,checked_at,status', index => `S${index},2026-03-01T00:00Z,healthy`),
  importNotes('asset_id', ''),
  importNotes('sensor', 'S'),
  importCounts('import impressions', 7),
  imports(
    'import origins',
    'origins',
    'asset_id,date,country,region,city,impressions',
    index => `${assetId(index)},${DAYS[1]},DE,DE-BE,Berlin,3`,
  ),
  imports(
    'import demographics',
    'demographics',
    'asset_id,date,gender,age_band,impressions',
    index => `${assetId(index)},${DAYS[1]},female,25-34,3`,
  ),
  importCounts('import corrections', 8, ['--reason', 'Counted again', '--public']),
]

const PARAMETERS: Record<string, string> = {
  grain: 'day',
  from_date: '2026-03-01',
  to_date: '2026-03-31',
  start: '2026-03-01',
  end: '2026-03-02',
  date: '2026-03-01',
}

async function get({ world, key }: Fleet, path: string, accept = 'application/json'): Promise<string> {
  const response = await fetch(world.url + path, { headers: { 'X-API-Key': key, Accept: accept } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
  return text
}

/** Returns the requests of a route: of one asset, of a page and of all rows of a list, or of all assets. */
function requestsOf({ path, parameters, envelope }: RouteRecord): Step[] {
  const given = parameters.filter(({ required, in: place }) => required && place === 'query')
  const query = new URLSearchParams(given.map(({ name }): [string, string] => [name, PARAMETERS[name]!]))
  const url = `${path.replace('{id}', path.startsWith('/v1/partner/') ? 'fleetasset1000' : '1000')}?${query}`
  const isPaged = parameters.some(({ name }) => name === 'limit')
  const isConstant = path.includes('{id}') || path.endsWith('/meta')
  if (!isPaged) return [{ name: path, run: fleet => get(fleet, url), isConstant }]
  const page = { name: `a page of ${path}`, run: (fleet: Fleet) => get(fleet, `${url}&limit=20`), isConstant: true }
  const list = { name: `${path}, as CSV`, run: (fleet: Fleet) => get(fleet, url, 'text/csv') }
  return envelope.list ? [page, list] : [page]
}

const aggregate = (parameters: string): Step => ({
  name: `/v1/partner/impressions/aggregate by ${parameters}`,
  run: fleet =>
    get(fleet, `/v1/partner/impressions/aggregate?from_date=2026-03-01&to_date=2026-03-31&group_by=${parameters}`),
})

const REQUESTS = [
  ...[...partnerRoutes, ...legacyRoutes].flatMap(requestsOf),
  ...['city&grain=week', 'asset'].map(aggregate),
  {
    name: 'all pages of /v1/partner/changes',
    async run(fleet: Fleet) {
      for (let next = ''; ; ) {
        const { pagination } = JSON.parse(await get(fleet, `/v1/partner/changes?limit=100${next}`))
        if (!pagination.has_more) return
        next = `&cursor=${encodeURIComponent(pagination.cursor)}`
      }
    },
  },
].map((step: Step) => ({ ...step, isRequest: true }))

const command = (name: string, args: (fleet: Fleet) => string[]): Step => ({
  name,
  run: fleet => run(fleet, args(fleet)),
})

/** Returns every other asset, or its sensor. */
const half = (fleet: Fleet, name: (index: number) => string): string[] =>
  lines(fleet, name).filter((_, index) => index % 2 === 0)

const monthsSinceMarch = () => {
  const now = new Date()
  return String((now.getUTCFullYear() - 2026) * 12 + now.getUTCMonth() - 2)
}

/** A statement of another program. */
const statement = (name: string, sql: string): Step => ({ name, run: ({ world }) => world.owner.query(sql) })

const CHANGES: Step[] = [
  {
    name: 'a day of one sensor',
    run: fleet => run(fleet, ['import', 'impressions', '-'], `sensor,start,impressions\nS0,${DAYS[2]}T10:00,9`),
  },
  importAssets('assets at another place', 'Town', 'Europe/Berlin'),
  importAssets('assets of another time zone', 'Town', 'Europe/London'),
  imports('sensors removed', 'sensors', 'serial,removed_at', index => `S${index},2026-05-01T00:00Z`),
  imports(
    'sensors installed again',
    'sensors',
    'serial,asset_id,installed_at,removed_at',
    index => `S${index},${assetId(index)},2026-06-01T00:00Z,`,
  ),
  statement(
    'stretches of all sensors',
    `INSERT INTO set_asides (sensor, from_time, to_time, reason, is_public)
     SELECT number, '2026-07-01', '2026-07-02', 'Covered', true FROM sensors; SELECT pg_stat_force_next_flush()`,
  ),
  command('set-aside', () => [
    ...['set-aside', 'impressions', '--sensor', 'S0', '--from', DAYS[2]!, '--to', '2026-03-04'],
    ...['--reason', 'A bus', '--yes'],
  ]),
  command('note add', () => [
    ...['note', 'add', '--asset', assetId(0), '--from', DAYS[1]!, '--kind', 'caveat', '--text', 'Fog'],
  ]),
  command('doctor', () => ['doctor']),
  command('close', () => ['close', '2026-01', '--yes']),
  command('export all', ({ folder }) => ['export', 'all', '--output', folder]),
  command('verify', () => ['verify']),
  {
    name: 'verify --repair',
    async run(fleet) {
      await fleet.world.owner.query(withoutTriggers('UPDATE asset_months SET total = total + 1'))
      await run(fleet, ['verify', '--repair', '--reason', 'Damage'])
    },
  },
  command('retain', () => ['retain', '--months', monthsSinceMarch(), '--yes']),
  ...(['impressions', 'origins', 'demographics'] as const).map(kind =>
    command(`delete ${kind}`, fleet => [
      ...['delete', kind, '--from', DAYS[1]!, '--to', DAYS[1]!, '--yes'],
      ...(kind === 'impressions'
        ? ['--sensor', ...lines(fleet, index => `S${index}`)]
        : ['--asset', ...lines(fleet, assetId)]),
    ]),
  ),
  command('delete assets', fleet => ['delete', 'assets', ...half(fleet, assetId), '--yes']),
  command('delete sensors', fleet => ['delete', 'sensors', ...half(fleet, index => `S${index}`), '--yes']),
  command('delete companies', () => ['delete', 'companies', 'Fleet', '--yes']),
]

/** Begins with a company without assets, and ends without it. */
export const STEPS: readonly Step[] = [...FIRST, ...REQUESTS, ...CHANGES]
