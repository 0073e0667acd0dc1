/**
 * Streamed responses: the whole of a paginated list. Rows are read in batches, each a short read of its own that waits for a
 * slot of the scheduler like a request. While the client receives a batch, neither a connection nor a slot is held.
 */
import { pipeline, Readable, type Transform } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { Logger } from 'pino'
import { asApiError, findReason } from '../../db/postgres/errors'
import type { PresentedKey } from '../../db/postgres/scoped-reader'
import { Context } from '../../resolvers/context'
import { MAX_JSON_ROWS } from '../../resolvers/groups/aggregates'
import { ApiError } from '../../schema/errors'
import { setCaching } from '../conditional/representation'
import type { Data } from '../envelopes/envelopes'
import type { Gateway } from '../gateway'
import { selectCoding } from '../middleware/compression'
import { readData } from '../routes/query-result'
import type { RouteRequest } from '../routes/route-request'
import type { Context as KoaContext } from '../state'
import { FLAT_FORMATS, type FlatFormat } from './formats'
import { writeParts } from './parts'

/** Rows that count as one request. */
export const ROWS_PER_REQUEST = MAX_JSON_ROWS

/** The number of times that a batch waits for a slot before the response is abandoned. */
const MAX_WAITS = 5

/** Sends a list, beginning with the data of its first batch. @throws ApiError RATE_LIMITED */
export function sendStream(request: RouteRequest, key: PresentedKey, first: Data): void {
  const { gateway, ctx, input, keyHash } = request
  const format = input.format as FlatFormat
  ctx.status = 200
  ctx.res.setHeader('Content-Type', FLAT_FORMATS[format].contentType)
  setCaching(ctx)
  // A proxy that buffers would write long lists to its disk, and stop reading when its buffers are full.
  ctx.set('X-Accel-Buffering', 'no')
  if (ctx.method === 'HEAD' || ctx.socket.destroyed) return
  const close = gateway.rates.openStream(key)
  const progress = { rows: 0 }
  const started = performance.now()
  const parts = writeParts(
    request.route,
    format,
    first,
    last => readBatch(request, last),
    rows => {
      progress.rows += rows
    },
  )
  const source = Readable.from(parts, { objectMode: false })
  const compressor = compressorFor(ctx)
  const body = compressor ? pipeline(source, compressor, () => {}) : source
  ctx.body = body
  let failure: unknown
  // Without the last chunk, a truncated body does not look complete.
  body.once('error', error => {
    if (ctx.res.destroyed) return
    failure = error
    ctx.res.destroy()
  })
  ctx.res.once('close', () => {
    close()
    source.destroy()
    const { requestId, operation, keyId } = ctx.state
    const ms = Math.round(performance.now() - started)
    const complete = ctx.res.writableFinished
    const fields = { request_id: requestId, operation, key_id: keyId, rows: progress.rows, ms, complete }
    logEnd(gateway.log, fields, failure)
    const requests = Math.ceil(progress.rows / ROWS_PER_REQUEST) - 1
    if (requests <= 0) return
    gateway.rates.charge(key, keyHash, requests).catch(error => {
      gateway.log.error({ err: error, request_id: requestId }, 'the rows of a streamed response were not counted')
    })
  })
}

/** Logs the end of a response. It is no error that a client goes away, that its key was revoked, or an overload. */
function logEnd(log: Logger, fields: { complete: boolean }, failure: unknown): void {
  const error = asApiError(failure)
  if (fields.complete) log.info(fields, 'stream')
  else if (error === undefined) log.info({ ...fields, reason: 'connection closed' }, 'stream')
  else if (error instanceof ApiError) log.warn({ ...fields, code: error.code, reason: findReason(error) }, 'stream')
  else log.error({ ...fields, err: error }, 'stream')
}

/** Reads the batch behind an id. @throws ApiError */
async function readBatch({ route, gateway, ctx, input, keyHash }: RouteRequest, last: string): Promise<Data> {
  const release = await acquireSlot(gateway, ctx.state.caller)
  try {
    const reader = gateway.database.readerFor(keyHash)
    const result = route.execute(new Context(reader, gateway.now()), { ...input.variables, cursor: last })
    if (!(await reader.authenticate())) throw new ApiError('INVALID_API_KEY')
    return readData(await result, route.errorsOfNodes)
  } finally {
    release()
  }
}

async function acquireSlot({ scheduler }: Gateway, caller: string): Promise<() => void> {
  for (let waits = 0; waits < MAX_WAITS; waits++) {
    const release = await scheduler.acquire(caller)
    if (release) return release
  }
  throw new ApiError('UNAVAILABLE')
}

/** Undefined where the client accepts no compression, or the format is compressed itself. */
function compressorFor(ctx: KoaContext): Transform | undefined {
  const coding = selectCoding(ctx, Number.POSITIVE_INFINITY)
  if (!coding) return undefined
  ctx.set('Content-Encoding', coding)
  return coding === 'br'
    ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
    : createGzip({ level: 1 })
}
