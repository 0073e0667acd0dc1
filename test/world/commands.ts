/** The commands of histories: each runs on the service, and says what it does to the state. */
import { dateOf, type Grain, isoOf } from './calendar'
import { type Change, type History, type Said, VENDORS } from './history'
import { type Asset, assetDay, type FactKind, type Note, Refusal, type Sensor, type State } from './state'

export interface Cell {
  serial: string
  at: number
  /** Undefined erases the count. */
  value: number | undefined
}

export interface Fact {
  day: number
  /** `country|region|city` or `gender|age_band` */
  name: string
  value: number | undefined
}

export class Commands {
  constructor(protected readonly history: History) {}

  get state(): State {
    return this.history.state
  }

  protected apply(change: Change): ReturnType<History['change']> {
    return this.history.change(change)
  }

  // Entities

  async addAssets(assets: readonly Asset[]): Promise<void> {
    const rows = assets.map(
      ({ id, company, legacyId, format, city, region, country, zone }) =>
        `${id},${company},${legacyId},${id},digital,${format},52,13,${city},${region},${country},${zone}`,
    )
    const header = 'id,company_id,legacy_id,name,media_type,format,latitude,longitude,city,region,country,time_zone'
    await this.history.change({
      args: ['import', 'assets', '-'],
      input: [header, ...rows].join('\n'),
      effect: state => {
        for (const asset of assets) state.assets.set(asset.id, asset)
      },
    })
  }

  async addSensors(sensors: readonly Sensor[]): Promise<void> {
    const rows = sensors.map(
      ({ id, serial, grain, installations: [first] }) =>
        `${id},${serial},m,${VENDORS[grain]},${first!.asset},${isoOf(first!.from)}`,
    )
    await this.history.change({
      args: ['import', 'sensors', '-'],
      input: ['id,serial,model,vendor_id,asset_id,installed_at', ...rows].join('\n'),
      effect: state => {
        for (const sensor of sensors) state.sensors.set(sensor.serial, structuredClone(sensor))
      },
      reason: 'move',
    })
  }

  setAttributes(id: string, [country, region, city]: readonly [string, string, string]) {
    return this.apply({
      args: ['import', 'assets', '-'],
      input: `id,country,region,city\n${id},${country},${region},${city}`,
      effect: state => {
        Object.assign(state.assets.get(id)!, { country, region, city })
      },
      reason: 'import',
    })
  }

  /** Sets the clock of commits, and imports an asset with another city. @param seconds by which it is ahead of the present */
  setClock(seconds: number): Promise<void> {
    const { id, city } = [...this.state.assets.values()][0]!
    const other = city.endsWith('*') ? city.slice(0, -1) : `${city}*`
    const change: Change = {
      args: ['import', 'assets', '-'],
      input: `id,city\n${id},${other}`,
      effect: state => {
        state.assets.get(id)!.city = other
      },
    }
    return this.history.setClock(seconds, () => this.history.change(change))
  }

  /** Runs a command that changes nothing of the state. */
  runOther(args: string[], ...lines: string[]) {
    return this.apply({ args, input: lines.join('\n'), effect: () => {} })
  }

  // Installations and zones

  install(serial: string, asset: string | null, at: number, said: Said = {}) {
    return this.apply({
      args: ['import', 'sensors', '-'],
      input: `serial,asset_id,installed_at\n${serial},${asset ?? ''},${isoOf(at)}`,
      effect: state => state.install(serial, asset, at),
      reason: 'move',
      ...said,
    })
  }

  async correctZone(id: string, zone: string, said: Said = {}): Promise<boolean> {
    const { isDone } = await this.apply({
      args: ['import', 'assets', '-'],
      input: `id,time_zone\n${id},${zone}`,
      effect: state => state.correctZone(id, zone),
      reason: 'time_zone',
      ...said,
    })
    if (isDone) this.history.moved.add(id)
    return isDone
  }

  /** Puts the rules of Node in force, in all zones that have others. */
  async updateZones(said: Said = {}): Promise<boolean> {
    const moved = [...this.state.assets.values()].flatMap(({ id, zone }) => (this.state.shifts.has(zone) ? [id] : []))
    const { isDone } = await this.apply({
      args: ['zones', 'update'],
      effect: state => {
        state.shifts.clear()
        state.relocate()
      },
      reason: 'zone_rules',
      ...said,
    })
    if (isDone) for (const id of moved) this.history.moved.add(id)
    return isDone
  }

  // Counts and other facts

  importCounts(grain: Grain, cells: readonly Cell[], more: { erase?: boolean; extra?: string } & Said = {}) {
    const { erase = false, extra, ...said } = more
    const rows = cells.map(({ serial, at, value }) => `${serial},${this.startText(serial, at)},${value ?? ''}`)
    return this.apply({
      args: ['import', 'impressions', '-', '--interval', grain, ...(erase ? ['--erase'] : [])],
      input: ['sensor,start,impressions', ...rows, ...(extra === undefined ? [] : [extra])].join('\n'),
      effect: state => {
        if (extra !== undefined) throw new Refusal('a faulty row')
        for (const { serial, at, value } of cells) {
          if (value !== undefined || state.countAt(serial, at)) state.setCount(serial, at, value)
        }
      },
      reason: 'import',
      ...said,
    })
  }

  /** Returns the start of a count as a file has it. */
  private startText(serial: string, at: number): string {
    const place = this.state.place(serial, at)
    if (!place) return isoOf(at)
    // A date says too little where the sensor was on two assets on it.
    const isDate = this.state.sensor(serial).grain === 'day' && this.state.assetsTouched(serial, place.day) === 1
    if (isDate) return dateOf(place.day)
    return place.day % 2 ? isoOf(at) : this.state.calendar(place.asset).format(at)
  }

  deleteImpressions(serial: string, first: number, last: number, said: Said = {}) {
    return this.apply({
      args: ['delete', 'impressions', '--sensor', serial, '--from', dateOf(first), '--to', dateOf(last), '--yes'],
      effect: state => state.forgetCounts(count => count.serial === serial && count.day >= first && count.day <= last),
      reason: 'deletion',
      ...said,
    })
  }

  importFacts(kind: FactKind, id: string, facts: readonly Fact[], more: { erase?: boolean } & Said = {}) {
    const { erase = false, ...said } = more
    const columns = kind === 'origins' ? 'country,region,city' : 'gender,age_band'
    const rows = facts.map(({ day, name, value }) => `${id},${dateOf(day)},${name.replaceAll('|', ',')},${value ?? ''}`)
    return this.apply({
      args: ['import', kind, '-', ...(erase ? ['--erase'] : [])],
      input: [`asset_id,date,${columns},impressions`, ...rows].join('\n'),
      effect: state => {
        for (const { day, name, value } of facts) {
          const stored = state.facts[kind].get(assetDay(id, day)) ?? new Map<string, number>()
          if (value === undefined) stored.delete(name)
          else stored.set(name, value)
          state.facts[kind].set(assetDay(id, day), stored)
        }
        state.changed()
      },
      reason: 'import',
      ...said,
    })
  }

  deleteFacts(kind: FactKind, id: string, first: number, last: number, said: Said = {}) {
    return this.apply({
      args: ['delete', kind, '--asset', id, '--from', dateOf(first), '--to', dateOf(last), '--yes'],
      effect: state => state.forgetFacts(kind, (asset, day) => asset === id && day >= first && day <= last),
      reason: 'deletion',
      ...said,
    })
  }

  // Set aside, closed months, retention

  async setAside(serial: string, from: number, to: number, said: Said & { note: string }): Promise<boolean> {
    const { isDone, document } = await this.apply({
      args: ['set-aside', 'impressions', '--sensor', serial, '--from', isoOf(from), '--to', isoOf(to), '--yes'],
      effect: state => state.setAside('new', serial, from, to, said.isPublic ? said.note : null),
      reason: 'set_aside',
      ...said,
    })
    if (isDone) this.state.renameStretch('new', String(document.id))
    return isDone
  }

  restore(id: string, said: Said = {}) {
    return this.apply({
      args: ['restore', id, '--yes'],
      effect: state => state.restore(id),
      reason: 'restored',
      ...said,
    })
  }

  /** @param last the last day of the month */
  close(company: string, last: number) {
    return this.apply({
      args: ['close', dateOf(last).slice(0, 7), '--company', company, '--yes'],
      effect: state => {
        const { closed } = state.companies.get(company)!
        if (last > (closed.at(-1) ?? Number.NEGATIVE_INFINITY)) closed.push(last)
      },
    })
  }

  /** Takes back the last close. @param last the last day of the month, which has to be the last final one */
  undoClose(company: string, last: number) {
    return this.apply({
      args: ['close', dateOf(last).slice(0, 7), '--undo', '--company', company, '--yes'],
      effect: state => {
        const { closed } = state.companies.get(company)!
        if (closed.at(-1) !== last) throw new Refusal('not the last closed month')
        closed.pop()
      },
      note: 'undone',
    })
  }

  retain(months: number) {
    const now = new Date()
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1) / 86_400_000
    return this.history.change({
      args: ['retain', '--months', String(months), '--yes'],
      effect: state => state.retain(first),
      isBound: false,
      forgets: { entry: ({ day }) => day < first, state: state => state.retain(first) },
    })
  }

  // Deletions and notes

  deleteSensor(serial: string, said: Said = {}) {
    return this.apply({
      args: ['delete', 'sensors', serial, '--yes'],
      effect: state => state.forgetSensor(serial),
      reason: 'deletion',
      ...said,
    })
  }

  deleteAsset(id: string, said: Said = {}) {
    return this.apply({
      args: ['delete', 'assets', id, '--yes'],
      effect: state => state.forgetAsset(id),
      forgets: { entry: ({ asset }) => asset === id, state: state => state.forgetAsset(id) },
      ...said,
    })
  }

  /** Offboarding, which closed months do not stop. */
  deleteCompany(id: string) {
    const gone = [...this.state.assets.values()].flatMap(asset => (asset.company === id ? [asset.id] : []))
    return this.history.change({
      args: ['delete', 'companies', id, '--yes'],
      effect: state => state.forgetCompany(id),
      isBound: false,
      forgets: {
        entry: ({ asset }) => gone.includes(asset),
        state: state => {
          for (const asset of gone) if (state.assets.has(asset)) state.forgetAsset(asset)
        },
      },
    })
  }

  async addNote(note: Omit<Note, 'id'>): Promise<void> {
    const { asset, serial, from, to, kind, text, internal } = note
    const subject = asset === null ? ['--sensor', serial!] : ['--asset', asset]
    const { isDone, document } = await this.history.change({
      args: [
        ...['note', 'add', ...subject, '--from', dateOf(from), '--kind', kind, '--text', text],
        ...[...(to === null ? [] : ['--to', dateOf(to)]), ...(internal ? ['--internal'] : [])],
      ],
      effect: () => {},
    })
    const id = String(document.id)
    if (isDone) this.state.notes.set(id, { ...note, id })
  }

  removeNote(id: string) {
    return this.history.change({ args: ['note', 'remove', id], effect: state => void state.notes.delete(id) })
  }
}
