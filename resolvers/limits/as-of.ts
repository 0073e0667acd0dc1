/** The instant at which impressions are read as they were: not before the ledger begins, nor in the future, nor at grains within a day. */
import { isWithinDay } from '../../db/calendar/grains'
import { toMilliseconds } from '../../db/calendar/instants'
import { type Instant, type NetworkMoment, readBeginning, readNetworkMoment } from '../../db/queries/as-of'
import { type ApiError, invalidParameter } from '../../schema/errors'
import type { Grain, InputMaybe } from '../../schema/generated'
import type { Context } from '../context'

export interface AsOfArgument {
  /** RFC 3339. */
  asOf?: InputMaybe<string>
}

/** An instant of so many last milliseconds is the present. */
const PRESENT_MS = 1_000

/** @throws ApiError INVALID_PARAMETER for an instant in the future */
export function parseAsOf(asOf: string, { now }: Pick<Context, 'now'>): Instant {
  const time = toMilliseconds(asOf)
  if (time > now) throw invalid(asOf, 'not in the future', 'Leave it out to read the present numbers.')
  return { time, committed: time >= now - PRESENT_MS ? 'infinity' : asOf }
}

/** Reads the beginning of the ledger, once for a request. @throws ApiError INVALID_PARAMETER for an instant before it */
export async function checkBeginning(asOf: string, context: Context): Promise<void> {
  const { loaders, reader } = context
  const beginning = await loaders.once(context, 'beginning', () => readBeginning(reader))
  if (toMilliseconds(asOf) >= beginning) return
  // The first whole second.
  const first = new Date(Math.ceil(beginning / 1000) * 1000).toISOString()
  const expected = `at or after ${first.replace('.000Z', 'Z')}`
  throw invalid(asOf, expected, 'Changes before that were not recorded: choose a later time, or leave it out.')
}

export async function readMoment(asOf: string, context: Context): Promise<NetworkMoment> {
  const instant = parseAsOf(asOf, context)
  const [moment] = await Promise.all([readNetworkMoment(context.reader, instant), checkBeginning(asOf, context)])
  return moment
}

/** @throws ApiError INVALID_PARAMETER for a grain within a day */
export function checkAsOfGrain(asOf: InputMaybe<string> | undefined, grain: Grain): void {
  if (asOf == null || !isWithinDay(grain)) return
  throw invalid(
    asOf,
    'left out at grains finer than day',
    'Only totals of days are kept: choose grain=day or a coarser one.',
  )
}

const invalid = (value: string, expected: string, advice: string): ApiError =>
  invalidParameter('as_of', value, expected, advice)
