/** Finds sensors whose counts cannot be trusted, on the last days or on those since a date, all at one moment. */
import type { ClientBase, Pool } from 'pg'
import type { LocalDayCache } from '../calendar/local-day-cache'
import { dateOf, dayNumber } from '../calendar/local-days'
import { HISTORY_DAYS } from '../counts/usual'
import { inSnapshot } from '../transaction'
import { loadLocalDays } from '../zones/rules-in-force'
import { CompanyJudge, type Verdict } from './company-judge'
import { describeFault } from './describe'
import { FAULT_KINDS, type Fault, type FaultKind, joinFaults } from './fault'
import { MIN_OTHERS } from './others'
import { type JudgedCompany, type JudgedSensor, readCompanies, readCounts, readJudgedSensors } from './read-sensors'
import { WINDOW_DAYS } from './typical-week'

export interface FoundFault {
  /** Serial. */
  sensor: string
  asset_id: string
  fault: FaultKind
  /** Local dates, both inclusive. */
  from: string
  to: string
  evidence: string
  remedy: string
}

export interface NotJudged {
  /** Serial; null for all sensors of a vendor, or of a company. */
  sensor: string | null
  asset_id: string | null
  faults: FaultKind[]
  reason: string
}

export interface Diagnosis {
  rows: FoundFault[]
  not_judged: NotJudged[]
  /** Sensors that were judged. */
  judged: number
}

interface DoctorOptions {
  /** Number of the only sensor that is shown. */
  sensor?: number | undefined
  /** The first local date that is judged; without it, the last three days of each company. */
  from?: string | undefined
}

/** Days that are judged at once: a sensor needs 12 kB of memory meanwhile. */
const CHUNK_DAYS = 16

/** Judges beside everything else, and changes nothing. */
export function diagnose(pool: Pool, { sensor, from }: DoctorOptions): Promise<Diagnosis> {
  return inSnapshot(pool, async client => {
    const days = await loadLocalDays(client)
    const diagnosis: Diagnosis = { rows: [], not_judged: [], judged: 0 }
    for (const company of await readCompanies(client, sensor)) {
      const found = await diagnoseCompany(client, days, company, from === undefined ? undefined : dayNumber(from))
      const { verdicts, undelivered, unjudged } = found
      for (const [judged, { faults, unjudged }] of verdicts) {
        if (sensor !== undefined && judged.sensor !== sensor) continue
        diagnosis.judged++
        for (const fault of faults) diagnosis.rows.push(describe(judged, fault, days))
        const { serial, asset_id } = judged
        for (const each of unjudged) diagnosis.not_judged.push({ sensor: serial, asset_id, ...each })
      }
      for (const reason of undelivered)
        diagnosis.not_judged.push({ sensor: null, asset_id: null, faults: ['silent'], reason })
      if (unjudged !== undefined)
        diagnosis.not_judged.push({ sensor: null, asset_id: null, faults: [...FAULT_KINDS], reason: unjudged })
    }
    return diagnosis
  })
}

function describe(
  { serial, asset_id, zone, native_minutes }: JudgedSensor,
  fault: Fault,
  days: LocalDayCache,
): FoundFault {
  const dates = { from: dateOf(fault.from), to: dateOf(fault.to) }
  const place = { serial, zone, minutes: native_minutes }
  return { sensor: serial, asset_id, fault: fault.fault, ...dates, ...describeFault(fault, place, days) }
}

interface CompanyDiagnosis {
  verdicts: Map<JudgedSensor, Verdict>
  /** Why no sensor of a vendor, or of the company, has counts. */
  undelivered: string[]
  /** Why no day of the company is judged. */
  unjudged?: string
}

async function diagnoseCompany(
  client: ClientBase,
  days: LocalDayCache,
  { number, name, sensors, counted_to, over }: JudgedCompany,
  from: number | undefined,
): Promise<CompanyDiagnosis> {
  // Counts usually arrive on the next day. Many sensors without any were not delivered; of few, each may be silent.
  const end = Math.max(counted_to ?? 0, sensors > MIN_OTHERS && counted_to !== null ? 0 : over - 1) + 1
  const undelivered: string[] = []
  if (sensors > MIN_OTHERS && (counted_to ?? 0) < over - 1) {
    const last = counted_to === null ? 'has counts' : `has counts after ${dateOf(counted_to)}`
    undelivered.push(`none of the ${sensors} sensors of ${name} ${last}: import them`)
  }
  const first = from ?? end - WINDOW_DAYS
  if (first >= end) {
    const unjudged = `${dateOf(first)} is after the last day of ${name} that can be judged, ${dateOf(end - 1)}`
    return { verdicts: new Map(), undelivered, unjudged }
  }
  const judged = await readJudgedSensors(client, number, first, end)
  const verdicts = new Map(judged.map(sensor => [sensor, { faults: [], unjudged: [] } as Verdict]))
  // Windows that cross the end of a chunk are those of the next one.
  for (let start = first; start < end; start += CHUNK_DAYS - WINDOW_DAYS + 1) {
    const chunkEnd = Math.min(end, start + CHUNK_DAYS)
    const judge = new CompanyJudge(start, chunkEnd)
    const readFrom = Math.min(start, chunkEnd - WINDOW_DAYS) - HISTORY_DAYS
    for await (const [sensor, counts] of readCounts(client, days, judged, readFrom, chunkEnd))
      judge.add(counts, sensor.vendor, sensor.breaks ?? [])
    for (const [i, { faults, unjudged }] of judge.finish().entries()) {
      const sensor = judged[i]!
      verdicts.set(sensor, { faults: joinFaults([...verdicts.get(sensor)!.faults, ...faults]), unjudged })
    }
    if (chunkEnd < end) continue
    for (const vendor of judge.undelivered) {
      const { vendor_name } = judged.find(each => each.vendor === vendor)!
      undelivered.push(`no sensor of ${vendor_name} at ${name} has counts on the last days: import them`)
    }
    break
  }
  return { verdicts, undelivered }
}
