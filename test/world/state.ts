/**
 * Keeps what the service has to know after the commands so far, as the contract says it: entities, installations, counts, what is set
 * aside, closed months and notes. Counts are kept one by one; everything that is shown is calculated from them.
 */
import { Calendar, GRAINS, type Grain, type Shift } from './calendar'

export interface Company {
  id: string
  name: string
  /** The last final day, after each close. */
  closed: number[]
}

export interface Asset {
  id: string
  company: string
  legacyId: number | null
  zone: string
  country: string
  region: string
  city: string
  format: string
  /** Zones that were corrected since. */
  former: string[]
}

export interface Installation {
  asset: string
  from: number
  to: number | null
}

export interface Sensor {
  id: string
  serial: string
  grain: Grain
  installations: Installation[]
}

/** A count of one native interval. A daily count has the asset and date that it belongs to. */
export interface Count {
  serial: string
  at: number
  asset: string
  day: number
  value: number
  /** The stretch that is set aside with it. */
  aside: string | null
}

export interface Stretch {
  id: string
  serial: string
  from: number
  to: number
  text: string | null
}

export interface Note {
  id: string
  asset: string | null
  serial: string | null
  from: number
  to: number | null
  kind: string
  text: string
  internal: boolean
}

export type FactKind = 'origins' | 'demographics'
export type Kind = 'impressions' | FactKind

export const KINDS: Kind[] = ['impressions', 'origins', 'demographics']

/** The total of a local day, and its observed intervals (of impressions). */
export interface Total {
  total: number
  observed: number | null
}

/** `asset day` */
export type AssetDay = string

export const assetDay = (asset: string, day: number): AssetDay => `${asset} ${day}`

/** A command that the contract refuses. */
export class Refusal extends Error {}

export class State {
  companies = new Map<string, Company>()
  assets = new Map<string, Asset>()
  sensors = new Map<string, Sensor>()
  counts = new Map<string, Count>()
  stretches = new Map<string, Stretch>()
  notes = new Map<string, Note>()
  /** Values by place or group, by asset and day. */
  facts: Record<FactKind, Map<AssetDay, Map<string, number>>> = { origins: new Map(), demographics: new Map() }
  /** Rules in force that are not those of Node, by zone. */
  shifts = new Map<string, Shift>()
  private cached: Record<Kind, Map<AssetDay, Total>> | undefined
  private byDay: Map<AssetDay, Count[]> | undefined

  copy(): State {
    return Object.assign(new State(), structuredClone({ ...this, cached: undefined, byDay: undefined }))
  }

  calendar(asset: string): Calendar {
    const { zone } = this.assets.get(asset)!
    return Calendar.of(zone, this.shifts.get(zone))
  }

  sensor(serial: string): Sensor {
    return this.sensors.get(serial)!
  }

  /** Returns the installations of all sensors on an asset. */
  installationsOn(asset: string): { sensor: Sensor; from: number; to: number }[] {
    return [...this.sensors.values()].flatMap(sensor =>
      sensor.installations
        .filter(each => each.asset === asset)
        .map(({ from, to }) => ({ sensor, from, to: to ?? Number.POSITIVE_INFINITY })),
    )
  }

  /** Returns the sensors that are on an asset now, by id. */
  installedOn(asset: string, now: number): Sensor[] {
    return this.installationsOn(asset)
      .filter(({ from, to }) => from <= now && to > now)
      .map(({ sensor }) => sensor)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Returns whether the company of an asset has a sensor now, or had it last: it knows the serial. */
  isShown(serial: string, asset: string): boolean {
    const last = this.sensor(serial).installations.at(-1)!
    return this.assets.get(last.asset)!.company === this.assets.get(asset)!.company
  }

  installationAt(serial: string, instant: number): Installation | undefined {
    return this.sensor(serial).installations.find(({ from, to }) => from <= instant && (to === null || instant < to))
  }

  /** Returns the count that begins at an instant, without a value; undefined where the sensor is on no asset, or no interval begins. */
  place(serial: string, at: number): Omit<Count, 'value' | 'aside'> | undefined {
    const installation = this.installationAt(serial, at)
    if (!installation) return undefined
    const { asset } = installation
    const calendar = this.calendar(asset)
    return calendar.isStart(at, this.sensor(serial).grain) ? { serial, at, asset, day: calendar.day(at) } : undefined
  }

  /** Returns the assets on which a sensor has a whole daily interval of a date. */
  assetsOfDay(serial: string, day: number): string[] {
    const starts = this.sensor(serial).installations.flatMap(({ asset, from, to }) => {
      const start = this.calendar(asset).start(day)
      return from <= start && (to === null || start < to) ? [asset] : []
    })
    return [...new Set(starts)]
  }

  /** Returns on how many assets a sensor was at some time of a local date. */
  assetsTouched(serial: string, day: number): number {
    const found = this.sensor(serial).installations.flatMap(({ asset, from, to }) => {
      const calendar = this.calendar(asset)
      return from < calendar.end(day) && (to === null || to > calendar.start(day)) ? [asset] : []
    })
    return new Set(found).size
  }

  countAt(serial: string, at: number): Count | undefined {
    return this.counts.get(`${serial} ${at}`)
  }

  /** Stores or erases a count. Where its interval is set aside, so is the count. */
  setCount(serial: string, at: number, value: number | undefined): void {
    const place = this.place(serial, at)
    if (!place) throw new Refusal(`no interval of ${serial} begins at ${at}`)
    const key = `${serial} ${at}`
    const aside = this.counts.get(key)?.aside ?? this.stretchAt(serial, at)?.id ?? null
    if (value === undefined) this.counts.delete(key)
    else this.counts.set(key, { ...place, value, aside })
    this.changed()
  }

  stretchAt(serial: string, at: number): Stretch | undefined {
    return [...this.stretches.values()].find(each => each.serial === serial && each.from <= at && at < each.to)
  }

  /** Finds the places of all counts again, after a correction of installations or zones. No two may meet, and none may be lost. */
  relocate(): void {
    const moved = new Map<string, Count>()
    for (const count of this.counts.values()) {
      const { serial, asset, day } = count
      let at = count.at
      if (this.sensor(serial).grain === 'day') {
        const distance = (id: string) => (id === asset ? -1 : Math.abs(this.calendar(id).start(day) - count.at))
        const [owner] = this.assetsOfDay(serial, day).sort((a, b) => distance(a) - distance(b))
        if (owner === undefined) throw new Refusal(`the count of ${serial} on ${day} has no asset`)
        at = this.calendar(owner).start(day)
      }
      const place = this.place(serial, at)
      if (!place) throw new Refusal(`the count of ${serial} at ${at} has no interval`)
      const key = `${serial} ${at}`
      if (moved.has(key)) throw new Refusal(`two counts of ${serial} meet at ${at}`)
      moved.set(key, { ...count, ...place })
    }
    this.counts = moved
    this.changed()
  }

  changed(): void {
    this.cached = undefined
    this.byDay = undefined
  }

  /** Returns the totals of local days, by kind, asset and day. */
  totals(): Record<Kind, Map<AssetDay, Total>> {
    if (this.cached) return this.cached
    const impressions = new Map<AssetDay, Total>()
    for (const { asset, day, value, aside } of this.counts.values()) {
      if (aside !== null) continue
      const { total, observed } = impressions.get(assetDay(asset, day)) ?? { total: 0, observed: 0 }
      impressions.set(assetDay(asset, day), { total: total + value, observed: observed! + 1 })
    }
    const sums = (facts: Map<AssetDay, Map<string, number>>) => {
      const measured = [...facts].filter(([, values]) => values.size > 0)
      const total = (values: Map<string, number>): Total => ({
        total: [...values.values()].reduce((a, b) => a + b),
        observed: null,
      })
      return new Map(measured.map(([day, values]) => [day, total(values)] as const))
    }
    this.cached = { impressions, origins: sums(this.facts.origins), demographics: sums(this.facts.demographics) }
    return this.cached
  }

  /** Returns the counts of an asset on a local day that are in its numbers. */
  countsOn(asset: string, day: number): readonly Count[] {
    if (!this.byDay) {
      this.byDay = new Map()
      for (const count of this.counts.values()) {
        if (count.aside !== null) continue
        const key = assetDay(count.asset, count.day)
        const others = this.byDay.get(key)
        if (others) others.push(count)
        else this.byDay.set(key, [count])
      }
    }
    return this.byDay.get(assetDay(asset, day)) ?? []
  }

  /** Returns the starts of the native intervals that are expected of each sensor on a local day of an asset. */
  expectedOn(asset: string, day: number): { sensor: Sensor; at: number; end: number }[] {
    const calendar = this.calendar(asset)
    const end = calendar.end(day)
    return this.installationsOn(asset).flatMap(({ sensor, from, to }) => {
      if (from >= end || to <= calendar.start(day)) return []
      const starts = calendar.starts(day, sensor.grain)
      return starts.flatMap((at, i) => (at >= from && at < to ? [{ sensor, at, end: starts[i + 1] ?? end }] : []))
    })
  }

  /** Returns the number of native intervals that are expected on a local day of an asset. */
  expectedCount(asset: string, day: number): number {
    const calendar = this.calendar(asset)
    const [begin, end] = [calendar.start(day), calendar.end(day)]
    return this.installationsOn(asset).reduce((count, { sensor, from, to }) => {
      if (from >= end || to <= begin) return count
      const starts = calendar.starts(day, sensor.grain)
      const isWhole = from <= begin && to >= end
      return count + (isWhole ? starts.length : starts.filter(at => at >= from && at < to).length)
    }, 0)
  }

  /** Returns the finest grain of an asset in a range of days. */
  finestGrain(asset: string, first: number, last: number): Grain {
    const calendar = this.calendar(asset)
    const [start, end] = [calendar.start(first), calendar.end(last)]
    const grains = this.installationsOn(asset)
      .filter(({ from, to }) => from < end && to > start)
      .map(({ sensor }) => GRAINS.indexOf(sensor.grain))
    return GRAINS[grains.length === 0 ? 1 : Math.max(...grains)]!
  }

  finalThrough(company: string): number | null {
    return this.companies.get(company)?.closed.at(-1) ?? null
  }

  isFinal(asset: string, day: number): boolean {
    const company = this.assets.get(asset)?.company
    const final = company === undefined ? null : this.finalThrough(company)
    return final !== null && day <= final
  }

  /** Applies a row of a file of sensors: from an instant on, the sensor is at an asset, or at none. */
  install(serial: string, asset: string | null, from: number, to: number | null = null): void {
    const sensor = this.sensor(serial)
    const present = this.installationAt(serial, from)
    if ((present?.asset ?? null) === asset && (asset === null || to === null)) return
    const kept = sensor.installations
      .filter(each => each.from < from)
      .map((each): Installation => ({ ...each, to: each.to === null || each.to > from ? from : each.to }))
    const last = kept.at(-1)
    if (asset !== null && last?.asset === asset && last.to === from) kept.splice(-1, 1, { ...last, to })
    else if (asset !== null) kept.push({ asset, from, to })
    sensor.installations = kept
    this.relocate()
  }

  correctZone(id: string, zone: string): void {
    const asset = this.assets.get(id)!
    if (asset.zone === zone) return
    asset.former = [...asset.former, asset.zone]
    asset.zone = zone
    this.relocate()
  }

  setAside(id: string, serial: string, from: number, to: number, text: string | null): void {
    const others = [...this.stretches.values()].filter(each => each.serial === serial)
    if (others.some(each => each.from < to && from < each.to)) throw new Refusal('set aside already')
    if (this.sensor(serial).installations.length === 0) throw new Refusal('on no asset')
    for (const count of this.counts.values()) {
      if (count.serial === serial && count.aside === null && count.at >= from && count.at < to) count.aside = id
    }
    this.stretches.set(id, { id, serial, from, to, text })
    this.changed()
  }

  renameStretch(former: string, id: string): void {
    const stretch = this.stretches.get(former)!
    this.stretches.delete(former)
    this.stretches.set(id, { ...stretch, id })
    for (const count of this.counts.values()) if (count.aside === former) count.aside = id
  }

  restore(id: string): void {
    for (const count of this.counts.values()) if (count.aside === id) count.aside = null
    this.stretches.delete(id)
    this.changed()
  }

  forgetCounts(isGone: (count: Count) => boolean): void {
    for (const [key, count] of this.counts) if (isGone(count)) this.counts.delete(key)
    this.changed()
  }

  forgetFacts(kind: FactKind, isGone: (asset: string, day: number) => boolean): void {
    for (const key of this.facts[kind].keys()) {
      const [asset, day] = key.split(' ') as [string, string]
      if (isGone(asset, Number(day))) this.facts[kind].delete(key)
    }
    this.changed()
  }

  /** Deletes an asset with all that it has; its sensors stay. */
  forgetAsset(id: string): void {
    this.forgetCounts(({ asset }) => asset === id)
    for (const kind of ['origins', 'demographics'] as const) this.forgetFacts(kind, asset => asset === id)
    for (const sensor of this.sensors.values()) {
      sensor.installations = sensor.installations.filter(({ asset }) => asset !== id)
    }
    for (const [key, note] of this.notes) if (note.asset === id) this.notes.delete(key)
    this.assets.delete(id)
  }

  /** Deletes a sensor with its counts. */
  forgetSensor(serial: string): void {
    this.forgetCounts(count => count.serial === serial)
    for (const [key, note] of this.notes) if (note.serial === serial) this.notes.delete(key)
    for (const [key, stretch] of this.stretches) if (stretch.serial === serial) this.stretches.delete(key)
    this.sensors.delete(serial)
  }

  /** Deletes a company with its assets, and the sensors that were on no other company's assets. */
  forgetCompany(id: string): void {
    const gone = [...this.assets.values()].filter(({ company }) => company === id).map(asset => asset.id)
    const owned = [...this.sensors.values()].filter(
      ({ installations }) => installations.length > 0 && installations.every(({ asset }) => gone.includes(asset)),
    )
    for (const asset of gone) this.forgetAsset(asset)
    for (const { serial } of owned) this.forgetSensor(serial)
    this.companies.delete(id)
  }

  /** Deletes all facts of local days before a day. */
  retain(first: number): void {
    this.forgetCounts(({ day }) => day < first)
    for (const kind of ['origins', 'demographics'] as const) this.forgetFacts(kind, (_, day) => day < first)
  }
}

/** Returns the days whose total or observed intervals differ between two states. */
export function changedDays(
  before: State,
  after: State,
): { kind: Kind; asset: string; day: number; old: Total | undefined; new: Total | undefined }[] {
  return KINDS.flatMap(kind => {
    const [old, now] = [before.totals()[kind], after.totals()[kind]]
    return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap(key => {
      const [asset, day] = key.split(' ') as [string, string]
      const [one, other] = [old.get(key), now.get(key)]
      if (one?.total === other?.total && one?.observed === other?.observed) return []
      return [{ kind, asset, day: Number(day), old: one, new: other }]
    })
  })
}
