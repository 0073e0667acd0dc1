/**
 * Metrics of the data: silent sensors, those that cannot be trusted, ending keys, and when each kind was imported last. They are
 * read in the background, at most every five minutes and only when they are collected, so that no scrape waits for the database.
 */
import type { Logger } from 'pino'
import { Gauge, Registry } from 'prom-client'
import { FAULT_KINDS } from '../../../db/doctor/fault'
import { readLastDiagnosis } from '../../../db/doctor/record'
import { failedCommand, readLastTimes } from '../../../db/operations/history'
import { countSensors, readEndingKeys } from '../../../db/operations/status'
import { type Pool, withAnyPool } from '../../../db/postgres/pool'
import { KIND_NAMES } from '../../../imports/kind-names'

const MAX_AGE_MS = 300_000

const STATEMENT_TIMEOUT_MS = 60_000

export class DataStatus {
  /** Empty before the first reading, and after one that failed. */
  private registry = new Registry()
  private reading = Promise.resolve()
  private readAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly ownerUrls: readonly string[],
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
      this.registry = await withAnyPool(this.ownerUrls, config, readMetrics)
    } catch (error) {
      this.registry = new Registry()
      this.log.warn({ err: error }, 'the metrics of sensors, keys and imports could not be read')
    }
  }
}

/** @param owner a pool of one connection, whose transaction ends with it */
async function readMetrics(owner: Pool): Promise<Registry> {
  const registers = [new Registry()] as [Registry]
  await owner.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`)
  await addSensors(owner, registers)
  await addDiagnosis(owner, registers)
  const keys = new Gauge({
    name: 'key_expiration_timestamp_seconds',
    help: 'When keys end, of those that end within 14 days or were replaced and are still used. state: current, replaced, replaced_in_use.',
    labelNames: ['key_id', 'label', 'state'],
    registers,
  })
  for (const { id, label, expires_at, replaced_by, still_used } of (await readEndingKeys(owner)).rows) {
    const state = replaced_by === null ? 'current' : still_used ? 'replaced_in_use' : 'replaced'
    keys.set({ key_id: id, label: label ?? '', state }, Date.parse(expires_at) / 1000)
  }
  const succeeded = new Gauge({
    name: 'import_last_success_timestamp_seconds',
    help: 'When a file was imported last, by kind.',
    labelNames: ['kind'],
    registers,
  })
  const failed = new Gauge({
    name: 'import_last_failure_timestamp_seconds',
    help: 'When nothing of a file was stored because of errors, by kind.',
    labelNames: ['kind'],
    registers,
  })
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
  return registers[0]
}

/** Adds the numbers of sensors, and those by vendor: one that is gone is a small share of all sensors. */
async function addSensors(owner: Pool, registers: [Registry]): Promise<void> {
  const counts = await countSensors(owner)
  const add = (field: 'installed' | 'silent', name: string, nameOfVendors: string, help: string) => {
    const all = new Gauge({ name, help: `${help}.`, registers })
    all.set(counts.reduce((sum, ofVendor) => sum + ofVendor[field], 0))
    const labelNames = ['company', 'vendor']
    const gauge = new Gauge({ name: nameOfVendors, help: `${help}, by company and vendor.`, labelNames, registers })
    for (const { company, vendor, ...numbers } of counts) gauge.set({ company, vendor }, numbers[field])
  }
  const silence = 'Installed sensors without counts in their last two whole days'
  add('installed', 'sensors_installed', 'vendor_sensors_installed', 'Installed sensors')
  add('silent', 'sensors_silent', 'vendor_sensors_silent', silence)
}

/** Adds the findings of the last run of `doctor`; nothing before its first run. */
async function addDiagnosis(owner: Pool, registers: [Registry]): Promise<void> {
  const diagnosis = await readLastDiagnosis(owner)
  if (!diagnosis) return
  const untrusted = new Gauge({
    name: 'sensors_untrusted',
    help: 'Sensors whose counts cannot be trusted, by fault other than silence, as `partner-metrics doctor` found last.',
    labelNames: ['fault'],
    registers,
  })
  for (const fault of FAULT_KINDS) untrusted.set({ fault }, diagnosis.faults[fault] ?? 0)
  const ranAt = { name: 'doctor_last_run_timestamp_seconds', help: 'When doctor ran last.', registers }
  new Gauge(ranAt).set(Date.parse(diagnosis.ran_at) / 1000)
}
