/** Imports files in the forms in which counts come, by the command, and reads what the service answers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NativeGrain } from '../../schema/generated'
import { settingsOf } from './databases'
import { run } from './in-process'
import { World } from './world'

/** `START=COUNT`, as the route of time series has them, by serial. */
export type Counts = Record<string, string[]>

export interface Form {
  /** By default hours, of S-1 in Europe/Berlin. */
  grain?: NativeGrain
  zone?: string
  sensors?: string[]
  /** The options of `import impressions`, as in a shell. */
  options: string
  /** The message without the further options; undefined if these options suffice. */
  refused?: RegExp
  /** The message about intervals that get no count. */
  named?: RegExp
  /** With these the counts are right. */
  further?: string
  /** Undefined if nothing can be stored. */
  right?: Counts
}

/** Returns counts of consecutive intervals; null for one without. */
export function series(start: string, minutes: number, ...counts: (number | null)[]): string[] {
  const [, offset = ''] = /([+-]\d\d:\d\d)$/.exec(start) ?? []
  const local = Date.parse(start.replace(offset, 'Z'))
  return counts.flatMap((count, i) => {
    if (count === null) return []
    return `${new Date(local + i * minutes * 60_000).toISOString().slice(0, 19)}${offset}=${count}`
  })
}

export class Forms {
  private readonly directory = mkdtempSync(join(tmpdir(), 'partner-metrics-forms-'))
  private readonly file = join(this.directory, 'counts.csv')

  private constructor(private readonly world: World) {}

  static async open(): Promise<Forms> {
    return new Forms(await World.open())
  }

  async close(): Promise<void> {
    await this.world.stop()
    rmSync(this.directory, { recursive: true })
  }

  /** Expects a file to be refused, or to be stored as is right, with its options and with each that a message proposes. */
  async check(text: string, form: Form): Promise<void> {
    const { options, refused, named = /^/, further, right } = form
    const read = await this.prepare(text, form)
    const { code, faults, stderr } = await this.import(options)
    if (!refused) {
      expect([code, faults, await read()]).toEqual([0, [], right])
      expect(stderr).toMatch(named)
      return
    }
    expect([code, await read()]).toEqual([1, {}])
    expect(stderr).toMatch(refused)
    for (const proposed of findProposed(stderr)) {
      const outcome = await this.import(`${options} ${proposed}`)
      expect([proposed, await read()]).toEqual([proposed, outcome.code === 0 ? right : {}])
      await this.world.rows('DELETE FROM sensor_days')
    }
    if (!further) return
    const outcome = await this.import(`${options} ${further}`)
    expect([outcome.code, outcome.faults, await read()]).toEqual([0, [], right])
  }

  /** Makes the sensors of a form and its file. @returns what reads the counts */
  async prepare(text: string, form: Partial<Form>): Promise<() => Promise<Counts>> {
    const { grain = 'hour', zone = 'Europe/Berlin', sensors = ['S-1'] } = form
    const { world } = this
    await world.clear()
    const company = await world.make.company()
    const assets = new Map<string, string>()
    for (const serial of sensors) {
      const asset = await world.make.asset({ company, name: serial, time_zone: zone })
      await world.make.sensor({ asset, serial, grain, installed_at: '2017-01-01T00:00:00Z' })
      assets.set(serial, asset.id)
    }
    const key = await world.make.key([company])
    writeFileSync(this.file, text)
    return () => this.read(grain, assets, key)
  }

  /** Runs `import impressions` with options that are written as in a shell. */
  async import(options: string) {
    const args = [...options.matchAll(/(?:'[^']*'|\S)+/g)].map(([text]) => text)
    // Quotes around a part of --map belong to the option: a shell has them in other quotes.
    const given = args.map((text, i) => (args[i - 1] === '--map' ? text : text.replaceAll("'", '')))
    const command = ['import', 'impressions', this.file, ...given]
    const { code, stdout, stderr } = await run([...command, '--json'], settingsOf(this.world.database))
    const document = JSON.parse(stdout)
    const faults: { reason: string }[] = document.files?.[0].faults ?? []
    return { code, document, faults: faults.map(({ reason }) => reason), stderr }
  }

  /** Returns what the route of time series answers. */
  private async read(grain: NativeGrain, assets: ReadonlyMap<string, string>, key: string): Promise<Counts> {
    const counts: Counts = {}
    const { rows } = await this.world.owner.query<{ from: string | null; to: string | null }>(
      'SELECT min(date)::text AS from, max(date)::text AS to FROM sensor_days',
    )
    const [{ from, to }] = rows as [(typeof rows)[0]]
    for (const [serial, asset] of from === null ? [] : assets) {
      const path = `/v1/partner/assets/${asset}/impressions/timeseries?grain=${grain}&from_date=${from}&to_date=${to}`
      const data: { start: string; impressions: number | null }[] = (await this.world.read(path, key)).data
      const found = data.filter(({ impressions }) => impressions !== null)
      if (found.length > 0) counts[serial] = found.map(({ start, impressions }) => `${start}=${impressions}`)
    }
    return counts
  }
}

const FLAGS = ['across', 'sum-to-grain', 'short-rows', 'wide', 'extend-installations']

/** Returns the options that a message names, of those by which rows are read; `--interval` says what they are. */
function findProposed(message: string): string[] {
  const found = [...message.matchAll(/--([a-z-]+)(?: ('[^']*'|"[^"]*"|[^\s,;:()]+))?/g)]
  return [
    ...new Set(found.map(([, name = '', value = '']) => (FLAGS.includes(name) ? `--${name}` : `--${name} ${value}`))),
  ].filter(option => !/^--(interval|skip-faulty) /.test(option))
}
