/** Factories: insert rows for tests straight into the tables, with their parents and with counts packed as the service does. */
import { createHash } from 'node:crypto'
import { type ClientBase, escapeLiteral, type Pool } from 'pg'
import { keyHash, makeKey } from '../../db/api-keys/key-format'
import { NATIVE_MINUTES } from '../../db/calendar/grains'
import { LocalDayCache } from '../../db/calendar/local-day-cache'
import { dayNumber, listStarts } from '../../db/calendar/local-days'
import { packDay } from '../../db/calendar/packed-counts'
import { readNodeRules } from '../../db/calendar/zone-rules'
import { mergeOrigins } from '../../db/counts/merge-origins'
import { AGE_BANDS, GENDERS, GROUP_COLUMNS } from '../../db/queries/demographics'
import { inTransaction } from '../../db/transaction'
import { addMissingRules } from '../../db/zones/rules-in-force'
import type { NativeGrain } from '../../schema/generated'

let serialNumber = 0
const next = (name: string): string => `${name} ${++serialNumber}`

/** Looks like a cuid. The ids of a file have the same order in each run, unless FUZZ_SEED names another one. */
const makeId = (): string =>
  `c${createHash('md5')
    .update(next(process.env.FUZZ_SEED ?? ''))
    .digest('hex')
    .slice(0, 23)}`

export interface Made {
  id: string
  number: number
}

export interface MadeAsset extends Made {
  company: number
  timeZone: string
}

export interface MadeSensor extends Made {
  serial: string
  asset: MadeAsset | null
  nativeMinutes: number
  vendor: number
}

export interface Origin {
  date: string
  region: string
  city: string
  impressions: number
}

type SensorAttributes = { asset?: MadeAsset | null; grain?: NativeGrain; vendor?: Made } & Record<string, unknown>

export class Factory {
  constructor(
    private readonly owner: Pool,
    private readonly environment: 'dev' | 'production' = 'dev',
    /** The connection of a transaction; by default each insert is committed. */
    private readonly client?: ClientBase,
  ) {}

  /** Inserts all that `make` makes in one transaction: derived tables are refreshed once, which takes longer than the inserts. */
  together<Result>(make: (factory: Factory) => Promise<Result>): Promise<Result> {
    return this.inTransaction(client => make(new Factory(this.owner, this.environment, client)))
  }

  company(name = next('Company'), attributes: Record<string, unknown> = {}): Promise<Made> {
    return this.insert('companies', { id: makeId(), name, ...attributes })
  }

  async asset(attributes: { company?: Made } & Record<string, unknown> = {}): Promise<MadeAsset> {
    const { company = await this.company(), ...rest } = attributes
    const columns = {
      id: makeId(),
      company: company.number,
      name: next('Asset'),
      media_type: 'digital',
      format: 'billboard',
      status: 'active',
      indoors: false,
      latitude: 52.5,
      longitude: 13.4,
      country: 'DE',
      time_zone: 'Europe/Berlin',
      ...rest,
    }
    await addMissingRules(this.client ?? this.owner, [columns.time_zone])
    const made = await this.insert('assets', columns)
    return { ...made, company: company.number, timeZone: columns.time_zone }
  }

  vendor(grain: NativeGrain = 'minute', attributes: Record<string, unknown> = {}): Promise<Made> {
    return this.insert('vendors', {
      id: makeId(),
      name: next('Vendor'),
      own: grain === 'minute',
      native_minutes: NATIVE_MINUTES[grain],
      ...attributes,
    })
  }

  /** A sensor with its installation. */
  sensor(attributes: SensorAttributes = {}): Promise<MadeSensor> {
    return this.together(make => make.insertSensor(attributes))
  }

  /** An installation of a sensor, present or former. */
  async installation(
    sensor: MadeSensor,
    asset: MadeAsset,
    installedAt: string,
    removedAt: string | null,
  ): Promise<void> {
    const place = { asset: asset.number, company: asset.company, native_minutes: sensor.nativeMinutes }
    const hardware = removedAt !== null && { vendor: sensor.vendor, model: 'Counter 1' }
    const period = { installed_at: installedAt, removed_at: removedAt, ...hardware }
    await this.insert('installations', { sensor: sensor.number, ...place, ...period })
  }

  /** A stretch whose counts are set aside; `to` is exclusive. */
  async setAside(sensor: Made, from: string, to: string): Promise<void> {
    const period = { from_time: from, to_time: to }
    await this.insert('set_asides', {
      sensor: sensor.number,
      ...period,
      reason: 'A bus parked before it',
      is_public: true,
    })
  }

  /**
   * Stores the counts of a sensor on a local day.
   *
   * @param count one count per native interval, as a list or a function; may be MISSING
   */
  async counts(sensor: MadeSensor, date: string, count: number[] | ((interval: number) => number)): Promise<number[]> {
    const asset = sensor.asset as MadeAsset
    const day = new LocalDayCache({ get: readNodeRules }).day(asset.timeZone, dayNumber(date))
    const starts = listStarts(day, sensor.nativeMinutes)
    const counts = typeof count === 'function' ? starts.map((_, interval) => count(interval)) : count
    if (counts.length !== starts.length) throw new Error(`${date} has ${starts.length} intervals, not ${counts.length}`)
    await this.insert('sensor_days', {
      asset: asset.number,
      sensor: sensor.number,
      company: asset.company,
      date,
      native_minutes: sensor.nativeMinutes,
      ...packDay(day, starts, counts),
    })
    return counts
  }

  origin(asset: MadeAsset, date: string, [, region = '', city = '']: string[], impressions: number): Promise<void> {
    return this.origins(asset, [{ date, region, city, impressions }])
  }

  /** Origins of an asset, which are merged at once. */
  async origins(asset: MadeAsset, origins: Origin[]): Promise<void> {
    const rows = origins.map(({ date, region, city, impressions }) => {
      const [day, ...place] = [date, region, city].map(escapeLiteral)
      return `(${asset.number}, ${asset.company}, ${day}::date, ${place}, ${impressions})`
    })
    await this.inTransaction(client =>
      mergeOrigins(client, `SELECT * FROM (VALUES ${rows}) AS row (asset, company, date, region, city, impressions)`),
    )
  }

  /** Demographics of an asset on a day. @param counts by age band and gender, for example `25-34 male` */
  async demographics(asset: MadeAsset, date: string, counts: Record<string, number>): Promise<void> {
    const groups = AGE_BANDS.flatMap(age => GENDERS.map(gender => counts[`${age} ${gender}`] ?? null))
    const cells = Object.fromEntries(groups.map((count, cell) => [GROUP_COLUMNS[cell], count]))
    await this.insert('demographic_days', { asset: asset.number, company: asset.company, date, ...cells })
  }

  /** Returns an API key with these companies in its scope. @returns its text */
  async key(
    companies: Made[],
    attributes: {
      scopes?: string[]
      reseller?: boolean
      all_companies?: boolean
      rate_requests?: number
      rate_seconds?: number
      label?: string
      expires_at?: Date | null
    } = {},
  ): Promise<string> {
    const text = makeKey(this.environment)
    await this.insert('api_keys', {
      ...{ id: makeId(), hash: keyHash(text), environment: this.environment, scopes: [] },
      ...{ companies: companies.map(({ number }) => number), ...attributes },
    })
    return text
  }

  private async insertSensor(attributes: SensorAttributes): Promise<MadeSensor> {
    const { asset = await this.asset(), grain = 'minute', vendor = await this.vendor(grain), ...given } = attributes
    const { installed_at = '2020-01-01T00:00:00Z', removed_at = null, ...rest } = given as Record<string, string | null>
    const columns = {
      id: makeId(),
      serial: next('SN'),
      model: 'Counter 1',
      vendor: vendor.number,
      native_minutes: NATIVE_MINUTES[grain],
      billable_state: 'billable',
      ...rest,
    }
    const made = await this.insert('sensors', columns)
    const sensor = {
      ...made,
      serial: columns.serial,
      asset,
      nativeMinutes: NATIVE_MINUTES[grain],
      vendor: vendor.number,
    }
    if (asset) await this.installation(sensor, asset, installed_at as string, removed_at)
    return sensor
  }

  private inTransaction<Result>(work: (client: ClientBase) => Promise<Result>): Promise<Result> {
    if (this.client) return work(this.client)
    return inTransaction(this.owner, async client => ({ commit: true, result: await work(client) }))
  }

  private async insert(table: string, columns: Record<string, unknown>): Promise<Made> {
    const names = Object.keys(columns)
    const returning = ['companies', 'vendors', 'assets', 'sensors'].includes(table) ? 'RETURNING id, number' : ''
    const { rows } = await (this.client ?? this.owner).query(
      `INSERT INTO ${table} (${names.join()}) VALUES (${names.map((_, i) => `$${i + 1}`).join()}) ${returning}`,
      Object.values(columns),
    )
    return rows[0]
  }
}
