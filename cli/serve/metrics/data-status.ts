/**
 * Metrics of the data: silent sensors, and when each kind was imported last. They are read in the background, at most
 * every five minutes and only when they are collected, so that no scrape waits for the database.
 */
import type { Logger } from 'pino'
import { Gauge, Registry } from 'prom-client'
import { failedCommand, readLastTimes } from '../../../db/operations/record'
import { countSensors } from '../../../db/operations/status'
import { type Pool, withPool } from '../../../db/postgres/pool'
import { KIND_NAMES } from '../../../imports/kind-names'

const MAX_AGE_MS = 300_000

const STATEMENT_TIMEOUT_MS = 60_000

export class DataStatus {
  /** Empty before the first reading, and after one that failed. */
  private registry = new Registry()
  private reading = Promise.resolve()
  private readAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly ownerUrl: string,
    private readonly connectTimeoutMs: number,
    private readonly log: Logger,
  ) {}

  /** Returns the metrics as they were read last. */
  collect(): Registry {
    const now = performance.now()
    if (now - this.readAt > MAX_AGE_MS) {
      this.readAt = now
      this.reading = this.refresh()
    }
    return this.registry
  }

  /** Waits for the reading under way. */
  close(): Promise<void> {
    return this.reading
  }

  private async refresh(): Promise<void> {
    const config = { max: 1, connectionTimeoutMillis: this.connectTimeoutMs }
    try {
      this.registry = await withPool(this.ownerUrl, config, readMetrics)
    } catch (error) {
      this.registry = new Registry()
      this.log.warn({ err: error }, 'the metrics of sensors and imports could not be read')
    }
  }
}

type AddGauge = (name: string, help: string, ...labelNames: string[]) => Gauge

/** @param owner a pool of one connection, whose transaction ends with it */
async function readMetrics(owner: Pool): Promise<Registry> {
  const registry = new Registry()
  const add: AddGauge = (name, help, ...labelNames) => new Gauge({ name, help, labelNames, registers: [registry] })
  await owner.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`)
  await addSensors(owner, add)
  const succeeded = add('import_last_success_timestamp_seconds', 'When a file was imported last, by kind.', 'kind')
  const failed = add(
    'import_last_failure_timestamp_seconds',
    'When nothing of a file was stored because of errors, by kind.',
    'kind',
  )
  const commands = KIND_NAMES.map(kind => [kind, `import ${kind}`] as const)
  const times = await readLastTimes(
    owner,
    commands.flatMap(([, command]) => [command, failedCommand(command)]),
  )
  for (const [kind, command] of commands) {
    const [success, failure] = [times.get(command), times.get(failedCommand(command))]
    if (success !== undefined) succeeded.set({ kind }, success)
    if (failure !== undefined) failed.set({ kind }, failure)
  }
  return registry
}

/** Adds the numbers of sensors, and those by vendor: one that is gone is a small share of all sensors. */
async function addSensors(owner: Pool, add: AddGauge): Promise<void> {
  const counts = await countSensors(owner)
  const addBoth = (field: 'installed' | 'silent', name: string, help: string) => {
    add(name, `${help}.`).set(counts.reduce((sum, ofVendor) => sum + ofVendor[field], 0))
    const ofVendors = add(`vendor_${name}`, `${help}, by company and vendor.`, 'company', 'vendor')
    for (const { company, vendor, ...numbers } of counts) ofVendors.set({ company, vendor }, numbers[field])
  }
  addBoth('installed', 'sensors_installed', 'Installed sensors')
  addBoth('silent', 'sensors_silent', 'Installed sensors without counts in their last two whole days')
}
