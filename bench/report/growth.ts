/** Growth as a table: each route's p50 by how much there is, and whether it stays where the answer has the same size. */
import type { Growth } from '../measure/growth'
import { type Cell, markdown, short, whole } from './table'

/** From the smallest to the largest at most. */
export const AIM = 1.2

/** Bodies that differ by less have the same size. */
const SAME = 0.05

export function growthTable({ sizes, routes }: Growth): string {
  const rows = [...routes].map(([route, places]): Cell[] => {
    const [times, bytes] = [places.map(({ p50 }) => p50), places.map(place => place.bytes)]
    const same = Math.max(...bytes) - Math.min(...bytes) <= SAME * Math.max(...bytes)
    const ratio = Math.max(...times) / (times[0] as number)
    const verdict = same ? (ratio <= AIM ? 'met' : 'missed') : 'bodies differ'
    return [route, whole(bytes.at(-1) as number), ...times.map(p50 => short(p50)), ratio.toFixed(2), verdict]
  })
  return markdown(['route', 'bytes', ...sizes, 'largest ÷ first', `at most ${AIM}`], rows)
}
