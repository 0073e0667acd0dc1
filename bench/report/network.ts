/** The table of questions about a network, with their targets. */
import { assetsOf } from '../data/network'
import type { NetworkRow, NetworkSize } from '../measure/network'
import { type Cell, ratio, short, whole } from './table'

/** Beyond this time, in milliseconds, a larger network may take at most MAX_RATIO times as long as a small one. */
const FAST_MS = 60

const MAX_RATIO = 3

export const networkHeader = ({ assets }: NetworkSize): string[] => [
  `${whole(assetsOf('half', assets))} assets, ms`,
  'adding up days',
  'service',
  'target',
  '',
  `${assetsOf('small', assets)} assets`,
  `${whole(assetsOf('large', assets))} assets`,
  '÷',
  `at most ${MAX_RATIO}, or ${FAST_MS} ms`,
]

const verdict = (met: boolean): string => (met ? 'met' : 'missed')

export const networkRows = (rows: readonly NetworkRow[]): Cell[][] =>
  rows.map(({ question, sums, service, target, small, large }) => [
    ...[question, short(sums), short(service), target, verdict(service <= target)],
    ...[short(small), short(large), ratio(large / small), verdict(large <= FAST_MS || large <= MAX_RATIO * small)],
  ])
