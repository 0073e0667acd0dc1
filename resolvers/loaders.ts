/** Loaders for fields nested under lists, for one request: one statement reads a field for all parents, by their ids. */
import DataLoader from 'dataloader'
import type { AssetRow } from '../db/assets/attributes'
import type { Dates } from '../db/calendar/local-days'
import type { ScopedReader } from '../db/postgres/scoped-reader'
import type { Instant } from '../db/queries/as-of'
import { readSomeAssets } from '../db/queries/assets'
import { type CompanyRow, readCompanies } from '../db/queries/companies'
import { type Demographics, readDemographics } from '../db/queries/demographics'
import { type AssetGaps, readGaps } from '../db/queries/gaps'
import type { Detail } from '../db/queries/impressions'
import { type Measurement, readMeasurements } from '../db/queries/impressions'
import { type Origins, readOrigins } from '../db/queries/origins'
import { readInstallations, readSensorsOfMany, type SensorRow } from '../db/queries/sensors'
import { readZoneRules } from '../db/zones/scoped-rules'
import { ApiError } from '../schema/errors'
import type { Installation } from '../schema/generated'
import { type DateRange, lengthOf, toDates } from './limits/ranges'
import { MAX_JSON_ROWS } from './limits/rows'
import { readWeeks, type TypicalWeek } from './series/profile'
import { timestamp } from './series/timestamps'

type Loader<Value> = Pick<DataLoader<string, Value | undefined>, 'load'>

/** Days of all assets together whose counts are read at once. */
const MAX_ASSET_DAYS = 400_000

export class Loaders {
  private readonly loadersByName = new Map<string, Loader<unknown>>()

  private readonly shared = new WeakMap<object, Map<string, Promise<unknown>>>()

  /** @param nextTurn awaited after each load: those of a batch end at the same time */
  constructor(
    private readonly reader: ScopedReader,
    private readonly nextTurn?: () => Promise<void>,
  ) {}

  assets(): Loader<AssetRow> {
    return this.loader('assets', async ids => keyed(await readSomeAssets(this.reader, ids), ({ id }) => id))
  }

  companies(): Loader<CompanyRow> {
    return this.loader('companies', async () => keyed(await readCompanies(this.reader), ({ id }) => id))
  }

  sensors(): Loader<SensorRow[]> {
    return this.loader('sensors', async ids => {
      const byAsset = new Map<string, SensorRow[]>(ids.map(id => [id, []]))
      for (const sensor of await readSensorsOfMany(this.reader, ids)) byAsset.get(sensor.assetId)?.push(sensor)
      return byAsset
    })
  }

  installations(): Loader<Installation[]> {
    return this.loader('installations', async ids => {
      const rows = await readInstallations(this.reader, ids, MAX_JSON_ROWS + 1)
      if (rows.length > MAX_JSON_ROWS) {
        const message = `There are more than ${MAX_JSON_ROWS} installations. Choose fewer assets.`
        throw new ApiError('RANGE_TOO_LARGE', { max_days: 0 }, message)
      }
      const byAsset = new Map<string, Installation[]>(rows.map(({ assetId }) => [assetId, []]))
      const zones = await readZoneRules(
        this.reader,
        rows.map(({ rules }) => rules),
      )
      for (const row of rows) {
        if (row.sensorId === null) continue
        const rules = zones.get(row.rules)!
        const to = row.to === null ? null : timestamp(rules, row.to)
        byAsset.get(row.assetId)!.push({ ...row, from: timestamp(rules, row.from), to })
      }
      return byAsset
    })
  }

  /** Measurements of assets on the same days and in the same detail, by the asset's id. @param asOf see readMeasurement */
  measurements(dates: Dates, detail: Detail, asOf?: Instant): Loader<Measurement> {
    const [fromDate, toDate] = dates
    const size = Math.ceil(MAX_ASSET_DAYS / lengthOf({ fromDate, toDate }))
    return this.loader<Measurement>(`measurements ${dates} ${detail} ${asOf?.time} ${asOf?.committed}`, async ids => {
      const measurements: [id: string, Measurement][] = []
      for (let first = 0; first < ids.length; first += size) {
        const batch = ids.slice(first, first + size)
        measurements.push(...(await readMeasurements(this.reader, batch, dates, detail, asOf)))
      }
      return new Map(measurements)
    })
  }

  weeks(range: DateRange): Loader<TypicalWeek> {
    return this.loader<TypicalWeek>(`weeks ${toDates(range)}`, async ids => {
      const weeks = new Map<string, TypicalWeek | ApiError>()
      for await (const [id, week] of readWeeks(this.reader, ids, range)) weeks.set(id, week)
      return weeks
    })
  }

  /** Returns the counts, installations and health by which gaps of assets on the same days are found, by the asset's id. */
  gaps(dates: Dates): Loader<AssetGaps> {
    return this.loader(`gaps ${dates}`, ids => readGaps(this.reader, ids, dates))
  }

  origins(by: 'region' | 'city', dates: Dates): Loader<Origins> {
    return this.loader(`origins ${by} ${dates}`, ids => readOrigins(this.reader, by, ids, dates))
  }

  demographics(dates: Dates): Loader<Demographics> {
    return this.loader(`demographics ${dates}`, ids => readDemographics(this.reader, ids, dates))
  }

  /** Reads a value that several fields of one parent need, once. */
  once<Value>(parent: object, name: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.shared.get(parent) ?? new Map<string, Promise<unknown>>()
    this.shared.set(parent, known)
    const value = (known.get(name) as Promise<Value> | undefined) ?? read()
    known.set(name, value)
    return value
  }

  /** @param read returns values by id; an error is thrown where the value is loaded */
  private loader<Value>(
    name: string,
    read: (ids: readonly string[]) => Promise<Map<string, Value | Error>>,
  ): Loader<Value> {
    const known = this.loadersByName.get(name) as Loader<Value> | undefined
    if (known) return known
    const { nextTurn } = this
    const batches = new DataLoader<string, Value | undefined>(async ids => {
      const found = await read(ids)
      return ids.map(id => found.get(id))
    })
    const loader: Loader<Value> = nextTurn ? { load: id => batches.load(id).finally(nextTurn) } : batches
    this.loadersByName.set(name, loader as Loader<unknown>)
    return loader
  }
}

const keyed = <Value>(values: Value[], key: (value: Value) => string): Map<string, Value> =>
  new Map(values.map(value => [key(value), value]))
