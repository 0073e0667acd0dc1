/** Brings a partner's copy up to date. It talks to the service alone, never to its database. */
import { readFileSync } from 'node:fs'
import { connect, MetricsError } from '../../client/index'
import { OperatorError } from '../../db/operator-error'
import type { Grain } from '../../schema/generated'
import type { Invocation } from '../invocation'
import { shutdownSignal } from '../shutdown'
import { UsageError } from '../usage-error'
import { describeChanges } from './changes'
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
  const store = await openStore(options)
  try {
    const origin = { url: url.replace(/\/+$/, ''), grain, from: from ?? '', audience: String(withAudience) }
    checkOrigin(await store.readState(), origin)
    const copy = new Copy(metrics, store, { grain, from, withAudience, origin }, invocation.printMessage)
    const summary = await copy.update()
    const differences = verify ? await findDifferences(metrics, store, grain, from) : []
    report(invocation, json, summary, verify ? differences : undefined)
    if (differences.length > 0) invocation.exitCode = 1
  } catch (error) {
    throw asOperatorError(error, url)
  } finally {
    await store.close()
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

async function openStore({ to, grain }: Options): Promise<Store> {
  const [, kind = 'folder', rest = to] = /^(sqlite|duckdb|postgres(?:ql)?):(.*)$/s.exec(to) ?? []
  if (kind === 'folder') return new FolderStore(to, grain !== 'day')
  const connect = { sqlite: connectSqlite, duckdb: connectDuckDb }[kind]
  const connection = await (connect ? connect(rest) : connectPostgres(to))
  return SqlStore.open(connection)
}

/** Refuses to mix copies. @throws UsageError */
function checkOrigin(state: State, origin: State): void {
  for (const [name, value] of Object.entries(origin)) {
    if (state[name] === undefined || state[name] === value) continue
    throw new UsageError(
      'USAGE',
      `the copy was begun with another ${name} (${state[name] || 'none'}): repeat it, or choose another --to`,
    )
  }
}

function report(invocation: Invocation, json: boolean, summary: Summary, differences: string[] | undefined): void {
  const { first, resynced, rows, changes } = summary
  const document = { first, resynced, rows, changes: changes.length, ...(differences && { differences }) }
  invocation.printResult(json, document, () => {
    const counts = Object.entries(rows).map(([table, count]) => `${count.toLocaleString('en')} ${table}`)
    const verified = differences?.length === 0 ? ['verified: every asset has the impressions of the service'] : []
    return [
      ...(first ? ['first copy'] : changes.length === 0 ? ['nothing has changed'] : describeChanges(changes)),
      ...(first || changes.length > 0 ? [`rows written: ${counts.join(', ')}`] : []),
      ...(differences ?? []),
      ...verified,
    ]
  })
}

function asOperatorError(error: unknown, url: string): unknown {
  if (error instanceof MetricsError) return new OperatorError(error.code, `the service refused: ${error.message}`)
  if (!(error instanceof TypeError)) return error
  const cause = error.cause as Error | undefined
  return cause ? new OperatorError('UNREACHABLE', `${url}: ${cause.message || error.message}`) : error
}
