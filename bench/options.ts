/** The options of the command line, and the sizes of each mode. */
import { parseArgs } from 'node:util'
import type { Size } from './data/fill'
import type { ComparisonOptions } from './measure/comparison'
import { TARGETS, type TargetName } from './servers/targets'

export const USAGE = `npm run bench -- [options]

  --quick              little data, in about four minutes
  --network            questions about a network of 5,000 assets
  --growth             what commands and routes read, and their CPU, by the number of assets
  --check              all of it in its shortest form, to see that it works
  --only TEXT          only routes whose name contains TEXT
  --targets A,B        of ${TARGETS.join(', ')}; the service is always included
  --connections N      instead of 32
  --rounds N           rounds of each target
  --seconds N          length of a round
  --assets N           number of assets`

/** Parts that are left out are not measured. */
export interface Options {
  comparison?: ComparisonOptions & { size: Size }
  network?: { size: Size; repetitions: number }
}

const sizeOf = (assets: number, longAssets: number): Size => ({
  ...{ assets, days: 90, longAssets },
  minutes: [1, 1, 1, 1, 1, 1, 1, 15, 15, 60],
})

const networkOf = (assets: number, days: number): Size => ({ assets, days, longAssets: 0, minutes: [1440] })

const FULL = {
  size: sizeOf(10_000, 60),
  timing: { connections: 32, rounds: 3, seconds: 0.7, warmUp: { all: 10, each: 3, round: 0.1 } },
}

const QUICK = {
  size: sizeOf(300, 10),
  timing: { connections: 32, rounds: 2, seconds: 0.4, warmUp: { all: 5, each: 1, round: 0.1 } },
}

/** The figures mean nothing: only whether everything runs is of interest. */
const CHECK = {
  size: sizeOf(12, 1),
  timing: { connections: 4, rounds: 1, seconds: 0.02, warmUp: { all: 0.02, each: 0, round: 0 } },
}

const NETWORK = { size: networkOf(10_000, 365), repetitions: 9 }

const CHECK_NETWORK = { size: networkOf(100, 30), repetitions: 1 }

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
  if (values.network) return { network: NETWORK }
  const number = (name: 'connections' | 'rounds' | 'seconds' | 'assets', otherwise: number): number => {
    const value = values[name] === undefined ? otherwise : Number(values[name])
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
    return value
  }
  const { size, timing } = values.check ? CHECK : values.quick ? QUICK : FULL
  const comparison = {
    only: values.only ?? '',
    targets: values.targets === undefined ? TARGETS : targetsIn(values.targets),
    size: { ...size, assets: number('assets', size.assets) },
    timing: {
      ...timing,
      connections: number('connections', timing.connections),
      rounds: number('rounds', timing.rounds),
      seconds: number('seconds', timing.seconds),
    },
  }
  return values.check ? { comparison, network: CHECK_NETWORK } : { comparison }
}

function targetsIn(list: string): TargetName[] {
  const names: string[] = list.split(',')
  const unknown = names.find(name => !TARGETS.includes(name as TargetName))
  if (unknown !== undefined) throw new Error(`--targets: there is no target ${unknown}`)
  return TARGETS.filter(name => name === 'service' || names.includes(name))
}
