/** What is measured, and how long: the options of the command line. */
import { parseArgs } from 'node:util'
import type { Size } from './data/population'
import { TARGETS, type TargetName } from './servers/targets'

export const USAGE = `npm run bench -- [options]

  --quick              the service against the floor on little data, in under a minute; writes no report
  --profile            where the service's CPU time goes, route by route, instead (--seconds of each; no report)
  --only TEXT          only routes whose name contains it (no report)
  --targets A,B        of ${TARGETS.join(', ')}; the service is always among them
  --connections N      instead of 32, 1 and 256
  --rounds N           how often the targets take turns
  --seconds N          how long a round lasts
  --assets N           how many assets there are
  --import N           how many million rows are imported`

export interface Options {
  quick: boolean
  profile: boolean
  /** Whether all is measured, and the report written. */
  whole: boolean
  only: string
  targets: readonly TargetName[]
  connections: readonly number[]
  rounds: number
  seconds: number
  /** Seconds for which each target is asked first: for all routes in turn, then for each before it is timed. */
  warmUp: { all: number; each: number }
  /** How long a round of what takes long lasts, at least. */
  heavySeconds: number
  size: Size
  importMillions: number
}

const FULL = {
  connections: [32, 1, 256],
  rounds: 3,
  seconds: 0.7,
  warmUp: { all: 10, each: 3 },
  heavySeconds: 5,
  assets: 10_000,
  days: 90,
  long: 60,
  longDays: 1826,
}

const QUICK = {
  connections: [32],
  rounds: 2,
  seconds: 0.2,
  warmUp: { all: 5, each: 0.1 },
  heavySeconds: 0.2,
  assets: 300,
  days: 90,
  long: 10,
  longDays: 1826,
}

/** The minutes that two hundred sensors count in a month or so. */
const IMPORT_MILLIONS = 10

/** @throws Error that says what is wrong */
export function readOptions(args: string[]): Options | undefined {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args,
    options: {
      ...{
        quick: flag,
        profile: flag,
        help: flag,
        only: text,
        targets: text,
        connections: text,
        rounds: text,
        seconds: text,
      },
      assets: text,
      import: text,
    },
  })
  if (values.help) return undefined
  const usual = values.quick ? QUICK : FULL
  const number = (name: 'connections' | 'rounds' | 'seconds' | 'assets' | 'import', otherwise: number): number => {
    const given = values[name] === undefined ? otherwise : Number(values[name])
    if (!(given > 0)) throw new Error(`--${name} must be a number above 0`)
    return given
  }
  const wanted: string[] = values.targets?.split(',') ?? (values.quick ? ['floor'] : [...TARGETS])
  const unknown = wanted.find(name => !TARGETS.includes(name as TargetName))
  if (unknown !== undefined) throw new Error(`--targets: there is no ${unknown}`)
  const { days, long, longDays } = usual
  return {
    quick: values.quick,
    profile: values.profile,
    whole: !values.quick && !values.profile && values.only === undefined && values.targets === undefined,
    only: values.only ?? '',
    targets: TARGETS.filter(name => name === 'ours' || wanted.includes(name)),
    connections: values.connections ? [number('connections', 0)] : usual.connections,
    rounds: number('rounds', usual.rounds),
    seconds: number('seconds', usual.seconds),
    warmUp: usual.warmUp,
    heavySeconds: usual.heavySeconds,
    size: { assets: number('assets', usual.assets), days, long, longDays },
    importMillions: number('import', IMPORT_MILLIONS),
  }
}
