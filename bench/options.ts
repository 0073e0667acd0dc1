/** The options of the command line. */
import { parseArgs } from 'node:util'
import type { Size } from './data/population'
import { TARGETS, type TargetName } from './servers/targets'

export const USAGE = `npm run bench -- [options]

  --quick              compare the service with the floor and Fastify on little data, in about four minutes; writes no report
  --profile            print where the service spends its CPU time, route by route; writes no report
  --load               response times under attacks, and the throughput of an analyst beside a partner; writes no report
  --network            questions about a network of 5,000 assets; writes no report
  --only TEXT          only routes whose name contains TEXT; writes no report
  --targets A,B        of ${TARGETS.join(', ')}; the service is always included
  --connections N      instead of 32, 1 and 256
  --rounds N           rounds of each target
  --seconds N          length of a round, a profile or an attack
  --assets N           number of assets
  --import N           millions of rows that are imported`

export interface Options {
  quick: boolean
  profile: boolean
  load: boolean
  network: boolean
  /** Whether everything is measured and the report written. */
  full: boolean
  only: string
  targets: readonly TargetName[]
  connections: readonly number[]
  rounds: number
  seconds: number
  /** Seconds of load before the measurements: for all routes together, then for each route. */
  warmUp: { all: number; each: number }
  /** The least length of a round for heavy routes. */
  heavySeconds: number
  size: Size & { longAssets: number; longDays: number }
  importMillions: number
}

const FULL = {
  targets: TARGETS as readonly TargetName[],
  connections: [32, 1, 256],
  rounds: 3,
  seconds: 0.7,
  warmUp: { all: 10, each: 3 },
  heavySeconds: 5,
  assets: 10_000,
  longAssets: 60,
}

const QUICK = {
  targets: ['service', 'floor', 'fastify'] as readonly TargetName[],
  connections: [32],
  rounds: 2,
  seconds: 0.4,
  warmUp: { all: 5, each: 1 },
  heavySeconds: 0.2,
  assets: 300,
  longAssets: 10,
}

/** An attack takes this many seconds. */
const LOAD = { ...QUICK, seconds: 8 }

const DAYS = 90

const LONG_DAYS = 1826

/** About a month of minutes of two hundred sensors. */
const IMPORT_MILLIONS = 10

/** Undefined for --help. @throws Error with a message for the user */
export function readOptions(args: string[]): Options | undefined {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args,
    options: {
      ...{ quick: flag, profile: flag, load: flag, network: flag, help: flag, only: text, targets: text },
      ...{ connections: text, rounds: text, seconds: text, assets: text, import: text },
    },
  })
  if (values.help) return undefined
  const defaults = values.load ? LOAD : values.quick ? QUICK : FULL
  const number = (name: 'connections' | 'rounds' | 'seconds' | 'assets' | 'import', otherwise: number): number => {
    const value = values[name] === undefined ? otherwise : Number(values[name])
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
    return value
  }
  const { quick, profile, load, network, only = '' } = values
  return {
    quick,
    profile,
    load,
    network,
    full: !quick && !profile && !load && !network && values.only === undefined && values.targets === undefined,
    only,
    targets: values.targets === undefined ? defaults.targets : targetsIn(values.targets),
    connections: values.connections ? [number('connections', 0)] : defaults.connections,
    rounds: number('rounds', defaults.rounds),
    seconds: number('seconds', defaults.seconds),
    warmUp: defaults.warmUp,
    heavySeconds: defaults.heavySeconds,
    size: {
      assets: number('assets', defaults.assets),
      days: DAYS,
      longAssets: defaults.longAssets,
      longDays: LONG_DAYS,
    },
    importMillions: number('import', IMPORT_MILLIONS),
  }
}

function targetsIn(list: string): TargetName[] {
  const names: string[] = list.split(',')
  const unknown = names.find(name => !TARGETS.includes(name as TargetName))
  if (unknown !== undefined) throw new Error(`--targets: there is no target ${unknown}`)
  return TARGETS.filter(name => name === 'service' || names.includes(name))
}
