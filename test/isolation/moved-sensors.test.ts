/**
 * Sensors that moved between two companies tell neither of them about the other: commands of one company, in the time for which it
 * had them, leave all responses to the key of the other as they were, to the byte.
 */
import { isDeepStrictEqual } from 'node:util'
import { type RequestOptions, send } from '../support/http'
import { World } from '../support/world'
import { generateCalls, generatePaths, generateQueries, POST_HEADERS, ROOT_FIELDS, ROUTES, TOOLS } from './requests'
import { namesOf, withoutPosition } from './tenants'

jest.setTimeout(120_000)

const OWNERS = ['Alder', 'Birch'] as const

type Owner = (typeof OWNERS)[number]

const HOUR = 3_600_000
const OFFSETS = { Alder: -5 * HOUR, Birch: -8 * HOUR }
const ZONES = { Alder: 'America/Toronto', Birch: 'America/Vancouver' }

/** Midnight at Birch, when a day of Alder has begun; and midnight at Alder, when one of Birch has not ended. */
const [EARLY, LATE] = ['2026-01-01T08:00Z', '2026-01-03T05:00Z'].map(Date.parse) as [number, number]
const [BEGIN, END] = ['2025-12-30T08:00Z', '2026-01-04T08:00Z'].map(Date.parse) as [number, number]

interface Stay {
  serial: string
  owner: Owner
  from: number
  to: number
}

/** Each sensor with its owners, and the times of its moves. */
const SENSORS = ['hour', 'day'].flatMap(grain =>
  [
    { owners: ['Alder', 'Birch'], moves: [EARLY] },
    { owners: ['Birch', 'Alder'], moves: [LATE] },
    { owners: ['Alder', 'Birch', 'Alder'], moves: [EARLY, LATE] },
    { owners: ['Birch', 'Alder', 'Birch'], moves: [EARLY, LATE] },
  ].map(({ owners, moves }) => ({ serial: [grain, ...owners].join('-'), owners: owners as Owner[], moves })),
)

const STAYS: Stay[] = SENSORS.flatMap(({ serial, owners, moves }) =>
  owners.map((owner, i) => ({ serial, owner, from: moves[i - 1] ?? BEGIN, to: moves[i] ?? END })),
)

const dateAt = (owner: Owner, instant: number) => new Date(instant + OFFSETS[owner]).toISOString().slice(0, 10)

const text = (instant: number) => new Date(instant).toISOString()

/** Returns the starts of the intervals that a sensor counts in a stay. */
function startsOf({ serial, owner, from, to }: Stay): number[] {
  const hours = Array.from({ length: (to - from) / HOUR }, (_, hour) => from + hour * HOUR)
  return serial.startsWith('hour') ? hours : hours.filter(hour => (hour + OFFSETS[owner]) % (24 * HOUR) === 0)
}

/** Returns the dates of a stay on which its sensor was nowhere else, as options. */
function ownDates(stay: Stay): string {
  const dates = ({ owner, from, to }: Stay) =>
    new Set(Array.from({ length: (to - from) / HOUR }, (_, hour) => dateAt(owner, from + hour * HOUR)))
  const others = STAYS.filter(({ serial, owner }) => serial === stay.serial && owner !== stay.owner).map(dates)
  const own = [...dates(stay)].filter(date => others.every(other => !other.has(date)))
  return `--from ${own[0]} --to ${own.at(-1)}`
}

let world: World
const keys = {} as Record<Owner, string>
/** Positions in the feed of all kinds, from before the commands. */
const cursors = {} as Record<Owner, string>

/** Runs a command to its end, which has to be a good one. */
async function command(line: string, input?: string) {
  const { code, stderr, stdout } = await world.run(line.split(' '), input)
  if (code !== 0) throw new Error(`${line}: ${stderr}`)
  return stdout
}

const give = (kind: string, lines: string[], options = '') => command(`import ${kind} -${options}`, lines.join('\n'))

const count = (rows: [stay: Stay, start: number, count: number | string][], options?: string) =>
  give(
    'impressions',
    ['sensor,start,impressions', ...rows.map(([{ serial }, start, count]) => [serial, text(start), count].join())],
    options,
  )

const KINDS = 'kinds=impressions,origins,demographics,asset,sensors,removed,notes'

beforeAll(async () => {
  world = await World.open({ now: () => END })
  await world.make.together(async make => {
    for (const grain of ['hour', 'day'] as const) {
      for (const name of [grain, `other ${grain}`]) await make.vendor(grain, { name })
    }
    for (const owner of OWNERS) {
      const { company: id, assets, legacyId, city, region } = namesOf(owner)
      const company = await make.company(owner, { id })
      const attributes = { company, city, region, time_zone: ZONES[owner], external_ids: { everywhere: 'same' } }
      for (const [i, id] of assets.entries()) {
        await make.asset({ id, name: `${owner} ${i}`, legacy_id: legacyId + 10 * i, ...attributes })
      }
      const scopes = ['internal:graphql:read', 'partner:metrics:legacy:read']
      keys[owner] = await make.key([company], { scopes, reseller: true })
    }
  })
  await give('sensors', [
    'serial,model,vendor_id,asset_id,billable_state,installed_at',
    ...STAYS.map(({ serial, owner, from }) =>
      [serial, 'One', serial.split('-')[0], namesOf(owner).assets[0], 'billable', text(from)].join(),
    ),
  ])
  // Without counts near the moves of sensors that moved once, so that there are gaps.
  const counts = STAYS.flatMap(stay =>
    startsOf(stay)
      .filter(
        start => stay.serial.split('-').length > 3 || [EARLY, LATE].every(move => Math.abs(start - move) > 4 * HOUR),
      )
      .map(start => [stay, start, 7] as [Stay, number, number]),
  )
  await count(counts)
  for (const owner of OWNERS) {
    cursors[owner] = (await world.read(`/v1/partner/changes?${KINDS}&limit=500`, keys[owner])).pagination.cursor
  }
})
afterAll(() => world.stop())

/** Headers that differ between equal responses; positions in the feed are encrypted, so that no two tags are equal. */
const VARYING = /^(x-request-id|date|ratelimit|server-timing|x-next-cursor)$/

async function fetch(owner: Owner, path: string, options: RequestOptions = {}) {
  const { status, headers, text } = await send(world.url + path, { key: keys[owner], ...options })
  const compared = Object.entries(headers).filter(
    ([name]) => !VARYING.test(name) && !(name === 'etag' && path.includes('/changes')),
  )
  const lines = withoutPosition(text).split(/(?<=\})/)
  return { status, headers: compared.map(header => withoutPosition(`${header}`)), lines }
}

/** Fields of GraphQL that show more of sensors than the routes do. */
const FIELDS = ['asset', 'sensors', 'sensorFaults']

/**
 * Returns the responses of all routes to the key of a company, of the tool that lists sensors, and of GraphQL.
 *
 * @param all also with every parameter and as CSV, and of all tools and fields of GraphQL
 */
async function fetchResponses(owner: Owner, all = false) {
  const responses: Record<string, unknown> = {}
  const names = namesOf(owner)
  const some = <T>(each: T[]) => (all ? each : each.slice(0, 1))
  for (const route of ROUTES) {
    const paths = generatePaths(route, [names])
    for (const path of some(paths)) responses[path] = await fetch(owner, path)
    if (all && route.path.startsWith('/v1/partner/')) {
      responses[`${paths[0]} as CSV`] = await fetch(owner, paths[0]!, { headers: { accept: 'text/csv' } })
    }
  }
  for (const more of ['', `&cursor=${cursors[owner]}`]) {
    responses[`changes${more}`] = await fetch(owner, `/v1/partner/changes?${KINDS}&limit=500${more}`)
  }
  const post = { method: 'POST', headers: POST_HEADERS }
  for (const tool of TOOLS.filter(({ operation }) => all || operation === 'ListSensors')) {
    for (const body of generateCalls(tool, names).slice(0, 1))
      responses[body] = await fetch(owner, '/mcp', { ...post, body })
  }
  for (const field of all ? ROOT_FIELDS : ROOT_FIELDS.filter(({ name }) => FIELDS.includes(name))) {
    const queries = generateQueries(field, names)
    for (const query of FIELDS.includes(field.name) ? some(queries) : queries.slice(0, 1)) {
      responses[query] = await fetch(owner, '/graphql', { ...post, body: JSON.stringify({ query }) })
    }
  }
  return responses
}

/** Returns the responses that are others than before. */
const pickChanged = (responses: Record<string, unknown>, others: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(responses).filter(([name]) => !isDeepStrictEqual(responses[name], others[name])))

/** A company, the stays of sensors with it, and its two assets: sensors were on the first. */
interface Commander {
  owner: Owner
  stays: Stay[]
  asset: string
  other: string
}

const rowsOf = (stays: Stay[], count: number | string) =>
  stays.flatMap(stay => {
    const starts = startsOf(stay)
    return [...new Set([...starts.slice(0, 2), ...starts.slice(-2)])].map(
      start => [stay, start, count] as [Stay, number, number | string],
    )
  })

/** Gives a check of the sensor at a time of each stay. */
const check = (stays: Stay[], status: string, time: (stay: Stay) => number) =>
  give('health', [
    'sensor,checked_at,status,last_seen_at,reason',
    ...stays.map(stay =>
      [stay.serial, text(time(stay)), status, text(time(stay)), `${status} at ${stay.owner}`].join(),
    ),
  ])

/** Says that the sensors that a company has are at another asset, or at none, from a time within their last stays. */
const moveTo = (stays: Stay[], asset: string) =>
  give('sensors', [
    'serial,asset_id,installed_at',
    ...present(stays).map(({ serial }) => `${serial},${asset},${text(END - 2 * HOUR)}`),
  ])

const present = (stays: Stay[]) => stays.filter(({ to }) => to === END)

/** Ids of notes, or of stretches that are set aside. */
const added: (string | number)[] = []

const COMMANDS: [name: string, change: (commander: Commander) => Promise<unknown>][] = [
  [
    'imports and corrects counts',
    async ({ stays }) => {
      await count(rowsOf(stays, 10))
      await count(rowsOf(stays, 11), ' --reason recalibrated --public')
    },
  ],
  [
    'imports origins and demographics, and adds notes',
    async ({ asset, stays }) => {
      await give('origins', ['asset_id,date,country,region,city,impressions', `${asset},2026-01-01,DE,DE-HH,Hamburg,9`])
      await give('demographics', ['asset_id,date,gender,age_band,impressions', `${asset},2026-01-01,male,18-24,90`])
      for (const stay of stays) {
        for (const kind of ['caveat', 'break']) {
          const line = `note add --sensor ${stay.serial} ${ownDates(stay)} --kind ${kind} --text x --json`
          added.push(JSON.parse(await command(line)).id)
        }
      }
    },
  ],
  [
    'removes notes, and sets counts aside, as those that come later',
    async ({ stays }) => {
      for (const id of added.splice(0)) await command(`note remove ${id}`)
      for (const { serial, from, to } of stays) {
        const stretch = `--sensor ${serial} --from ${text(from)} --to ${text(to)}`
        const line = `set-aside impressions ${stretch} --reason fog --public --yes --json`
        added.push(JSON.parse(await command(line)).id)
      }
      await count(rowsOf(stays, 12))
    },
  ],
  [
    'restores and erases counts',
    async ({ stays }) => {
      for (const id of added.splice(0)) await command(`restore ${id} --yes`)
      await count(rowsOf(stays, ''), ' --erase')
    },
  ],
  [
    'deletes counts, and finds sensors offline after they came',
    async ({ stays }) => {
      for (const stay of stays) await command(`delete impressions --sensor ${stay.serial} ${ownDates(stay)} --yes`)
      await check(stays, 'offline', ({ from }) => from + 2 * HOUR)
    },
  ],
  [
    'finds sensors offline before they leave, and learns later that they were before',
    async ({ stays }) => {
      await check(stays, 'offline', ({ to }) => to - 3 * HOUR)
      await check(stays, 'offline', ({ from }) => from + HOUR)
    },
  ],
  [
    'changes its asset and its sensors',
    async ({ asset, other, owner, stays }) => {
      await give('assets', [
        'id,name,address,status,time_zone',
        `${asset},${owner} renamed,Street 1,inactive,${owner === 'Alder' ? 'America/New_York' : 'America/Los_Angeles'}`,
        `${other},${owner} too,Street 2,archived,${ZONES[owner]}`,
      ])
      await give('sensors', [
        'serial,model,vendor_id,billable_state',
        ...present(stays).map(({ serial }) => `${serial},Two,other ${serial.split('-')[0]},suspended`),
      ])
    },
  ],
  [
    'moves its sensors, removes them, and deletes an asset',
    async ({ stays, other }) => {
      await moveTo(stays, other)
      await moveTo(stays, '')
      await command(`delete assets ${other} --yes`)
    },
  ],
  ['closes a month', ({ owner }) => command(`close 2025-12 --company ${namesOf(owner).company}`)],
]

/** Requests by which a company sees that each command has changed something. */
const SHOWN = [
  '/v1/partner/meta',
  '/v1/partner/sensors',
  '/v1/partner/gaps?from_date=2025-12-30&to_date=2026-01-03',
  `/v1/partner/changes?${KINDS}&limit=500`,
]

describe.each([
  ['Alder', 'Birch'],
  ['Birch', 'Alder'],
] as const)('when %s', (owner, other) => {
  let [all, before]: Record<string, unknown>[] = []
  beforeAll(async () => {
    all = await fetchResponses(other, true)
    before = await fetchResponses(other)
  })

  test.each(COMMANDS)(`%s, ${other} sees nothing of it`, async (_, change) => {
    const fetchShown = () => Promise.all(SHOWN.map(path => fetch(owner, path)))
    const shown = await fetchShown()
    const [asset, second] = namesOf(owner).assets as [string, string]
    await change({ owner, stays: STAYS.filter(stay => stay.owner === owner), asset, other: second })
    const [earlier, after] = [before!, await fetchResponses(other)]
    before = after
    expect(pickChanged(after, earlier)).toEqual(pickChanged(earlier, after))
    expect(await fetchShown()).not.toEqual(shown)
  })

  test('nor in any other response', async () => {
    const after = await fetchResponses(other, true)
    expect(pickChanged(after, all!)).toEqual(pickChanged(all!, after))
  })
})

test('both see a note on a date that both had', async () => {
  const fetchFeeds = () => Promise.all(OWNERS.map(owner => fetch(owner, '/v1/partner/changes?kinds=notes')))
  const before = await fetchFeeds()
  await command('note add --sensor hour-Alder-Birch --from 2026-01-01 --to 2026-01-01 --kind caveat --text x')
  const after = await fetchFeeds()
  for (const i of OWNERS.keys()) expect(after[i]).not.toEqual(before[i])
})
