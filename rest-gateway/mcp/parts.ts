/**
 * Reads the part of a tool's result that fits, and tells how to get the rest. A page has fewer nodes then, and its own cursor.
 * Rows of other results, and of a page with one node, are continued by a cursor of their number and a digest of all before.
 */
import { ApiError } from '../../schema/errors'
import { RequestInput } from '../parameters/request-input'
import type { Cursors } from '../routes/cursors'
import type { Route } from '../routes/record'
import { cuttable, sizeInResult, takeRows } from './cut-rows'

/** Arguments as the texts that a URL would have. */
export interface Texts {
  path: Record<string, string>
  query: URLSearchParams
}

/** Returns the body of a route, by default of the tool's. */
export type Read = (texts: Texts, route?: Route) => Promise<unknown>

/** Rows of a result that have been read. */
interface Position {
  count: number
  digest: string
  /** The cursor of the page with the rows. */
  page: string | null
}

/** Precedes cursors of positions: no other cursor has a full stop. */
const POSITION = 'rows.'

/**
 * @param room the most characters that the body may take in a result
 * @returns the body as JSON
 * @throws ApiError
 */
export async function readPart(
  route: Route,
  { path, query: given }: Texts,
  room: number,
  cursors: Cursors,
  read: Read,
): Promise<string> {
  const query = new URLSearchParams(given)
  const input = new RequestInput(route, cursors, path, given.toString())
  const list = `rows of ${input.list}`
  const start = openPosition()
  const page = query.get('cursor')
  // A page with more rows than a route allows has more in each node than fit.
  const isTooLarge = input.error instanceof ApiError && input.error.code === 'RANGE_TOO_LARGE'
  if (isTooLarge && route.queryNames.includes('limit')) query.set('limit', '1')
  for (let isShort = isTooLarge; ; isShort = true) {
    const body = await read({ path, query })
    const { pagination } = body as { pagination?: { limit: number; cursor: string | null; has_more: boolean } }
    const { list: rows, write } = await cuttable(body)
    const left = room - sizeInResult(write([]))
    const taken = await takeRows(rows, start.count, left)
    if (taken.skipped !== start.digest && start.count > 0) {
      throw new ApiError('INVALID_CURSOR', {}, 'The rows before this cursor have changed. Begin without it.')
    }
    const truncated = (cursor: string | null) => ({ truncated: { rows: taken.rows.length, next: { cursor } } })
    if (taken.isLast && left >= 0) {
      return write(taken.rows, isShort && pagination?.has_more ? { meta: truncated(pagination.cursor) } : {})
    }
    if (pagination && pagination.limit > 1) {
      // A node is a row, but of gaps.
      const fewer = taken.rows.length < pagination.limit ? taken.rows.length : 0
      query.set('limit', String(fewer || pagination.limit >> 1))
      continue
    }
    if (taken.rows.length === 0) throw tooLong()
    const position: Position = { count: start.count + taken.rows.length, digest: taken.digest, page }
    const cursor = POSITION + cursors.issue(list, JSON.stringify(position))
    const next = pagination && { pagination: { ...pagination, cursor, has_more: true } }
    return write(taken.rows, { ...next, meta: truncated(cursor) })
  }

  /** Returns the position of the cursor, and leaves that of the page in its place. */
  function openPosition(): Position {
    const cursor = query.get('cursor')
    if (!cursor?.startsWith(POSITION)) return { count: 0, digest: '', page: null }
    const position: Position = JSON.parse(cursors.open(list, cursor.slice(POSITION.length)))
    query.delete('cursor')
    if (position.page !== null) query.set('cursor', position.page)
    if (route.queryNames.includes('limit')) query.set('limit', '1')
    return position
  }
}

const tooLong = (): ApiError =>
  new ApiError(
    'RANGE_TOO_LARGE',
    {},
    'One row is longer than a result for assistants may be. Read it with the route of the same name.',
  )
