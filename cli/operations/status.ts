/** `partner-metrics status`: shows whether the service is running, and what an operator should look at. */
import { hostname } from 'node:os'
import type { Command } from 'commander'
import { countOf } from '../../db/count-of'
import { type RecordedOperation, readOperations } from '../../db/operations/record'
import { MAX_AGE_SECONDS, readServices, type ServiceProcess } from '../../db/operations/service-processes'
import { describeFutureCommit, readDatabaseStatus, readLastCommit, readSilentSensors } from '../../db/operations/status'
import { readOutdatedZones, updateDue } from '../../db/zones/compare-rules'
import { READINESS } from '../../rest-gateway/paths'
import type { Invocation } from '../invocation'
import { tableOf } from '../text/fitted-table'
import { minute } from './columns'
import { type OwnerSession, withOwner } from './owner'
import { summarizeValues } from './summary'

const MAX_IMPORTS = 5

/** Silent sensors in the table; the JSON document has more. */
const MAX_ROWS = 10

export function register(program: Command, invocation: Invocation): void {
  program
    .command('status')
    .description('show whether the service is running and at which address, the latest imports and silent sensors')
    .addHelpText('after', '\nExit code: 0 while a service is running and ready, otherwise 1.')
    .action(async () => {
      const status = await withOwner(invocation, readStatus)
      invocation.printResult(status, width => formatStatus(status, width))
      if (!status.ready) invocation.exitCode = 1
    })
}

async function readStatus({ pool, database: { location, embedded } }: OwnerSession) {
  const probed = await Promise.all((await readServices(pool)).map(probeService))
  const services = probed.filter(({ state }) => state !== 'gone')
  return {
    running: services.length > 0,
    ready: services.some(({ state }) => state !== 'not_ready'),
    services,
    database: { location, ...(await readDatabaseStatus(pool, embedded)) },
    last_commit: await readLastCommit(pool),
    imports: await readOperations(pool, MAX_IMPORTS, 'import'),
    silent_sensors: await readSilentSensors(pool),
    outdated_zones: await readOutdatedZones(pool),
  }
}

type Status = Awaited<ReturnType<typeof readStatus>>

function formatStatus(
  { services, database, last_commit, imports, silent_sensors, outdated_zones }: Status,
  width: number | undefined,
): string[] {
  const { location, version, programs, size_bytes, companies, assets, sensors } = database
  return [
    ...(services.length > 0 ? services.map(serviceLine) : ['the service is not running']),
    `database: PostgreSQL ${version} of ${programs ?? 'DATABASE_URL'}, ${location}, ${Math.ceil(size_bytes / 1_048_576)} MiB`,
    `stored: ${countOf(companies, 'company', 'companies')}, ${countOf(assets, 'asset')}, ${countOf(sensors, 'sensor')}`,
    last_commit.in_future ? describeFutureCommit(last_commit) : `data changed last: ${minute(last_commit.at)} UTC`,
    ...(imports.length > 0
      ? ['', 'latest imports:', tableOf(imports, IMPORT_COLUMNS, ['file', 'figures'], width)]
      : ['', 'nothing was imported yet']),
    '',
    ...describeSilent(silent_sensors, width),
    ...(outdated_zones.length > 0 ? ['', updateDue(outdated_zones)] : []),
  ]
}

const STATES = {
  ready: 'is running and ready',
  not_ready: 'is running, but not ready: see its log',
  unreachable: 'reports that it is running, but cannot be reached from here',
  gone: 'is not running',
}

const serviceLine = ({ url, host, pid, version, state }: ProbedService): string =>
  `the service at ${url} ${STATES[state]} (version ${version}, process ${pid} on ${host})`

const IMPORT_COLUMNS = {
  'at (UTC)': ({ at }: RecordedOperation) => minute(at),
  kind: ({ command }: RecordedOperation) => command.replace(/^import /, ''),
  file: ({ details }: RecordedOperation) => String(details.file ?? ''),
  figures: ({ figures }: RecordedOperation) => summarizeValues(figures),
}

function describeSilent({ count, rows }: Status['silent_sensors'], width: number | undefined): string[] {
  const title = '(no counts in their last 2 whole days)'
  if (count === 0) return [`no silent sensors ${title}`]
  const columns = {
    serial: 'serial',
    asset: 'asset',
    'last day': (row: (typeof rows)[0]) => row.last_date ?? 'never',
  } as const
  return [
    `${countOf(count, 'silent sensor')} ${title}:`,
    tableOf(rows.slice(0, MAX_ROWS), columns, ['asset'], width),
    ...(count > MAX_ROWS ? [`and ${count - MAX_ROWS} more (--json lists up to 100)`] : []),
  ]
}

interface ProbedService extends Omit<ServiceProcess, 'id' | 'age'> {
  state: keyof typeof STATES
}

const TIMEOUT_MS = 3_000

async function probeService({ id: _id, age, ...service }: ServiceProcess): Promise<ProbedService> {
  const local = service.host === hostname()
  const answer = await askReadiness(reachableUrl(service.url, local ? undefined : service.host))
  const state = answer ?? (!local && age <= MAX_AGE_SECONDS ? 'unreachable' : 'gone')
  return { ...service, state }
}

/** Undefined where nothing answers, or something else than a service. */
async function askReadiness(url: string): Promise<'ready' | 'not_ready' | undefined> {
  try {
    const response = await fetch(`${url}${READINESS}`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    const text = await response.text()
    if (response.status === 200) return text.startsWith('ready') ? 'ready' : undefined
    return response.status === 503 ? 'not_ready' : undefined
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'not_ready' : undefined
  }
}

/** Returns the URL at which a service can be reached. @param host of one on another machine; else it is local */
export function reachableUrl(text: string, host?: string): string {
  const url = new URL(text)
  if (url.hostname === '0.0.0.0') url.hostname = host ?? '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = host ?? '[::1]'
  return url.origin
}
