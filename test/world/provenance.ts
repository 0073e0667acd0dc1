/** Explanations of numbers: gaps, notes and restatements, as far as the contract decides them. */
import { dateOf, days } from './calendar'
import type { Entry, History } from './history'
import type { Sensor, State, Stretch } from './state'

export interface GapRow {
  asset_id: string
  sensor_id: string | null
  from: string
  to: string
  expected: number
  missing: number
  reason: string
}

/** Returns what is wrong with the gaps of an asset on a range of days, undefined if nothing is. */
export function findWrongGap(
  history: History,
  rows: readonly GapRow[],
  asset: string,
  [first, last]: readonly [number, number],
  companies: readonly string[],
): string | undefined {
  const { state } = history
  const calendar = state.calendar(asset)
  const wanted = gapsOf(history, asset, [first, last], companies)
  const free: [number, number][] = []
  const newest = new Map<string | null, GapRow>()
  let previous = ''
  for (const row of rows) {
    const [from, to] = [Date.parse(row.from) / 1000, Date.parse(row.to) / 1000]
    const show = JSON.stringify(row)
    if (row.from !== calendar.format(from) || row.to !== calendar.format(to)) return `${show} has another offset`
    const order = `${String(from).padStart(12, '0')} ${row.sensor_id ?? ''}`
    if (order < previous) return `${show} is out of order`
    previous = order
    const before = newest.get(row.sensor_id)
    if (before?.to === row.from && before.reason === row.reason) return `${show} continues the stretch before`
    newest.set(row.sensor_id, row)
    if (row.sensor_id === null) {
      if (row.reason !== 'no_sensor' || row.expected !== 0 || row.missing !== 0) return `${show} is without a sensor`
      free.push([from, to])
      continue
    }
    const mine = wanted.get(row.sensor_id) ?? []
    const inside = mine.filter(({ at }) => at >= from && at < to)
    if (inside.length !== row.missing || inside.length !== row.expected) {
      return `${show} has ${inside.length} intervals without a count`
    }
    if (inside[0]?.at !== from || inside.at(-1)?.end !== to) return `${show} does not begin and end with intervals`
    for (const gap of inside) {
      if (gap.isListed) return `${show} lists ${calendar.format(gap.at)} again`
      gap.isListed = true
      if (!gap.reasons.has(row.reason)) {
        return `${show}: at ${calendar.format(gap.at)} the reason is one of ${[...gap.reasons]}`
      }
    }
  }
  for (const [sensor, gaps] of wanted) {
    const missing = gaps.find(({ isListed }) => !isListed)
    if (missing) return `no gap has ${sensor} at ${calendar.format(missing.at)}`
  }
  const without = timesWithoutSensor(state, asset, first, last)
  const show = (times: [number, number][]) => times.map(each => each.map(at => calendar.format(at)).join('/')).join()
  return show(free) === show(without) ? undefined : `without a sensor: ${show(free)} instead of ${show(without)}`
}

interface Gap {
  at: number
  end: number
  /** The reasons that the contract allows. */
  reasons: Set<string>
  isListed: boolean
}

/** Returns the intervals without a count, by sensor. Newer counts on assets that a key does not read show it nothing. */
function gapsOf(
  history: History,
  asset: string,
  [first, last]: readonly [number, number],
  companies: readonly string[],
) {
  const { state, entries, moved } = history
  const fallen = new Set(
    entries
      .filter(each => each.asset === asset && (each.new?.observed ?? 0) < (each.old?.observed ?? 0))
      .map(({ day }) => day),
  )
  const isVisible = (id: string) => companies.includes(state.assets.get(id)!.company)
  const newest = new Map<Sensor, { delivered: number; aside: number }>()
  for (const { serial, asset: id, at, aside } of state.counts.values()) {
    if (!isVisible(id)) continue
    const sensor = state.sensor(serial)
    const found = newest.get(sensor) ?? { delivered: Number.NEGATIVE_INFINITY, aside: Number.NEGATIVE_INFINITY }
    if (aside === null) found.delivered = Math.max(found.delivered, at)
    else found.aside = Math.max(found.aside, at)
    newest.set(sensor, found)
  }
  const found = new Map<string, Gap[]>()
  for (const day of days(first, last)) {
    for (const { sensor, at, end } of state.expectedOn(asset, day)) {
      const count = state.countAt(sensor.serial, at)
      if (count && count.aside === null) continue
      const { delivered, aside } = newest.get(sensor) ?? { delivered: -1, aside: -1 }
      const reasons = new Set([count ? 'set_aside' : delivered > at ? 'unknown' : 'not_delivered'])
      if (!count) {
        if (aside > at) reasons.add('unknown')
        if (fallen.has(day) || moved.has(asset)) reasons.add('erased')
        if (state.stretchAt(sensor.serial, at)) reasons.add('set_aside')
      }
      const gaps = found.get(sensor.id) ?? []
      gaps.push({ at, end, reasons, isListed: false })
      found.set(sensor.id, gaps)
    }
  }
  for (const gaps of found.values()) gaps.sort((a, b) => a.at - b.at)
  return found
}

/** Returns the times of a range that no interval covers which is expected of a sensor. */
function timesWithoutSensor(state: State, asset: string, first: number, last: number): [number, number][] {
  const calendar = state.calendar(asset)
  const [begin, end] = [calendar.start(first), calendar.end(last)]
  const covered = days(first, last)
    .flatMap(day => state.expectedOn(asset, day))
    .sort((a, b) => a.at - b.at)
  const free: [number, number][] = []
  let until = begin
  for (const each of covered) {
    if (each.at > until) free.push([until, each.at])
    until = Math.max(until, each.end)
  }
  if (until < end) free.push([until, end])
  return free
}

/** Returns the id of a sensor that is on an asset of a company now; others are not named to it. */
function namedTo(state: State, serial: string, company: string, now: number): string | null {
  const asset = state.installationAt(serial, now)?.asset
  return asset !== undefined && state.assets.get(asset)?.company === company ? state.sensor(serial).id : null
}

export interface NoteRow {
  id: string
  asset_id: string
  sensor_id: string | null
  from: string
  to: string | null
  kind: string
  text: string
}

/** Returns the rows of /notes, without those of restatements, and without the ids of what is set aside. */
export function notesOf(state: State, companies: readonly string[], first: number, last: number): NoteRow[] {
  const now = Date.now() / 1000
  const visible = [...state.assets.values()].filter(({ company }) => companies.includes(company))
  return visible.flatMap(({ id: asset, company }) => {
    const calendar = state.calendar(asset)
    const isHere = (serial: string, from: number, to: number) =>
      state
        .installationsOn(asset)
        .some(each => each.sensor.serial === serial && each.from < calendar.end(to) && each.to > calendar.start(from))
    const notes = [...state.notes.values()].flatMap((note): NoteRow[] => {
      if (note.internal || note.from > last || (note.to ?? last) < first) return []
      const { id, serial, kind, text } = note
      const [from, to] = [Math.max(note.from, first), Math.min(note.to ?? last, last)]
      if (serial === null ? note.asset !== asset : !isHere(serial, from, to)) return []
      const sensor_id = serial === null ? null : namedTo(state, serial, company, now)
      const dates = { from: dateOf(note.from), to: note.to === null ? null : dateOf(note.to) }
      return [{ id, asset_id: asset, sensor_id, ...dates, kind, text }]
    })
    const unusable = [...state.stretches.values()].flatMap((stretch): NoteRow[] => {
      const touched = daysTouched(state, stretch, asset)
      if (!touched || touched[0] > last || touched[1] < first) return []
      const sensor_id = namedTo(state, stretch.serial, company, now)
      const [from, to] = touched.map(dateOf) as [string, string]
      return [{ id: '', asset_id: asset, sensor_id, from, to, kind: 'unusable', text: stretch.text ?? 'Set aside.' }]
    })
    return [...notes, ...unusable]
  })
}

/** Returns the first and last local day that a stretch touches at an asset. */
function daysTouched(state: State, { serial, from, to }: Stretch, asset: string): [number, number] | undefined {
  const calendar = state.calendar(asset)
  const spans = state
    .installationsOn(asset)
    .filter(each => each.sensor.serial === serial && each.from < to && each.to > from)
    .map(each => [Math.max(each.from, from), Math.min(each.to, to)] as const)
  if (spans.length === 0) return undefined
  const end = Math.max(...spans.map(([, end]) => end))
  return [calendar.day(Math.min(...spans.map(([start]) => start))), calendar.day(end - 1)]
}

/** Returns a row of /restatements without its instant. */
export const restatementOf = ({ kind, asset, day, old, new: now, reason, note, isPublic, final }: Entry) => ({
  asset_id: asset,
  kind,
  date: dateOf(day),
  previous: old?.total ?? null,
  current: now?.total ?? null,
  previous_intervals: old?.observed ?? null,
  current_intervals: now?.observed ?? null,
  reason,
  note: isPublic ? note : null,
  final,
})
