/** Finds sensors that are silent, or whose counts of the last days or of those since a date cannot be trusted, all at one moment. */
import type { ClientBase, Pool } from 'pg'
import type { LocalDayCache } from '../calendar/local-day-cache'
import { dateOf, dayNumber } from '../calendar/local-days'
import { HISTORY_DAYS } from '../counts/usual-counts'
import { inSnapshot } from '../transaction'
import { loadLocalDays } from '../zones/rules-in-force'
import { CompanyJudge, type Verdict } from './company-judge'
import { describeFault } from './describe'
import { FAULT_KINDS, type FaultKind, joinFaults } from './fault'
import { type JudgedCompany, type JudgedSensor, readCompanies, readCounts, readJudgedSensors } from './read-sensors'
import { WINDOW_DAYS } from './typical-week'

export interface FoundFault {
  /** Serial. */
  sensor: string
  asset_id: string
  fault: FaultKind | 'silent'
  /** Local dates, both inclusive. */
  from: string
  to: string
  evidence: string
  remedy: string
}

interface NotJudged {
  /** Serial; null for all sensors of a company. */
  sensor: string | null
  asset_id: string | null
  faults: FaultKind[]
  reason: string
}

export interface Diagnosis {
  rows: FoundFault[]
  not_judged: NotJudged[]
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
    const rows: FoundFault[] = await findSilent(client, sensor, from)
    const silent = new Set(rows.map(found => found.sensor))
    const serials = new Set(silent)
    const notJudged: NotJudged[] = []
    for (const company of await readCompanies(client, sensor)) {
      const first = from === undefined ? company.counted_to + 1 - WINDOW_DAYS : dayNumber(from)
      if (first > company.counted_to) {
        const last = `the last day of ${company.name} that can be judged, ${dateOf(company.counted_to)}`
        const reason = `${dateOf(first)} is after ${last}`
        notJudged.push({ sensor: null, asset_id: null, faults: [...FAULT_KINDS], reason })
        continue
      }
      for (const [judged, { faults, unjudged }] of await judgeCompany(client, days, company, first)) {
        if (sensor !== undefined && judged.sensor !== sensor) continue
        const { serial, asset_id } = judged
        serials.add(serial)
        for (const found of faults) {
          const [from, to] = [dateOf(found.from), dateOf(found.to)]
          rows.push({ sensor: serial, asset_id, fault: found.fault, from, to, ...describeFault(found, judged, days) })
        }
        if (!silent.has(serial)) notJudged.push(...unjudged.map(each => ({ sensor: serial, asset_id, ...each })))
      }
    }
    return { rows, not_judged: notJudged, judged: serials.size }
  })
}

/** Judges the days of a company from `first` up to the last one with counts. Counts usually arrive on the next day. */
async function judgeCompany(
  client: ClientBase,
  days: LocalDayCache,
  { number, counted_to }: JudgedCompany,
  first: number,
): Promise<Map<JudgedSensor, Verdict>> {
  const end = counted_to + 1
  const judged = await readJudgedSensors(client, number, first, end)
  const verdicts = new Map(judged.map(sensor => [sensor, { faults: [], unjudged: [] } as Verdict]))
  // Windows that cross the end of a chunk are those of the next one.
  for (let start = first; start < end; start += CHUNK_DAYS - WINDOW_DAYS + 1) {
    const chunkEnd = Math.min(end, start + CHUNK_DAYS)
    const judge = new CompanyJudge(start, chunkEnd)
    const readFrom = Math.min(start, chunkEnd - WINDOW_DAYS) - HISTORY_DAYS
    for await (const [sensor, counts] of readCounts(client, days, judged, readFrom, chunkEnd))
      judge.add(counts, sensor.breaks ?? [])
    for (const [i, { faults, unjudged }] of judge.finish().entries()) {
      const sensor = judged[i]!
      verdicts.set(sensor, { faults: joinFaults([...verdicts.get(sensor)!.faults, ...faults]), unjudged })
    }
    if (chunkEnd === end) break
  }
  return verdicts
}

async function findSilent(
  client: ClientBase,
  sensor: number | undefined,
  from: string | undefined,
): Promise<FoundFault[]> {
  const { rows } = await client.query<
    Pick<FoundFault, 'sensor' | 'asset_id' | 'from' | 'to'> & { counted_to: string | null }
  >(
    `SELECT s.serial AS sensor, a.id AS asset_id, counted_to, from_date AS from, to_date AS to
     FROM silent_sensors i JOIN sensors s ON s.number = i.sensor JOIN assets a ON a.number = i.asset
     WHERE ($1::integer IS NULL OR i.sensor = $1) AND to_date >= coalesce($2::date, '-infinity') ORDER BY a.id, s.serial`,
    [sensor ?? null, from ?? null],
  )
  return rows.map(({ sensor, asset_id, from, to, counted_to }) => ({
    ...{ sensor, asset_id, fault: 'silent', from, to },
    evidence: counted_to === null ? 'no counts were ever stored' : `no counts after ${counted_to}`,
    remedy: `partner-metrics import impressions FILE, with the counts of ${from} to ${to}; if the sensor was taken away, partner-metrics import sensors FILE with its removed_at`,
  }))
}
