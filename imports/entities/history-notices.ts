/** Lines about installations that an import of sensors keeps although a row does not have them. */
import type { ClientBase } from 'pg'
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { listMore } from '../../db/count-of'
import { quote } from '../../db/file-errors'
import { type Installation, readAssetNames } from '../counts/installations'
import type { StagedSensor } from './sensor-rows'

/** A move to an asset, or a removal. The instant is in seconds since 1970. */
interface HistoryEvent {
  at: number
  zone: string
  asset?: number
  isFirst?: boolean
}

/** The events of one sensor that are reported. */
export interface Notice {
  subject: string
  events: readonly HistoryEvent[]
}

/** Sensors that are named; of the others only the number is. */
const MAX_NOTICES = 20

/** Returns what follows a row that repeats what is recorded for its instant. */
export function noticeKept(row: StagedSensor, history: readonly Installation[]): Notice | undefined {
  const instant = row.installed_at ?? (row.asset === null ? undefined : history.at(-1)?.from)
  if (instant === undefined) return undefined
  const events = listEvents(history).filter(
    ({ at, asset }) => at > instant && (asset !== undefined || at !== row.removed_at),
  )
  return events.length === 0 ? undefined : { subject: `sensor ${quote(row.serial ?? row.id)}`, events }
}

export async function formatNotices(
  client: ClientBase,
  days: LocalDayCache,
  notices: readonly Notice[],
): Promise<string[]> {
  const shown = notices.slice(0, MAX_NOTICES)
  const numbers = shown.flatMap(({ events }) => events.flatMap(({ asset }) => asset ?? []))
  const names = await readAssetNames(client, numbers)
  const lines = shown.map(({ subject, events }) => {
    const listed = events.map(({ asset, isFirst, at, zone }) => {
      const event =
        asset === undefined ? 'the removal' : `the ${isFirst ? 'installation on' : 'move to'} ${names.get(asset)}`
      return `${event} at ${days.format(zone, Math.floor(at))}`
    })
    return `${subject}: keeps ${new Intl.ListFormat('en-GB').format(listed)}`
  })
  return [...lines, ...listMore(notices.length - shown.length, 'sensor')]
}

function listEvents(history: readonly Installation[]): HistoryEvent[] {
  return history.flatMap(({ from, to, zone, asset }, i) => {
    const [before, next] = [history[i - 1], history[i + 1]]
    const isMove = !(before?.to === from && before.asset === asset)
    const isRemoval = to < Number.POSITIVE_INFINITY && next?.from !== to
    return [...(isMove ? [{ at: from, zone, asset, isFirst: i === 0 }] : []), ...(isRemoval ? [{ at: to, zone }] : [])]
  })
}
