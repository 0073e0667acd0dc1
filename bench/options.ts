/** The options of the command line, and the sizes of each mode. */
import { parseArgs } from 'node:util'
import type { Size } from './data/fill'
import type { ComparisonOptions } from './measure/rounds'
import { TARGETS, type TargetName } from './servers/targets'

export const USAGE = `npm run bench -- [options]

  --quick              little data, in about four minutes
  --network            questions about a network of 5,000 assets
  --growth             what commands and routes read, and their CPU, by the number of assets
  --check              all of it in its shortest form, to see that it works
  --only TEXT          only routes whose name contains TEXT
  --targets A,B        of ${TARGETS.join(', ')}; the service is always included
  --rounds N           rounds of each target`

/** Parts that are left out are not measured. */
export interface Options {
  comparison?: ComparisonOptions & { size: Size }
  network?: { size: Size; repetitions: number }
}

const sizeOf = (assets: number, longAssets: number): Size => ({
  ...{ assets, days: 90, longAssets, hasOrigins: true },
  minutes: [1, 1, 1, 1, 1, 1, 1, 15, 15, 60],
})

const networkOf = (assets: number, days: number): Size => ({
  ...{ assets, days, longAssets: 0, hasOrigins: false },
  minutes: [1440],
})

const FULL = {
  size: sizeOf(6_250, 60),
  timing: { connections: 32, rounds: 3, seconds: 0.7, warmUp: { all: 20_000, each: 3_000, round: 100 } },
}

const QUICK = {
  size: sizeOf(300, 10),
  timing: { connections: 32, rounds: 2, seconds: 0.4, warmUp: { all: 5_000, each: 1_000, round: 100 } },
}

/** The figures mean nothing: only whether everything runs is of interest. */
const CHECK = {
  size: sizeOf(12, 1),
  timing: { connections: 4, rounds: 1, seconds: 0.02, warmUp: { all: 20, each: 4, round: 4 } },
}

const NETWORK = { size: networkOf(6_250, 365), repetitions: 9 }

const CHECK_NETWORK = { size: networkOf(100, 30), repetitions: 1 }

/** Undefined for --help. @throws Error with a message for the user */
export function readOptions(args: string[]): Options | undefined {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args,
    options: {
      ...{ quick: flag, check: flag, network: flag, help: flag },
      ...{ only: text, targets: text, rounds: text },
    },
  })
  if (values.help) return undefined
  if (values.network) return { network: NETWORK }
  const { size, timing } = values.check ? CHECK : values.quick ? QUICK : FULL
  const rounds = Number(values.rounds ?? timing.rounds)
  if (!(rounds > 0)) throw new Error('--rounds must be a number above 0')
  const targets = values.targets === undefined ? TARGETS : targetsIn(values.targets)
  const comparison = { only: values.only ?? '', targets, size, timing: { ...timing, rounds } }
  return values.check ? { comparison, network: CHECK_NETWORK } : { comparison }
}

function targetsIn(list: string): TargetName[] {
  const names: string[] = list.split(',')
  const unknown = names.find(name => !TARGETS.includes(name as TargetName))
  if (unknown !== undefined) throw new Error(`--targets: there is no target ${unknown}`)
  return TARGETS.filter(name => name === 'service' || names.includes(name))
}
