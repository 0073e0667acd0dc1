/** The options of the command line, and the sizes of each mode. */
import { parseArgs } from 'node:util'
import type { Size } from './data/population'
import type { ComparisonOptions } from './measure/comparison'
import type { GrowthSize } from './measure/growth'
import type { NetworkSize } from './measure/network'
import { TARGETS, type TargetName } from './servers/targets'

export const USAGE = `npm run bench -- [options]

  --quick              compare the service with the floor and Fastify on little data, in about four minutes; writes no report
  --check              run everything in its shortest form, to see that it works; writes no report
  --network            questions about a network of 5,000 assets; writes no report
  --only TEXT          only routes whose name contains TEXT; writes no report
  --targets A,B        of ${TARGETS.join(', ')}; the service is always included; writes no report
  --connections N      instead of 32, 1 and 256
  --rounds N           rounds of each target
  --seconds N          length of a round
  --assets N           number of assets`

const MODES = ['quick', 'check', 'network'] as const

export interface Options extends ComparisonOptions {
  /** Everything is measured and reported, unless routes or targets are left out. */
  mode: (typeof MODES)[number] | 'report' | 'compare'
  size: Size
  growth: GrowthSize
  network: NetworkSize
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
}

const PRESETS: Partial<Record<Options['mode'], Preset>> = {
  quick: {
    ...FULL,
    targets: ['service', 'floor', 'fastify'],
    size: sizeOf(300, 10),
    comparison: { connections: [32], rounds: 2, seconds: 0.4, warmUp: { all: 5, each: 1, round: 0.1 } },
  },
  // The figures mean nothing: only whether everything runs is of interest.
  check: {
    targets: TARGETS,
    size: sizeOf(12, 1),
    comparison: { connections: [4, 1], rounds: 1, seconds: 0.02, warmUp: { all: 0.02, each: 0, round: 0 } },
    growth: { sizes: { '12 × 40 days': { assets: 12, days: 40 } }, rounds: 1, seconds: 0.02, warmUp: 0 },
    network: { assets: 100, months: 1, repetitions: 1 },
  },
}

/** Undefined for --help. @throws Error with a message for the user */
export function readOptions(args: string[]): Options | undefined {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args,
    options: {
      ...{ quick: flag, check: flag, network: flag, help: flag, only: text, targets: text },
      ...{ connections: text, rounds: text, seconds: text, assets: text },
    },
  })
  if (values.help) return undefined
  const number = (name: 'connections' | 'rounds' | 'seconds' | 'assets', otherwise: number): number => {
    const value = values[name] === undefined ? otherwise : Number(values[name])
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
    return value
  }
  const { only = '', targets } = values
  const isPartial = values.only !== undefined || targets !== undefined
  const mode = MODES.find(name => values[name]) ?? (isPartial ? 'compare' : 'report')
  const preset = PRESETS[mode] ?? FULL
  const { size, comparison } = preset
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
  }
}

function targetsIn(list: string): TargetName[] {
  const names: string[] = list.split(',')
  const unknown = names.find(name => !TARGETS.includes(name as TargetName))
  if (unknown !== undefined) throw new Error(`--targets: there is no target ${unknown}`)
  return TARGETS.filter(name => name === 'service' || names.includes(name))
}
