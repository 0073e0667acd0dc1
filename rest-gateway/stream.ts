/** Streamed responses: the whole of a list, read in batches. While the client receives one, no connection is held. */
import { pipeline, Readable, type Transform } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { Logger } from 'pino'
import { asApiError, findReason } from '../db/postgres/errors'
import type { PresentedKey } from '../db/postgres/scoped-reader'
import { ApiError } from '../schema/errors'
import { selectCoding } from './edge/compression'
import type { Gateway } from './gateway'
import type { Column, FlatFormat } from './record'
import { setCaching } from './send'
import { CONTENT_TYPES, writeRows } from './shape/write-rows'
import type { KoaContext } from './state'

/** Rows that count as one request. */
const ROWS_PER_REQUEST = 200_000

interface StreamedList {
  ctx: KoaContext
  gateway: Gateway
  key: PresentedKey
  keyHash: Buffer
  format: FlatFormat
  columns: readonly Column[]
}

export function sendStream(list: StreamedList, batches: AsyncIterable<readonly object[]>): void {
  const { ctx, gateway, key, keyHash, format, columns } = list
  ctx.status = 200
  ctx.res.setHeader('Content-Type', CONTENT_TYPES[format])
  setCaching(ctx)
  // A proxy that buffers would write long lists to its disk, and stop reading when its buffers are full.
  ctx.set('X-Accel-Buffering', 'no')
  if (ctx.method === 'HEAD' || ctx.socket.destroyed) return
  const close = gateway.rates.openStream(key)
  const started = performance.now()
  let sent = 0
  const chunks = writeRows(format, columns, batches, rows => {
    sent += rows
  })
  const source = Readable.from(chunks, { objectMode: false })
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
    const { requestId, operation } = ctx.state
    const ms = Math.round(performance.now() - started)
    const complete = ctx.res.writableFinished
    const fields = { request_id: requestId, operation, key_id: key.id, rows: sent, ms, complete }
    logEnd(gateway.log, fields, failure)
    const requests = Math.ceil(sent / ROWS_PER_REQUEST) - 1
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

/** Undefined where the client accepts no compression, or the format is compressed itself. */
function compressorFor(ctx: KoaContext): Transform | undefined {
  const coding = selectCoding(ctx, Number.POSITIVE_INFINITY)
  if (!coding) return undefined
  ctx.set('Content-Encoding', coding)
  return coding === 'br'
    ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
    : createGzip({ level: 1 })
}
