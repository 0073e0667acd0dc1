/** The resolver of the feed of changes. A position in the feed is opaque to callers. */
import { type FeedKey, type FeedPosition, readChanges, readFeedPosition } from '../db/queries/changes'
import { ApiError } from '../schema/errors'
import type { Query } from './context'
import { checkLimit } from './limits/pages'

/** Where a reader is: between two passes through the feed, or within one. */
interface FeedState {
  /** Up to where the pass before read; null in the first one. */
  read: FeedPosition | null
  /** Where the first pass begins, in RFC 3339. */
  since: string | null
  /** Within a pass: up to where it reads, and its last row. */
  within: { reading: FeedPosition; last: FeedKey } | null
}

export const changes: Query['changes'] = async (_, { limit, after, since = null }, { reader }) => {
  checkLimit(limit)
  if (after != null && since != null) {
    const details = { parameter: 'since', value: since, expected: 'left out with a cursor' }
    throw new ApiError('INVALID_PARAMETER', details, 'since must be left out with a cursor, which says where to go on.')
  }
  const state: FeedState = after == null ? { read: null, since, within: null } : decode(after)
  const [position, rows] = await Promise.all([
    readFeedPosition(reader),
    readChanges(reader, state.read, state.since, state.within?.last ?? null, limit + 1),
  ])
  const nodes = rows.slice(0, limit)
  const reading = state.within?.reading ?? position
  const last = nodes.at(-1)
  const hasMore = rows.length > limit
  const next: FeedState =
    hasMore && last
      ? { ...state, within: { reading, last: [last.assetId, last.kind, last.month] } }
      : { read: reading, since: null, within: null }
  return { nodes, hasMore, next: encode(next) }
}

const encode = ({ read, since, within }: FeedState): string =>
  Buffer.from(
    JSON.stringify([pack(read), since, pack(within?.reading ?? null), within?.last ?? null] satisfies PackedState),
  ).toString('base64url')

type PackedPosition = [cluster: string, snapshot: string, at: number, companies: string, proof: string]

type PackedState = [read: PackedPosition | null, since: string | null, PackedPosition | null, FeedKey | null]

const pack = (position: FeedPosition | null): PackedPosition | null =>
  position && [
    position.cluster,
    position.snapshot,
    Number(position.at),
    rangesOf(position.companies).join(),
    position.proof,
  ]

/** @throws ApiError INVALID_CURSOR */
function decode(text: string): FeedState {
  let packed: unknown
  try {
    packed = JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    throw new ApiError('INVALID_CURSOR')
  }
  if (!Array.isArray(packed) || packed.length !== 4) throw new ApiError('INVALID_CURSOR')
  const [read, since, reading, last] = packed as PackedState
  if (since !== null && Number.isNaN(Date.parse(since))) throw new ApiError('INVALID_CURSOR')
  if ((reading === null) !== (last === null) || (last !== null && !isKey(last))) throw new ApiError('INVALID_CURSOR')
  return { read: unpack(read), since, within: reading && last && { reading: unpack(reading) as FeedPosition, last } }
}

const isKey = ([id, kind, month]: FeedKey): boolean =>
  typeof id === 'string' && typeof kind === 'string' && Number.isSafeInteger(month)

function unpack(packed: PackedPosition | null): FeedPosition | null {
  if (packed === null) return null
  const [cluster, snapshot, at, companies, proof] = packed
  const isValid =
    typeof cluster === 'string' &&
    isSnapshot(snapshot) &&
    Number.isSafeInteger(at) &&
    /^(\d{1,9}(-\d{1,9})?(,|$))*$/.test(companies) &&
    typeof proof === 'string'
  if (!isValid) throw new ApiError('INVALID_CURSOR')
  return { cluster, snapshot, at, companies: numbersOf(companies), proof }
}

/** Whether PostgreSQL would read a text as a snapshot. */
function isSnapshot(text: string): boolean {
  const [, min, max, running = ''] = /^(\d{1,18}):(\d{1,18}):((?:\d{1,18},?)*)$/.exec(text) ?? []
  const numbers = running === '' ? [] : running.split(',').map(Number)
  const ordered = [Number(min) - 1, ...numbers, Number(max)]
  return (
    min !== undefined && Number(min) > 0 && ordered.every((number, i) => i === 0 || number > (ordered[i - 1] as number))
  )
}

/** Ascending numbers as ranges: `1-3,5`. */
function rangesOf(numbers: readonly number[]): string[] {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range && number === range[1] + 1) range[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
}

/** The maximum number of companies in a scope. */
const MAX_COMPANIES = 100_000

/** @throws ApiError INVALID_CURSOR */
function numbersOf(ranges: string): number[] {
  const numbers: number[] = []
  for (const range of ranges.split(',').filter(Boolean)) {
    const [first, last = first] = range.split('-').map(Number) as [number, number?]
    if (last < first || numbers.length + last - first >= MAX_COMPANIES) throw new ApiError('INVALID_CURSOR')
    for (let number = first; number <= last; number++) numbers.push(number)
  }
  return numbers
}
