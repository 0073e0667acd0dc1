/**
 * Sensors that moved between two companies tell neither of them about the other: commands of one company, in the time for which it
 * had them, leave all responses to the key of the other as they were, to the byte.
 */
import { isDeepStrictEqual } from 'node:util'
import { type RequestOptions, send } from '../support/http'
import { World } from '../support/world'
import { generateCalls, generatePaths, generateQueries, POST_HEADERS, ROOT_FIELDS, ROUTES, TOOLS } from './requests'
import { comparable, namesOf } from './tenants'

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

async function fetch(owner: Owner, path: string, options: RequestOptions = {}) {
  const response = comparable(await send(world.url + path, { key: keys[owner], ...options }))
  return { ...response, text: response.text.split(/(?<=\})/) }
}

const feedOf = (cursor = '') => `/v1/partner/changes?${KINDS}&limit=500${cursor}`

/**
 * Returns the responses of all routes to the key of a company.
 *
 * @param all also with every parameter and as CSV, of all tools, and of a part of the queries of GraphQL
 */
async function fetchResponses(owner: Owner, all = false) {
  const names = namesOf(owner)
  const post = { method: 'POST', headers: POST_HEADERS }
  const requests: [path: string, options?: RequestOptions][] = [[feedOf()], [feedOf(`&cursor=${cursors[owner]}`)]]
  for (const route of ROUTES) {
    const paths = generatePaths(route, [names])
    requests.push(...(all ? paths : paths.slice(0, 1)).map((path): [string] => [path]))
    if (all) requests.push([paths[0]!, { headers: { accept: 'text/csv' } }])
  }
  if (all) {
    for (const body of TOOLS.flatMap(tool => generateCalls(tool, names).slice(0, 1))) {
      requests.push(['/mcp', { ...post, body }])
    }
    for (const query of ROOT_FIELDS.flatMap(field => generateQueries(field, names)).filter((_, i) => i % 8 === 0)) {
      requests.push(['/graphql', { ...post, body: JSON.stringify({ query }) }])
    }
  }
  const responses: Record<string, unknown> = {}
  for (const request of requests) responses[JSON.stringify(request)] = await fetch(owner, ...request)
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

/** Gives the first and last counts of stays. */
const countEnds = (stays: Stay[], value: number | string, options = '') =>
  count(
    stays.flatMap(stay => {
      const starts = startsOf(stay)
      const ends = new Set([...starts.slice(0, 2), ...starts.slice(-2)])
      return [...ends].map((start): Parameters<typeof count>[0][number] => [stay, start, value])
    }),
    options,
  )

/** Finds sensors offline at a time of each stay. */
const check = (stays: Stay[], time: (stay: Stay) => number) =>
  give('health', [
    'sensor,checked_at,status,last_seen_at,reason',
    ...stays.map(stay => {
      const at = text(time(stay))
      return [stay.serial, at, 'offline', at, `offline at ${stay.owner}`].join()
    }),
  ])

/** Says of the sensors that a company has what they are, or where they are from a time within their last stays. */
const say = (stays: Stay[], columns: string, ...values: string[]) =>
  give('sensors', [
    `serial,${columns}`,
    ...stays.filter(({ to }) => to === END).map(({ serial }) => [serial, ...values].join()),
  ])

/** Ids of notes, or of stretches that are set aside. */
const added: (string | number)[] = []

/** Runs a command for each stay, and remembers the ids of what it adds. */
async function add(stays: Stay[], line: (stay: Stay) => string): Promise<void> {
  for (const stay of stays) added.push(JSON.parse(await command(`${line(stay)} --json`)).id)
}

async function takeBack(line: (id: string | number) => string): Promise<void> {
  for (const id of added.splice(0)) await command(line(id))
}

const LEAVING = text(END - 2 * HOUR)

const COMMANDS: Record<string, (commander: Commander) => Promise<unknown>> = {
  async 'imports and corrects counts'({ stays }) {
    await countEnds(stays, 10)
    await countEnds(stays, 11, ' --reason recalibrated --public')
  },
  async 'imports origins and demographics, and adds notes'({ asset, stays }) {
    await give('origins', ['asset_id,date,country,region,city,impressions', `${asset},2026-01-01,DE,DE-HH,Hamburg,9`])
    await give('demographics', ['asset_id,date,gender,age_band,impressions', `${asset},2026-01-01,male,18-24,90`])
    for (const kind of ['caveat', 'break']) {
      await add(stays, stay => `note add --sensor ${stay.serial} ${ownDates(stay)} --kind ${kind} --text x`)
    }
  },
  async 'removes notes, and sets counts aside, as those that come later'({ stays }) {
    await takeBack(id => `note remove ${id}`)
    const rest = '--reason fog --public --yes'
    await add(
      stays,
      ({ serial, from, to }) =>
        `set-aside impressions --sensor ${serial} --from ${text(from)} --to ${text(to)} ${rest}`,
    )
    await countEnds(stays, 12)
  },
  async 'restores and erases counts'({ stays }) {
    await takeBack(id => `restore ${id} --yes`)
    await countEnds(stays, '', ' --erase')
  },
  async 'deletes counts, and finds sensors offline after they came'({ stays }) {
    for (const stay of stays) await command(`delete impressions --sensor ${stay.serial} ${ownDates(stay)} --yes`)
    await check(stays, ({ from }) => from + 2 * HOUR)
  },
  async 'finds sensors offline before they leave, and learns later that they were before'({ stays }) {
    await check(stays, ({ to }) => to - 3 * HOUR)
    await check(stays, ({ from }) => from + HOUR)
  },
  async 'changes its asset and its sensors'({ asset, other, owner, stays }) {
    await give('assets', [
      'id,name,address,status,time_zone',
      `${asset},${owner} renamed,Street 1,inactive,${owner === 'Alder' ? 'America/New_York' : 'America/Los_Angeles'}`,
      `${other},${owner} too,Street 2,archived,${ZONES[owner]}`,
    ])
    for (const grain of ['hour', 'day']) {
      const ofGrain = stays.filter(({ serial }) => serial.startsWith(grain))
      await say(ofGrain, 'model,vendor_id,billable_state', 'Two', `other ${grain}`, 'suspended')
    }
  },
  async 'moves its sensors, removes them, and deletes an asset'({ stays, other }) {
    for (const asset of [other, '']) await say(stays, 'asset_id,installed_at', asset, LEAVING)
    await command(`delete assets ${other} --yes`)
  },
  'closes a month': ({ owner }) => command(`close 2025-12 --company ${namesOf(owner).company}`),
}

/** Requests by which a company sees that each command has changed something. */
const SHOWN = [
  '/v1/partner/meta',
  '/v1/partner/sensors',
  '/v1/partner/gaps?from_date=2025-12-30&to_date=2026-01-03',
  feedOf(),
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

  test.each(Object.entries(COMMANDS))(`%s, ${other} sees nothing of it`, async (_, change) => {
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
