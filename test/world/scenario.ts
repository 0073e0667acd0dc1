/** A small history that is written down: two assets of one company, one of another, and commands with everything compared after each. */

import { dayOf, type Grain } from './calendar'
import { Checks } from './checks'
import { Commands } from './commands'
import { type Change, History, KEYS, type Said } from './history'
import { Random } from './random'

/** The days of scenarios. The clocks of most zones change in between. */
const DAYS: [number, number] = [dayOf('2025-03-24'), dayOf('2025-04-14')]

export class Scenario extends Commands {
  private constructor(
    history: History,
    private readonly checks: Checks,
  ) {
    super(history)
  }

  /** Plays a history with assets in these zones, `A` and `B` of one company, `C` of another. */
  static async play(
    zones: Record<string, string>,
    lines: (scenario: Scenario) => Promise<unknown>,
    shifts?: Parameters<typeof History.open>[0],
  ): Promise<void> {
    const history = await History.open(shifts)
    try {
      const scenario = new Scenario(history, new Checks(history, new Random(1), DAYS))
      const place = { country: 'DE', region: 'DE-BE', city: 'Berlin', format: 'billboard', former: [] }
      await scenario.addAssets(
        Object.entries(zones).map(([name, zone], i) => {
          const company = name === 'C' ? KEYS.both[1] : KEYS.both[0]
          return { id: `asset00000${name.toLowerCase()}`, company, legacyId: i + 1, zone, ...place }
        }),
      )
      await lines(scenario)
      await scenario.checks.runAll()
    } catch (error) {
      ;(error as Error).message += `\n${history.script.join('\n')}`
      throw error
    } finally {
      await history.close()
    }
  }

  protected override async apply(change: Change): ReturnType<History['change']> {
    if (change.args[0] !== 'note') {
      await this.history.change({ ...change, args: [...change.args, '--dry-run'] })
    }
    this.history.step++
    const result = await this.history.change(change)
    await this.history.remember()
    // The next check shows that a refused command has changed nothing.
    if (result.isDone) await this.checks.run(8)
    return result
  }

  asset = (name: string): string => `asset00000${name.toLowerCase()}`

  /** Installs a sensor on an asset, from a local date on. */
  sensor(serial: string, grain: Grain, asset: string, date = '2025-03-01'): Promise<void> {
    const from = this.state.calendar(this.asset(asset)).start(dayOf(date))
    return this.addSensors([
      {
        id: `sensor0000${serial.toLowerCase()}`,
        serial,
        grain,
        installations: [{ asset: this.asset(asset), from, to: null }],
      },
    ])
  }

  /** Imports counts of an asset by local time: `2025-04-06` or `2025-04-06 10:00`. */
  counts(
    serial: string,
    asset: string,
    counts: Record<string, number | undefined>,
    said: Said & { erase?: boolean } = {},
  ) {
    const cells = Object.entries(counts).map(([time, value]) => ({ serial, at: this.at(asset, time), value }))
    return this.importCounts(this.state.sensor(serial).grain, cells, said)
  }

  /** Moves a sensor to an asset, or to none, at a local time of an asset. */
  move(serial: string, to: string | null, of: string, time: string, said: Said = {}) {
    return this.install(serial, to === null ? null : this.asset(to), this.at(of, time), said)
  }

  /** Returns the first instant at which the clock of an asset shows a time. */
  at(asset: string, time: string): number {
    const [date, clock = '00:00'] = time.split(' ') as [string, string?]
    const calendar = this.state.calendar(this.asset(asset))
    const [hour, minute] = clock.split(':').map(Number) as [number, number]
    const start = calendar.start(dayOf(date))
    const wanted = dayOf(date) * 86_400 + hour * 3600 + minute * 60
    let at = start
    while (at + calendar.offset(at) < wanted) at += 60
    return at
  }
}
