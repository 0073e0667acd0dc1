/** Brings a copy up to date, and compares it with the service. */
import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { connect, type Metrics, MetricsError } from '../index'
import { dataOf } from '../metrics-error'
import { Copy, positionOf, type Summary } from './copy'
import { connectDuckDb, connectPostgres, connectSqlite } from './databases'
import { addDays } from './days'
import { PullError, usageError } from './pull-error'
import { SqlStore, type State } from './sql-store'
import { COLUMNS, GRAINS, type Grain, MAX_DAYS } from './tables'

export interface PullOptions {
  url: string
  /** `-` for standard input. */
  keyFile: string
  to: string
  grain: Grain
  from?: string
  verify?: boolean
}

/**
 * @param streams of which standard input is accessed only where the key is read from it
 * @param report receives lines about the progress
 * @returns what was done, and the differences that were found if the copy was verified
 */
export async function pull(
  options: PullOptions,
  streams: { readonly stdin: Readable },
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<Summary & { differences: string[] | undefined }> {
  const { url, to, grain, from, verify } = options
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw usageError('--url must be like https://metrics.example')
  const key = await readKey(streams, options.keyFile)
  const onRetry = (reason: string, seconds: number) => report(`waiting ${Math.ceil(seconds)} s: ${reason}`)
  const metrics = connect({ url, key, signal, onRetry })
  try {
    await checkService(metrics, url)
    const store = await openStore(to)
    try {
      const origin = { url: url.replace(/\/+$/, ''), grain, from: from ?? '', columns: COLUMNS }
      await checkOrigin(metrics, await store.readState(), origin)
      const copy = new Copy(metrics, store, { grain, from, origin }, report)
      const summary = await copy.update()
      return { ...summary, differences: verify ? await findDifferences(metrics, store, grain, from) : undefined }
    } finally {
      await store.close()
    }
  } catch (error) {
    throw asPullError(error, url, signal)
  }
}

async function readKey(streams: { readonly stdin: Readable }, file: string): Promise<string> {
  if (/^msk_(test|live)_/i.test(file)) {
    throw usageError(
      '--key-file is the key itself, which is now in your shell history: delete it there, and pass the name of a file',
    )
  }
  try {
    const text =
      file === '-' ? (await streams.stdin.setEncoding('utf8').toArray()).join('') : readFileSync(file, 'utf8')
    if (text.trim() !== '') return text.trim()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw usageError(`--key-file ${file} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`)
  }
  throw usageError(`--key-file ${file} is empty`)
}

/** Asks for the scope of the key, before anything is stored. @throws PullError where another server answers */
async function checkService(metrics: Metrics, url: string): Promise<void> {
  const notAService = (found: string) =>
    new PullError('NOT_A_SERVICE', `${url} is not the address of partner-metrics: ${found}`)
  try {
    const data = dataOf(await metrics.GET('/v1/partner/meta'))
    if (!Array.isArray(data?.companies)) throw notAService('/v1/partner/meta names no companies')
  } catch (error) {
    if (error instanceof SyntaxError) throw notAService('it responds with something else than JSON')
    if (!(error instanceof MetricsError && error.code === 'UNKNOWN')) throw error
    throw notAService(`/v1/partner/meta has the status ${error.status}`)
  }
}

async function openStore(to: string): Promise<SqlStore> {
  const [, kind = '', file = ''] = /^(sqlite|duckdb):(.+)$/s.exec(to) ?? []
  const connectFile = { sqlite: connectSqlite, duckdb: connectDuckDb }[kind]
  return SqlStore.open(await (connectFile ? connectFile(file) : connectPostgres(to)))
}

/** Refuses to mix copies. @throws PullError */
async function checkOrigin(metrics: Metrics, state: State, origin: State): Promise<void> {
  for (const [name, value] of Object.entries(origin)) {
    if (state[name] === undefined || state[name] === value) continue
    // Only the service that issued a cursor accepts it, whatever its address is.
    if (name === 'url' && (await isAccepted(metrics, state))) continue
    const found = name === 'columns' ? 'version' : `${name} (${state[name] || 'none'})`
    throw usageError(`the copy was begun with another ${found}: repeat it, or choose another --to`)
  }
}

/** @param state without a cursor if a new copy is to begin */
async function isAccepted(metrics: Metrics, state: State): Promise<boolean> {
  if (!state.cursor) return true
  try {
    dataOf(await metrics.GET('/v1/partner/changes', { params: { query: { ...positionOf(state), limit: 1 } } }))
    return true
  } catch (error) {
    if (error instanceof MetricsError && ['INVALID_CURSOR', 'RESYNC_REQUIRED'].includes(error.code)) return false
    throw error
  }
}

function asPullError(error: unknown, url: string, { aborted, reason }: AbortSignal): unknown {
  if (aborted && reason.code === 'INTERRUPTED') {
    return new PullError('INTERRUPTED', `${reason.message}: the next run continues the copy`)
  }
  if (error instanceof MetricsError) return new PullError(error.code, `the service refused: ${error.message}`)
  if (!(error instanceof TypeError)) return error
  const cause = error.cause as NodeJS.ErrnoException | undefined
  return cause ? new PullError('UNREACHABLE', `${url}: ${cause.message || cause.code || error.message}`) : error
}

/** Returns a line for each asset whose impressions differ. Assets that do not have the grain have no rows. */
async function findDifferences(
  metrics: Metrics,
  store: SqlStore,
  grain: Grain,
  from: string | undefined,
): Promise<string[]> {
  const copied = await store.sumImpressions()
  const finest = new Map<string, Grain | null>()
  let last = ''
  for await (const { id, finest_grain, measured_to } of metrics.entries('/v1/partner/assets', {})) {
    finest.set(id, finest_grain)
    if (measured_to && measured_to > last) last = measured_to
  }
  if (last === '') return []
  const query = {
    ...{ from_date: from ?? addDays(last, 1 - MAX_DAYS.day), to_date: last },
    group_by: 'asset' as const,
  }
  const { data } = dataOf(await metrics.GET('/v1/partner/impressions/aggregate', { params: { query } }))
  const has = (id: string) => GRAINS.indexOf(finest.get(id) ?? 'quarter_hour') <= GRAINS.indexOf(grain)
  return data.flatMap(({ asset_id, impressions }) => {
    if (asset_id == null) return []
    const sum = copied.get(asset_id) ?? 0
    if (!has(asset_id) || sum === (impressions ?? 0)) return []
    return [`${asset_id} has ${sum} impressions in the copy and ${impressions ?? 0} in the service`]
  })
}
