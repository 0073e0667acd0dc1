/** The table of growth: p50 by size of the database, and whether it is independent of it. */
import type { Growth } from '../measure/growth'
import { type Cell, markdown, short, whole } from './table'

/** The largest p50 may exceed that of the smallest database by this factor. */
const AIM = 1.2

/** Only routes whose bodies differ by less than this share are comparable. */
const BODY_TOLERANCE = 0.05

export function growthTable({ sizes, routes }: Growth): string {
  const rows = [...routes].map(([route, bySize]): Cell[] => {
    const [times, bytes] = [bySize.map(({ p50 }) => p50), bySize.map(each => each.bytes)]
    const same = Math.max(...bytes) - Math.min(...bytes) <= BODY_TOLERANCE * Math.max(...bytes)
    const ratio = Math.max(...times) / times[0]!
    const verdict = same ? (ratio <= AIM ? 'met' : 'missed') : 'bodies differ'
    return [route, whole(bytes.at(-1)!), ...times.map(p50 => short(p50)), ratio.toFixed(2), verdict]
  })
  return markdown(['route', 'bytes', ...sizes, 'largest ÷ smallest', `at most ${AIM}`], rows)
}
