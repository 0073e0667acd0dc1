/** Writes the rows of `/v1/partner/impressions` to a file or to stdout. */
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../../db/operator-error'
import { batchesOf } from '../../db/postgres/pipelined-batch'
import { withPool } from '../../db/postgres/pool'
import { ReaderPool } from '../../db/postgres/reader-pool'
import { findNumbers } from '../../db/references'
import { countOf } from '../../db/text/count-of'
import { Context } from '../../resolvers/context'
import type { Data } from '../../rest-gateway/envelopes/envelopes'
import type { FlatFormat } from '../../rest-gateway/formats/formats'
import { writeParts } from '../../rest-gateway/formats/parts'
import { batchLimit } from '../../rest-gateway/parameters/request-input'
import { checkSeriesRange } from '../../rest-gateway/parameters/series-range'
import { networkRoutes } from '../../rest-gateway/routes/networks'
import { readData } from '../../rest-gateway/routes/query-result'
import type { Route } from '../../rest-gateway/routes/record'
import { compileRoute } from '../../rest-gateway/routes/route'
import { ApiError } from '../../schema/errors'
import { withDatabase } from '../database'
import type { Invocation } from '../invocation'
import { readSettings } from '../settings'
import { UsageError } from '../usage-error'

export interface ExportImpressionsOptions {
  from: string
  to: string
  company?: string
  grain: string
  outputFormat: FlatFormat
  output?: string
}

export async function exportImpressions(invocation: Invocation, options: ExportImpressionsOptions): Promise<void> {
  const route = compileListImpressions()
  const variables = buildVariables(route, options)
  const { company, outputFormat: format, output } = options
  if (format === 'parquet' && output === undefined && invocation.stdout.isTTY) {
    throw new UsageError('USAGE', 'Parquet is binary: give --output FILE, or redirect the output')
  }
  const settings = readSettings(invocation.env)
  const { connectTimeoutMs, statementTimeoutMs } = settings
  await withDatabase(invocation, settings, async ({ ownerUrl }) => {
    const find = (name: string) => withPool(ownerUrl, { max: 1 }, db => findNumbers(db, 'companies', [name]))
    const companies = company === undefined ? null : await find(company)
    const limits = { connections: 1, connectTimeoutMs, statementTimeoutMs }
    const pool = new ReaderPool(ownerUrl, limits, batchesOf('owner'))
    let rows = 0
    try {
      const read = (last: string | null) => readBatch(route, pool, companies, { ...variables, cursor: last })
      const parts = writeParts(route, format, await read(null), read, more => {
        rows += more
      })
      await write(Readable.from(parts, { objectMode: false }), output ?? invocation.stdout)
    } finally {
      await pool.close()
    }
    invocation.printMessage(`${countOf(rows, 'row')} exported`)
  })
}

function compileListImpressions(): Route {
  return compileRoute(networkRoutes.find(({ operation }) => operation === 'ListImpressions')!)
}

/** @throws UsageError */
function buildVariables(route: Route, { from, to, grain }: ExportImpressionsOptions): Record<string, unknown> {
  const variables = { from_date: from, to_date: to, grain }
  try {
    checkSeriesRange(variables)
  } catch (error) {
    if (error instanceof ApiError) {
      throw new UsageError('USAGE', from > to ? `--from ${from} is after --to ${to}` : error.message)
    }
    throw error
  }
  return { ...variables, limit: batchLimit(route, variables) }
}

async function readBatch(
  route: Route,
  pool: ReaderPool,
  companies: readonly number[] | null,
  variables: Record<string, unknown>,
): Promise<Data> {
  const reader = pool.readerOfCompanies(companies)
  const result = route.execute(new Context(reader, Date.now()), variables)
  await reader.authenticate()
  return readData(await result, route.errorsOfNodes)
}

/** Writes to a stream, or to a file, under another name until it is complete. @throws OperatorError FILE_UNUSABLE */
async function write(source: Readable, to: string | Writable): Promise<void> {
  if (typeof to !== 'string') {
    return pipeline(source, to, { end: false }).catch(error => {
      // The reader of the pipe wanted no more.
      if (error.code !== 'EPIPE') throw error
    })
  }
  const partial = `${to}.partial`
  try {
    await pipeline(source, createWriteStream(partial))
    await rename(partial, to)
  } catch (error) {
    await rm(partial, { force: true })
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new OperatorError('FILE_UNUSABLE', `${to} cannot be written to: ${(error as Error).message}`)
  }
}
