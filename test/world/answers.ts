/**
 * The responses that follow from a state, now or as of an instant. With `asOf`, counts are those of the state then; installations, zones and
 * attributes are those of now, and days that were not over then are missing.
 */
import { type Bucket, dateOf, days, type Grain, periodOf } from './calendar'
import { type Asset, assetDay, type State } from './state'

/** A day is over so many seconds after its end. */
export const OVER_AFTER = 6 * 3600

const FINE: Bucket[] = ['minute', 'quarter_hour', 'hour']

const GENDERS = ['male', 'female', 'unknown']
const AGES = ['12-17', '18-24', '25-34', '35-44', '45-54', '55-64', '65+', 'unknown']

export type Filter = Partial<Record<'country' | 'region' | 'city' | 'format' | 'asset_ids', string[]>>

export type GroupBy = 'country' | 'region' | 'city' | 'format' | 'media_type' | 'asset'

const GROUP_FIELDS: Record<Exclude<GroupBy, 'asset'>, string[]> = {
  country: ['country'],
  region: ['country', 'region'],
  city: ['country', 'region', 'city'],
  format: ['format'],
  media_type: ['media_type'],
}

const round = (value: number, places: number): number => Math.round(value * 10 ** places + 1e-9) / 10 ** places

const ratio = (part: number, whole: number, places: number): number => (whole === 0 ? 0 : round(part / whole, places))

function coverageOf(observed: number, expected: number): number | null {
  if (observed === 0) return 0
  if (expected === 0) return null
  return Math.min(1, Math.max(ratio(observed, expected, 4), 0.0001))
}

const sum = (values: readonly (number | null)[]): number => values.reduce<number>((all, value) => all + (value ?? 0), 0)

const withTotal = <Each extends { impressions: number | null }>(data: Each[]) => {
  const values = data.flatMap(({ impressions }) => impressions ?? [])
  return { data, total: sum(values), average: ratio(sum(values), values.length, 2) }
}

/** The error of an asset that does not have a grain. */
export const NO_GRAIN = 'GRAIN_NOT_AVAILABLE'

export class Answers {
  readonly assets: Asset[]

  /** @param companies that the key reads */
  constructor(
    private readonly state: State,
    companies: readonly string[],
    private readonly then: State = state,
    private readonly asOf?: number,
  ) {
    this.assets = [...state.assets.values()]
      .filter(({ company }) => companies.includes(company))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  matching(filter: Filter): Asset[] {
    return this.assets.filter(asset =>
      Object.entries({ ...filter, asset_ids: undefined, ...(filter.asset_ids && { id: filter.asset_ids }) }).every(
        ([name, values]) => !values || values.includes(asset[name as 'city']),
      ),
    )
  }

  /** Returns total, observed and expected intervals of a local day. */
  day(asset: string, day: number): { total: number | null; observed: number; expected: number } {
    const expected = this.state.expectedCount(asset, day)
    const isMissing = this.asOf !== undefined && this.state.calendar(asset).end(day) + OVER_AFTER > this.asOf
    const found = isMissing ? undefined : this.then.totals().impressions.get(assetDay(asset, day))
    return { total: found?.total ?? null, observed: found?.observed ?? 0, expected }
  }

  private bucket(assets: readonly string[], range: readonly number[]) {
    const values = assets.flatMap(asset => range.map(day => ({ asset, ...this.day(asset, day) })))
    const measured = values.filter(({ total }) => total !== null)
    return {
      impressions: measured.length > 0 ? sum(measured.map(({ total }) => total)) : null,
      with_data: new Set(measured.map(({ asset }) => asset)).size,
      days: measured.length,
      coverage: coverageOf(sum(values.map(({ observed }) => observed)), sum(values.map(({ expected }) => expected))),
    }
  }

  daily(asset: string, first: number, last: number) {
    return withTotal(
      days(first, last).map(day => {
        const { impressions, coverage } = this.bucket([asset], [day])
        return { date: dateOf(day), impressions, coverage }
      }),
    )
  }

  /** Returns the series of an asset, or NO_GRAIN. */
  series(asset: string, first: number, last: number, grain: Bucket) {
    if (!FINE.includes(grain)) {
      return withTotal(
        group(days(first, last), day => periodOf(day, grain)).map(range => {
          const { impressions, coverage } = this.bucket([asset], range)
          return { start: this.startOf(asset, range[0]!), impressions, coverage }
        }),
      )
    }
    if (isFiner(grain as Grain, this.state.finestGrain(asset, first, last))) return NO_GRAIN
    return withTotal(days(first, last).flatMap(day => this.fineRows(asset, day, grain as Grain)))
  }

  /** Returns the analytics of a day in the legacy interface: at the finest grain, by local time without offset. */
  legacyDay(asset: string, day: number) {
    const series = this.series(asset, day, day, this.state.finestGrain(asset, day, day))
    if (series === NO_GRAIN) return series
    const data = series.data.map(({ start, impressions }) => ({ time: start.slice(11, 16), impressions }))
    return { ...series, data }
  }

  private startOf(asset: string, day: number): string {
    const calendar = this.state.calendar(asset)
    return calendar.format(calendar.start(day))
  }

  private fineRows(asset: string, day: number, grain: Grain) {
    const calendar = this.state.calendar(asset)
    const starts = calendar.starts(day, grain)
    const rows = starts.map(() => ({ sum: 0, observed: 0, expected: 0 }))
    let index = 0
    const rowOf = (at: number) => {
      if (starts[index]! > at) index = 0
      while (index + 1 < starts.length && starts[index + 1]! <= at) index++
      return rows[index]!
    }
    for (const { at } of this.state.expectedOn(asset, day)) rowOf(at).expected++
    for (const { at, value } of this.state.countsOn(asset, day)) {
      rowOf(at).sum += value
      rowOf(at).observed++
    }
    return rows.map(({ sum, observed, expected }, i) => ({
      start: calendar.format(starts[i]!),
      impressions: observed > 0 ? sum : null,
      coverage: coverageOf(observed, expected),
    }))
  }

  summary(asset: string, first: number, last: number) {
    const { data, total, average } = this.daily(asset, first, last)
    const measured = data.filter(({ impressions }) => impressions !== null)
    const busiest = [...measured].sort((a, b) => b.impressions! - a.impressions! || (a.date < b.date ? -1 : 1))[0]
    const row = {
      from_date: dateOf(first),
      to_date: dateOf(last),
      days: data.length,
      days_with_data: measured.length,
      impressions: total,
      average_daily_impressions: average,
      busiest_date: busiest?.date ?? null,
      busiest_date_impressions: busiest?.impressions ?? null,
      coverage: this.bucket([asset], days(first, last)).coverage,
    }
    return { data: [row], total, average }
  }

  profile(asset: string, first: number, last: number, seconds?: number) {
    if (isFiner('hour', this.state.finestGrain(asset, first, last))) return NO_GRAIN
    const calendar = this.state.calendar(asset)
    const slots = Array.from({ length: 168 }, () => ({ sum: 0, hours: 0 }))
    let [total, observed] = [0, 0]
    for (const day of days(first, last)) {
      const starts = calendar.starts(day, 'hour')
      this.fineRows(asset, day, 'hour').forEach(({ impressions }, i) => {
        if (impressions === null) return
        const slot = slots[calendar.hourOfWeek(starts[i]!)]!
        slot.sum += impressions
        slot.hours++
        total += impressions
        observed++
      })
    }
    const averages = slots.map(({ sum, hours }) => (hours === 0 ? 0 : sum / hours))
    const all = sum(averages)
    const data = slots.map(({ sum, hours }, i) => {
      const average = hours === 0 ? null : round(sum / hours, 2)
      return {
        weekday: Math.floor(i / 24) + 1,
        hour: i % 24,
        average_impressions: average,
        hours_observed: hours,
        share: ratio(averages[i]!, all, 4),
        ...(seconds !== undefined && { audience: average === null ? null : round((average * seconds) / 3600, 4) }),
      }
    })
    return { data, total, average: ratio(total, observed, 2) }
  }

  homes(asset: string, first: number, last: number, by: 'region' | 'city') {
    const sums = new Map<string, number>()
    let measured = 0
    for (const day of days(first, last)) {
      const values = this.state.facts.origins.get(assetDay(asset, day))
      if (values && values.size > 0) measured++
      for (const [place, value] of values ?? []) {
        const name = by === 'city' ? place : place.split('|').slice(0, 2).join('|')
        sums.set(name, (sums.get(name) ?? 0) + value)
      }
    }
    const total = sum([...sums.values()])
    const data = [...sums]
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .map(([place, impressions]) => {
        const [country, region, city] = place.split('|')
        return { country, region, ...(by === 'city' && { city }), impressions, share: ratio(impressions, total, 4) }
      })
    return { data, total, average: ratio(total, measured, 2) }
  }

  demographics(assets: readonly string[], first: number, last: number) {
    const sums = new Map<string, number>()
    const measured = new Set<string>()
    for (const asset of assets) {
      for (const day of days(first, last)) {
        const values = this.state.facts.demographics.get(assetDay(asset, day))
        if (values && values.size > 0) measured.add(asset)
        for (const [group, value] of values ?? []) sums.set(group, (sums.get(group) ?? 0) + value)
      }
    }
    const total = sum([...sums.values()])
    const suppressed = total < 50
    const part = (isIn: (gender: string, age: string) => boolean) => {
      const impressions = sum(
        [...sums].map(([group, value]) => (isIn(...(group.split('|') as [string, string])) ? value : 0)),
      )
      return { impressions, share: ratio(impressions, total, 4) }
    }
    const listed = <Each>(list: Each[]) => (suppressed ? [] : list)
    return {
      ...{ from_date: dateOf(first), to_date: dateOf(last), total, suppressed },
      gender: listed(GENDERS.map(gender => ({ gender, ...part(each => each === gender) }))),
      age: listed(AGES.map(age_band => ({ age_band, ...part((_, age) => age === age_band) }))),
      age_gender: listed(
        AGES.flatMap(age_band =>
          GENDERS.map(gender => ({ age_band, gender, ...part((one, age) => one === gender && age === age_band) })),
        ),
      ),
      asset_count: measured.size,
    }
  }

  aggregate(assets: readonly Asset[], first: number, last: number, grain: Bucket, groupBy?: Exclude<GroupBy, 'asset'>) {
    const fields = (asset: Asset) =>
      (groupBy ? GROUP_FIELDS[groupBy] : []).map(name => [
        name,
        name === 'media_type' ? 'digital' : asset[name as 'city'],
      ])
    const groups = new Map<string, { fields: string[][]; ids: string[] }>()
    if (!groupBy) groups.set('[]', { fields: [], ids: [] })
    for (const asset of assets) {
      const name = JSON.stringify(fields(asset))
      const found = groups.get(name) ?? { fields: fields(asset) as string[][], ids: [] }
      found.ids.push(asset.id)
      groups.set(name, found)
    }
    const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
    const rows = group(days(first, last), day => periodOf(day, grain)).flatMap(range =>
      sorted.map(({ fields, ids }) => {
        const { impressions, with_data, coverage } = this.bucket(ids, range)
        return {
          start: dateOf(range[0]!),
          ...Object.fromEntries(fields),
          impressions,
          assets_with_data: with_data,
          coverage,
        }
      }),
    )
    return { ...withTotal(rows), asset_count: assets.length }
  }

  byAsset(assets: readonly Asset[], first: number, last: number) {
    const rows = assets.map(({ id }) => {
      const bucket = this.bucket([id], days(first, last))
      const { impressions, with_data, coverage } = bucket
      return { asset_id: id, impressions, assets_with_data: with_data, days_with_data: bucket.days, coverage }
    })
    rows.sort((a, b) => (b.impressions ?? -1) - (a.impressions ?? -1) || (a.asset_id < b.asset_id ? -1 : 1))
    return { ...withTotal(rows), asset_count: assets.length }
  }
}

/** Returns whether a grain is finer than another one. */
function isFiner(grain: Grain, other: Grain): boolean {
  const order: Grain[] = ['minute', 'quarter_hour', 'hour', 'day']
  return order.indexOf(grain) < order.indexOf(other)
}

/** Returns runs of neighbours with the same key. */
function group<Each>(list: readonly Each[], keyOf: (each: Each) => unknown): Each[][] {
  const groups: Each[][] = []
  for (const [i, each] of list.entries()) {
    if (i > 0 && keyOf(each) === keyOf(list[i - 1]!)) groups.at(-1)!.push(each)
    else groups.push([each])
  }
  return groups
}
