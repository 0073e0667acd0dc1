/** Brings a partner's copy up to date. It talks to the service alone, never to its database. */
import { readFileSync } from 'node:fs'
import type { Invocation } from '../../cli/invocation'
import { isRegularShutdown, shutdownSignal } from '../../cli/shutdown'
import { UsageError } from '../../cli/usage-error'
import { OperatorError } from '../../db/operator-error'
import type { Grain } from '../../schema/generated'
import { connect, type Metrics, MetricsError } from '../index'
import { Copy, type Summary } from './copy'
import { connectDuckDb, connectPostgres, connectSqlite } from './databases'
import { FolderStore } from './folder-store'
import { SqlStore } from './sql-store'
import type { State, Store } from './store'
import { findDifferences } from './verify'

export interface Options {
  url: string
  keyFile: string
  to: string
  grain: Grain
  from?: string
  audience: boolean
  verify?: boolean
  json?: boolean
}

export async function pull(invocation: Invocation, options: Options): Promise<void> {
  const { url, grain, from, audience: withAudience, verify, json = false } = options
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new UsageError('USAGE', '--url must be like https://metrics.example')
  const key = await readKey(invocation, options.keyFile)
  const onRetry = (reason: string, seconds: number) =>
    invocation.printMessage(`waiting ${Math.ceil(seconds)} s: ${reason}`)
  const metrics = connect({ url, key, signal: shutdownSignal, onRetry })
  try {
    await checkService(metrics, url)
    const store = await openStore(options)
    try {
      const origin = { url: url.replace(/\/+$/, ''), grain, from: from ?? '', audience: String(withAudience) }
      await checkOrigin(metrics, await store.readState(), origin)
      const copy = new Copy(metrics, store, { grain, from, withAudience, origin }, invocation.printMessage)
      const summary = await copy.update()
      const differences = verify ? await findDifferences(metrics, store, grain, from) : []
      report(invocation, json, summary, verify ? differences : undefined)
      if (differences.length > 0) invocation.exitCode = 1
    } finally {
      await store.close()
    }
  } catch (error) {
    throw asOperatorError(error, url)
  }
}

async function readKey({ stdin }: Invocation, file: string): Promise<string> {
  try {
    const text = file === '-' ? (await stdin.setEncoding('utf8').toArray()).join('') : readFileSync(file, 'utf8')
    if (text.trim() !== '') return text.trim()
  } catch (error) {
    throw new UsageError('USAGE', `--key-file ${file} cannot be read: ${(error as Error).message}`)
  }
  throw new UsageError('USAGE', `--key-file ${file} is empty`)
}

/** Asks for the scope of the key, before anything is stored. @throws OperatorError where another server answers */
async function checkService(metrics: Metrics, url: string): Promise<void> {
  const notAService = (found: string) =>
    new OperatorError('NOT_A_SERVICE', `${url} is not the address of partner-metrics: ${found}`)
  const { data, error, response } = await metrics.GET('/v1/partner/meta').catch(error => {
    throw error instanceof SyntaxError ? notAService('it responds with something else than JSON') : error
  })
  if (error) {
    const refusal = MetricsError.from(response.status, error)
    throw refusal.code === 'UNKNOWN' ? notAService(`/v1/partner/meta has the status ${response.status}`) : refusal
  }
  if (!Array.isArray(data?.companies)) throw notAService('/v1/partner/meta names no companies')
}

async function openStore({ to, grain }: Options): Promise<Store> {
  const [, kind = 'folder', rest = to] = /^(sqlite|duckdb|postgres(?:ql)?):(.*)$/s.exec(to) ?? []
  if (kind === 'folder') return new FolderStore(to, grain !== 'day')
  const connect = { sqlite: connectSqlite, duckdb: connectDuckDb }[kind]
  const connection = await (connect ? connect(rest) : connectPostgres(to))
  return SqlStore.open(connection)
}

/** Refuses to mix copies. @throws UsageError */
async function checkOrigin(metrics: Metrics, state: State, origin: State): Promise<void> {
  for (const [name, value] of Object.entries(origin)) {
    if (state[name] === undefined || state[name] === value) continue
    // A cursor is signed: only the same service accepts it, whatever its address is.
    if (name === 'url' && (await isAccepted(metrics, state.cursor))) continue
    throw new UsageError(
      'USAGE',
      `the copy was begun with another ${name} (${state[name] || 'none'}): repeat it, or choose another --to`,
    )
  }
}

/** @param cursor empty if a new copy is to begin */
async function isAccepted(metrics: Metrics, cursor: string | undefined): Promise<boolean> {
  if (!cursor) return true
  const { error, response } = await metrics.GET('/v1/partner/changes', { params: { query: { cursor, limit: 1 } } })
  if (!error) return true
  const refusal = MetricsError.from(response.status, error)
  if (refusal.code === 'INVALID_CURSOR' || refusal.code === 'RESYNC_REQUIRED') return false
  throw refusal
}

function report(invocation: Invocation, json: boolean, summary: Summary, differences: string[] | undefined): void {
  const { first, resynced, rows, changes } = summary
  const document = { first, resynced, rows, changes: changes.count, ...(differences && { differences }) }
  invocation.printResult(json, document, () => {
    const counts = Object.entries(rows).map(([table, count]) => `${count.toLocaleString('en')} ${table}`)
    const verified = differences?.length === 0 ? ['verified: every asset has the impressions of the service'] : []
    return [
      ...(first ? ['first copy'] : changes.count === 0 ? ['nothing has changed'] : changes.describe()),
      ...(first || changes.count > 0 ? [`rows written: ${counts.join(', ')}`] : []),
      ...(differences ?? []),
      ...verified,
    ]
  })
}

function asOperatorError(error: unknown, url: string): unknown {
  if (isRegularShutdown()) {
    return new OperatorError('INTERRUPTED', `${shutdownSignal.reason.message}: the next run continues the copy`)
  }
  if (error instanceof MetricsError) return new OperatorError(error.code, `the service refused: ${error.message}`)
  if (!(error instanceof TypeError)) return error
  const cause = error.cause as NodeJS.ErrnoException | undefined
  return cause ? new OperatorError('UNREACHABLE', `${url}: ${cause.message || cause.code || error.message}`) : error
}
