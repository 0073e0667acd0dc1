/** The options of the command line, and the sizes of each mode. */
import { parseArgs } from 'node:util'
import type { Size } from './data/population'
import type { OverloadTiming } from './load/overload'
import type { ComparisonTiming } from './measure/comparison'
import type { GrowthSize } from './measure/growth'
import type { ServingSize } from './measure/import-while-serving'
import type { NetworkSize } from './measure/network'
import { TARGETS, type TargetName } from './servers/targets'

export const USAGE = `npm run bench -- [options]

  --quick              compare the service with the floor and Fastify on little data, in about four minutes; writes no report
  --check              run every mode in its shortest form, to see that all of them work; writes no report
  --profile            print where the service spends its CPU time, route by route; writes no report
  --load               response times under attacks, and the throughput of an analyst beside a partner; writes no report
  --network            questions about a network of 5,000 assets; writes no report
  --workers N          CPU time per request in one process and in N workers; writes no report
  --only TEXT          only routes whose name contains TEXT; writes no report
  --targets A,B        of ${TARGETS.join(', ')}; the service is always included; writes no report
  --connections N      instead of 32, 1 and 256
  --rounds N           rounds of each target
  --seconds N          length of a round, a profile or an attack
  --assets N           number of assets
  --import N           millions of rows that are imported`

const MODES = ['quick', 'check', 'profile', 'load', 'network', 'workers'] as const

/** Everything is measured and reported, unless routes or targets are left out. */
export type Mode = (typeof MODES)[number] | 'report' | 'compare'

export interface Options {
  mode: Mode
  only: string
  targets: readonly TargetName[]
  size: Size
  comparison: ComparisonTiming
  growth: GrowthSize
  network: NetworkSize
  importMillions: number
  serving: ServingSize
  /** Whether a start that loads the demo data is measured, too. */
  demo: boolean
  overload: OverloadTiming
  profileSeconds: number
  /** The processes that are compared with a single one. */
  workers: number
}

type Preset = Omit<Options, 'mode' | 'only'>

const LONG_DAYS = 1826

const sizeOf = (assets: number, longAssets: number): Size => ({ assets, days: 90, longAssets, longDays: LONG_DAYS })

const FULL: Preset = {
  targets: TARGETS,
  size: sizeOf(10_000, 60),
  comparison: { connections: [32, 1, 256], rounds: 3, seconds: 0.7, warmUp: { all: 10, each: 3, round: 0.1 } },
  growth: {
    sizes: {
      '100 × 90 days': { assets: 100, days: 90 },
      '1,000 × 90 days': { assets: 1_000, days: 90 },
      '100 × 5 years': { assets: 100, days: LONG_DAYS },
    },
    rounds: 5,
    seconds: 0.4,
    warmUp: 2,
  },
  network: { assets: 10_000, months: 12, repetitions: 9 },
  // About a month of minutes of two hundred sensors.
  importMillions: 10,
  // Ends before the clocks change in Europe: a file of local times would have to say which of the repeated hours it has.
  serving: { assets: 200, days: 24, windowSeconds: 2 },
  demo: true,
  overload: { warmUp: 3, calm: 4, attack: 8 },
  profileSeconds: 2,
  workers: 2,
}

const QUICK: Preset = {
  ...FULL,
  targets: ['service', 'floor', 'fastify'],
  size: sizeOf(300, 10),
  comparison: { connections: [32], rounds: 2, seconds: 0.4, warmUp: { all: 5, each: 1, round: 0.1 } },
}

/** A worker gets only a part of the requests, so its code takes longer to be compiled. */
const WORKERS: Preset = {
  ...QUICK,
  comparison: { connections: [32], rounds: 3, seconds: 1, warmUp: { all: 10, each: 2, round: 0.1 } },
}

/** The figures mean nothing: only whether everything runs is of interest. */
const CHECK: Preset = {
  targets: TARGETS,
  size: sizeOf(12, 1),
  comparison: { connections: [4, 1], rounds: 1, seconds: 0.02, warmUp: { all: 0.02, each: 0, round: 0 } },
  growth: { sizes: { '12 × 40 days': { assets: 12, days: 40 } }, rounds: 1, seconds: 0.02, warmUp: 0 },
  network: { assets: 100, months: 1, repetitions: 1 },
  importMillions: 0.002,
  serving: { assets: 2, days: 1, windowSeconds: 0.05 },
  demo: false,
  overload: { warmUp: 0.1, calm: 0.1, attack: 0.1 },
  profileSeconds: 0.02,
  workers: 2,
}

const PRESETS: Partial<Record<Mode, Preset>> = { quick: QUICK, check: CHECK, load: QUICK, workers: WORKERS }

/** Undefined for --help. @throws Error with a message for the user */
export function readOptions(args: string[]): Options | undefined {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args,
    options: {
      ...{ quick: flag, check: flag, profile: flag, load: flag, network: flag, help: flag, only: text, targets: text },
      ...{ connections: text, rounds: text, seconds: text, assets: text, import: text, workers: text },
    },
  })
  if (values.help) return undefined
  const number = (
    name: 'connections' | 'rounds' | 'seconds' | 'assets' | 'import' | 'workers',
    otherwise: number,
  ): number => {
    const value = values[name] === undefined ? otherwise : Number(values[name])
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
    return value
  }
  const { only = '', targets } = values
  const isPartial = values.only !== undefined || targets !== undefined
  const mode = MODES.find(name => values[name]) ?? (isPartial ? 'compare' : 'report')
  const preset = PRESETS[mode] ?? FULL
  const { size, comparison, overload } = preset
  return {
    ...preset,
    mode,
    only,
    targets: targets === undefined ? preset.targets : targetsIn(targets),
    size: { ...size, assets: number('assets', size.assets) },
    comparison: {
      ...comparison,
      connections: values.connections ? [number('connections', 0)] : comparison.connections,
      rounds: number('rounds', comparison.rounds),
      seconds: number('seconds', comparison.seconds),
    },
    importMillions: number('import', preset.importMillions),
    overload: { ...overload, attack: number('seconds', overload.attack) },
    profileSeconds: number('seconds', preset.profileSeconds),
    workers: number('workers', preset.workers),
  }
}

function targetsIn(list: string): TargetName[] {
  const names: string[] = list.split(',')
  const unknown = names.find(name => !TARGETS.includes(name as TargetName))
  if (unknown !== undefined) throw new Error(`--targets: there is no target ${unknown}`)
  return TARGETS.filter(name => name === 'service' || names.includes(name))
}
