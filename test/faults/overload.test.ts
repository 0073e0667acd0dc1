/** Responses to several callers while the event loop of the service is late. */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeKey } from '../../db/api-keys/key-format'
import { openPool } from '../../db/postgres/pool'
import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { Factory } from '../support/factories'

jest.setTimeout(120_000)

const META = '/v1/partner/meta'

/** Refusals of each attacker that show that the service sheds load, and responses that show that it serves. */
const REFUSALS = 100
const RESPONSES = 50

/** Between two requests of an ordinary partner. */
const PAUSE_MS = 20

let database: TestDatabase
let partnerKey: string
let costlyKey: string
/** A path with a large response. */
let minutes: string
let service: Command
let url: string

beforeAll(async () => {
  database = await createDatabase()
  const owner = openPool(database.ownerUrl)
  const make = new Factory(owner, 'production')
  const company = await make.company()
  const asset = await make.asset({ company })
  const sensor = await make.sensor({ asset })
  const days = Array.from({ length: 7 }, (_, i) => `2026-01-0${i + 1}`)
  await make.together(async () => {
    for (const day of days) await make.counts(sensor, day, interval => interval % 50)
  })
  partnerKey = await make.key([company])
  costlyKey = await make.key([company])
  minutes = `/v1/partner/assets/${asset.id}/impressions/timeseries?grain=minute&from_date=${days[0]}&to_date=${days.at(-1)}`
  await owner.end()
  // The attackers need to send few requests to a service that is late after two at once.
  const limits = { MAX_EVENT_LOOP_DELAY_MS: '10', RATE_LIMIT: '1000000000' }
  service = new Command(['serve'], { ...settingsOf(database), ...limits, LOG_LEVEL: 'error' })
  url = await service.url()
})
afterAll(() => database?.drop())

/** A client that sends requests on several connections, one after the other on each. */
class Client {
  /** The number of responses by status. */
  readonly statuses: Record<number, number> = {}
  private readonly agent: Agent
  private readonly loops: Promise<void>[]
  private isRunning = true

  constructor(
    private readonly path: string,
    private readonly key: string,
    connections: number,
    private readonly pauseMs = 0,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections })
    this.loops = Array.from({ length: connections }, () => this.repeat())
  }

  count(status: number): number {
    return this.statuses[status] ?? 0
  }

  async stop(): Promise<void> {
    this.isRunning = false
    await Promise.all(this.loops)
    this.agent.destroy()
  }

  private async repeat(): Promise<void> {
    while (this.isRunning) {
      const status = await this.fetchStatus()
      this.statuses[status] = this.count(status) + 1
      if (this.pauseMs > 0) await sleep(this.pauseMs)
    }
  }

  private fetchStatus(): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request(url + this.path, { agent: this.agent, headers: { 'X-API-Key': this.key } })
      sent.on('error', reject)
      sent.on('response', response => {
        response.on('error', reject)
        response.on('end', () => resolve(response.statusCode as number)).resume()
      })
      sent.end()
    })
  }
}

/** Waits until each client has received a status so often. */
async function untilCounted(status: number, times: number, ...clients: Client[]): Promise<void> {
  while (clients.some(client => client.count(status) < times)) await new Promise(setImmediate)
}

test('a partner is served beside one whose requests are expensive and one without a valid key, who are refused', async () => {
  const partner = new Client(META, partnerKey, 1, PAUSE_MS)
  const costly = new Client(minutes, costlyKey, 16)
  await untilCounted(200, 1, partner, costly)
  const unknown = new Client(META, makeKey('production'), 4)
  const served = partner.count(200)
  await untilCounted(503, REFUSALS, costly, unknown)
  await untilCounted(200, served + RESPONSES, partner)
  for (const client of [partner, costly, unknown]) await client.stop()
  expect(partner.statuses).toEqual({ 200: partner.count(200) })
})

test('a partner alone is served again and again, however expensive its requests are', async () => {
  const costly = new Client(minutes, costlyKey, 16)
  await untilCounted(200, RESPONSES, costly)
  await costly.stop()
  // Afterwards nobody is refused, with a valid key or without one.
  const [partner, unknown] = [new Client(META, partnerKey, 1, PAUSE_MS), new Client(META, makeKey('production'), 1)]
  await untilCounted(200, RESPONSES, partner)
  await untilCounted(401, RESPONSES, unknown)
  for (const client of [partner, unknown]) await client.stop()
})
