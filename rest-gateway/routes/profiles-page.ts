/** The envelope of the typical weeks of many assets, with the list that Hivestack imports: a row per asset. */
import type { ProfileRows } from '../../resolvers/json/profile-json'
import { SLOTS } from '../../resolvers/series/profile'
import { ApiError } from '../../schema/errors'
import { deriveColumns } from '../formats/columns'
import { type Envelope, findNext, objectWith, readPage, seriesPage, withOptional } from './envelopes'

const TEXT = { type: 'string' }

export const profilesPage = (field: string): Envelope => ({
  ...withOptional('audience', seriesPage(field)),
  hivestack: {
    columns: deriveColumns(objectWith({ asset_id: TEXT, impressions: TEXT, error: TEXT }), {}),
    rows: (data, { missing }) => [
      {
        rows: (readPage(data, field).data as ProfileNode[]).map(({ asset_id, impressions: { series } }) => ({
          asset_id,
          ...(series instanceof ApiError
            ? { impressions: null, error: series.message }
            : describeWeek(series.data, missing as number | null)),
        })),
      },
    ],
    next: data => findNext(readPage(data, field)),
  },
})

interface ProfileNode {
  asset_id: string
  impressions: { series: { data: ProfileRows } | ApiError }
}

interface WeekOrError {
  /** 168 values, separated by commas. */
  impressions: string | null
  error: string | null
}

/** @param missing the value of hours without data; null makes them an error */
function describeWeek({ profile }: ProfileRows, missing: number | null): WeekOrError {
  const values = Array.from({ length: SLOTS }, (_, slot) => profile.textOf(slot) ?? missing)
  return values.includes(null)
    ? { impressions: null, error: `no data: ${listHours(values)}` }
    : { impressions: values.join(), error: null }
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Returns the hours without a value, such as `Monday 03, 05-07; Sunday 23`. */
function listHours(values: readonly unknown[]): string {
  return WEEKDAYS.flatMap((weekday, i) => {
    const ranges: [first: number, last: number][] = []
    values.slice(24 * i, 24 * (i + 1)).forEach((value, hour) => {
      if (value !== null) return
      const open = ranges.at(-1)
      if (open?.[1] === hour - 1) open[1] = hour
      else ranges.push([hour, hour])
    })
    const texts = ranges.map(([first, last]) =>
      first === last ? twoDigits(first) : `${twoDigits(first)}-${twoDigits(last)}`,
    )
    return texts.length > 0 ? `${weekday} ${texts.join(', ')}` : []
  }).join('; ')
}

const twoDigits = (hour: number): string => String(hour).padStart(2, '0')
