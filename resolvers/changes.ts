/** Resolves what explains numbers: the feed of changes, whose positions are opaque to callers, restatements and notes. */
import { isDate } from '../db/calendar/local-days'
import { buildConditions } from '../db/queries/asset-filters'
import { readUnknownIds } from '../db/queries/assets'
import { type FeedKey, type FeedPosition, readChanges, readFeedPosition } from '../db/queries/changes'
import { type NotePlace, readNotes } from '../db/queries/provenance/notes'
import { isLost, readRestatements } from '../db/queries/provenance/restatements'
import { ApiError, invalidParameter } from '../schema/errors'
import type { ChangeKind } from '../schema/generated'
import type { Query } from './context'
import { checkOrder, checkRange } from './limits/ranges'
import { checkLimit, cutPage } from './limits/rows'

/** The place of a reader: between two passes through the feed, or within one. */
interface FeedState {
  /** Up to where the pass before read; null in the first one. */
  read: FeedPosition | null
  /** The instant at which the first pass begins, in RFC 3339. */
  since: string | null
  /** Within a pass: up to where it reads, and its last row. */
  within: { reading: FeedPosition; last: FeedKey } | null
}

const FEED = 'changes'

/** The kinds that readers get who name none: they read all days of an asset again for a kind that they do not know. */
const DEFAULT_KINDS: ChangeKind[] = ['asset', 'demographics', 'impressions', 'origins', 'removed', 'sensors']

export const changes: Query['changes'] = async (_, { limit, after, since = null, kinds }, { reader, service }) => {
  checkLimit(limit)
  if (after != null && since != null) {
    throw invalidParameter('since', since, 'left out with a cursor', 'The cursor says where to continue.')
  }
  const { cursors } = service
  const state: FeedState = after == null ? { read: null, since, within: null } : decode(cursors.open(FEED, after))
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
  return { nodes, hasMore, next: cursors.issue(FEED, encode(next)) }
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

/** A range may be as long as the calendar: one page is read, and a note without an end applies to all later days. */
export const notes: Query['notes'] = async (_, request, { reader, isInternal }) => {
  const { limit, after, filter = null, fromDate: from, toDate: to } = request
  checkLimit(limit)
  checkOrder(request)
  const selection = { from, to, internal: isInternal, limit: limit + 1 }
  const [rows, unknownIds] = await Promise.all([
    readNotes(reader, buildConditions(filter), selection, after == null ? undefined : parsePlace(after)),
    readUnknownIds(reader, filter?.id),
  ])
  if (unknownIds.length > 0) return null
  const nodes = rows.slice(0, limit)
  const last = nodes.at(-1)
  return { nodes, hasMore: rows.length > limit, last: last ? `${last.assetId} ${last.from} ${last.id}` : null }
}

/** @throws ApiError INVALID_CURSOR */
function parsePlace(text: string): NotePlace {
  const [assetId, from, id, ...rest] = text.split(' ')
  if (!assetId || !from || !isDate(from) || !id || rest.length > 0) throw new ApiError('INVALID_CURSOR')
  return { assetId, from, id }
}

/** Positions are encrypted, because the numbers in them would show how many transactions there are. */
const RESTATEMENTS = 'restatements'

export const restatements: Query['restatements'] = async (_, request, { reader, service: { cursors } }) => {
  const { fromDate, toDate, since, limit, filter } = request
  checkLimit(limit)
  checkRange(request)
  const after = request.after == null ? '' : cursors.open(RESTATEMENTS, request.after)
  const page = { from: fromDate, to: toDate, restatedSince: since ?? null, after, limit: limit + 1 }
  const [rows, unknown, hasLost] = await Promise.all([
    readRestatements(reader, { ...buildConditions(filter ?? null), ...page }),
    readUnknownIds(reader, filter?.id),
    after !== '' && isLost(reader, after),
  ])
  if (hasLost) throw new ApiError('INVALID_CURSOR')
  if (unknown.length > 0) return null
  const { last, ...found } = cutPage(rows, limit)
  return { ...found, last: last && cursors.issue(RESTATEMENTS, last) }
}
