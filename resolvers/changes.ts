/** The resolver of the feed of changes. A position in the feed is opaque to callers. */
import { type FeedKey, type FeedPosition, readChanges, readFeedPosition } from '../db/queries/changes'
import { invalidParameter } from '../schema/errors'
import type { ChangeKind } from '../schema/generated'
import type { Query } from './context'
import { checkLimit } from './limits/rows'

/** The place of a reader: between two passes through the feed, or within one. */
interface FeedState {
  /** Up to where the pass before read; null in the first one. */
  read: FeedPosition | null
  /** The instant at which the first pass begins, in RFC 3339. */
  since: string | null
  /** Within a pass: up to where it reads, and its last row. */
  within: { reading: FeedPosition; last: FeedKey } | null
}

/** Identifies the feed to the cursors. */
const LIST = 'changes'

/** The kinds that readers get who name none: they read all days of an asset again for a kind that they do not know. */
const DEFAULT_KINDS: ChangeKind[] = ['asset', 'demographics', 'impressions', 'origins', 'removed', 'sensors']

export const changes: Query['changes'] = async (_, { limit, after, since = null, kinds }, { reader, service }) => {
  checkLimit(limit)
  if (after != null && since != null) {
    throw invalidParameter('since', since, 'left out with a cursor', 'The cursor says where to continue.')
  }
  const { cursors } = service
  const state: FeedState = after == null ? { read: null, since, within: null } : decode(cursors.open(LIST, after))
  const [position, rows] = await Promise.all([
    readFeedPosition(reader, state.within?.reading ?? state.read),
    readChanges(reader, state.read, state.since, state.within?.last ?? null, limit + 1, kinds ?? DEFAULT_KINDS),
    // Its scope and its key may be others than those with which this pass began.
    state.within && state.read && readFeedPosition(reader, state.read),
  ])
  const nodes = rows.slice(0, limit)
  const reading = state.within?.reading ?? position
  const last = nodes.at(-1)
  const hasMore = rows.length > limit
  const next: FeedState =
    hasMore && last ? { ...state, within: { reading, last: last.key } } : { read: reading, since: null, within: null }
  return { nodes, hasMore, next: cursors.issue(LIST, encode(next)) }
}

/** Positions are padded to a multiple of this length, so that it reveals nothing about the numbers in them. */
const PADDED_LENGTH = 256

function encode({ read, since, within }: FeedState): string {
  const state: PackedState = [pack(read), since, pack(within?.reading ?? null), within?.last ?? null]
  const text = JSON.stringify(state)
  return text.padEnd(Math.ceil(text.length / PADDED_LENGTH) * PADDED_LENGTH)
}

type PackedPosition = [epoch: string, number: number, mark: string, companies: string, proof: string]

type PackedState = [read: PackedPosition | null, since: string | null, PackedPosition | null, FeedKey | null]

const pack = (position: FeedPosition | null): PackedPosition | null =>
  position && [
    position.epoch,
    Number(position.number),
    position.mark,
    formatRanges(position.companies).join(),
    position.proof,
  ]

function decode(text: string): FeedState {
  const [read, since, reading, last] = JSON.parse(text) as PackedState
  return { read: unpack(read), since, within: reading && last && { reading: unpack(reading)!, last } }
}

function unpack(packed: PackedPosition | null): FeedPosition | null {
  if (packed === null) return null
  const [epoch, number, mark, companies, proof] = packed
  return { epoch, number, mark, companies: parseRanges(companies), proof }
}

/** Returns ascending numbers as ranges: `1-3,5`. */
function formatRanges(numbers: readonly number[]): string[] {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range && number === range[1] + 1) range[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
}

function parseRanges(ranges: string): number[] {
  return ranges.split(',').flatMap(range => {
    const [first, last = first] = range.split('-').map(Number) as [number, number?]
    return range === '' ? [] : Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}
