/** The typical week of an asset as the schema describes it: as objects, or written as JSON. */
import type { DataVersion } from '../../db/queries/data-versions'
import { ApiError } from '../../schema/errors'
import type { HourOfWeek } from '../../schema/generated'
import { SLOTS, type TypicalWeek } from '../series/profile'
import { type Columns, RawJson } from './raw-json'

export const MAX_SECONDS = 86_400

export class Profile {
  readonly total: number
  readonly average: number

  /**
   * @param seconds the part of an hour whose audience is shown; null for none
   * @throws ApiError INVALID_PARAMETER
   */
  constructor(
    readonly week: TypicalWeek,
    readonly seconds: number | null,
    readonly dataVersion?: DataVersion,
  ) {
    this.total = week.total
    this.average = week.average
  }

  /** As objects. REST writes them as JSON instead, and never reads this property. */
  get rows(): HourOfWeek[] {
    const fields = Object.entries(READERS)
    return Array.from(
      { length: SLOTS },
      (_, slot) =>
        Object.fromEntries(fields.map(([field, read]) => [field, read(this, slot)])) as unknown as HourOfWeek,
    )
  }
}

type Reader = (profile: Profile, slot: number) => number | null

/** Read the fields of a row. */
const READERS: Record<Exclude<keyof HourOfWeek, '__typename'>, Reader> = {
  weekday: (_, slot) => Math.floor(slot / 24) + 1,
  hour: (_, slot) => slot % 24,
  averageImpressions: ({ week }, slot) => week.averageOf(slot),
  hoursObserved: ({ week }, slot) => week.hoursOf(slot),
  share: ({ week }, slot) => week.shareOf(slot),
  audience: ({ week, seconds }, slot) => (seconds === null ? null : week.audienceOf(slot, seconds)),
}

/** The rows as JSON, without the audience where it is not asked for. */
export class ProfileRows extends RawJson {
  private readonly readers: ReadonlyMap<string, Reader>

  /** @param keys of the rows, by field, in the order in which they are written */
  constructor(
    private readonly profile: Profile,
    keys: ReadonlyMap<string, string>,
  ) {
    super()
    const fields = [...keys].filter(([field]) => field !== 'audience' || profile.seconds !== null)
    this.readers = new Map(fields.map(([field, key]) => [key, READERS[field as keyof typeof READERS]]))
  }

  pieces(): Iterable<string> {
    const cells = [...this.readers].map(([key, read], i) => [`${i === 0 ? '{' : ','}"${key}":`, read] as const)
    let text = ''
    for (let slot = 0; slot < SLOTS; slot++) {
      text += slot === 0 ? '[' : ','
      for (const [key, read] of cells) text += `${key}${read(this.profile, slot)}`
      text += '}'
    }
    return [`${text}]`]
  }

  override columns(paths: readonly (readonly string[])[]): [Columns] {
    const slots = Array.from({ length: SLOTS }, (_, slot) => slot)
    return [paths.map(([key]) => slots.map(slot => this.readers.get(key!)?.(this.profile, slot)))]
  }
}

/** @throws ApiError INVALID_PARAMETER */
export function checkSeconds(seconds: number | null): void {
  if (seconds === null || (seconds >= 1 && seconds <= MAX_SECONDS)) return
  const details = { parameter: 'seconds', value: String(seconds), expected: `a whole number from 1 to ${MAX_SECONDS}` }
  throw new ApiError('INVALID_PARAMETER', details, `seconds must be ${details.expected}.`)
}
