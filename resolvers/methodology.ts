/** The methodology: what the service guarantees, and what its operator states. The documentation shows it as a page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as usual from '../db/counts/usual-counts'
import * as company from '../db/doctor/company-rules'
import * as sensor from '../db/doctor/sensor-rules'
import * as week from '../db/doctor/typical-week'
import type { Methodology } from '../schema/generated'
import type { Query } from './context'
import { MIN_IMPRESSIONS } from './demographics'

export const METHODOLOGY_PATH = '/v1/partner/methodology'

/** The fields that the operator states; all else is not the operator's to change. */
export const STATED = ['provider', 'sources', 'accuracy', 'exposureZones', 'adjustments', 'audits'] as const

export type OperatorStatement = { [Name in (typeof STATED)[number]]: Methodology[Name] | null }

/** The thresholds that the text names as `{NAME}`. */
const THRESHOLDS: object = { ...usual, ...company, ...sensor, ...week, MIN_IMPRESSIONS }

/** Changes of the measurement need a new version, which is the date from which on it applies. */
const { standard, suppression, ...GENERAL } = JSON.parse(
  readFileSync(join(__dirname, '..', 'docs', 'methodology.json'), 'utf8').replace(/\{([A-Z][\w.]+)\}/g, (_, path) =>
    path.split('.').reduce((value: object, name: string) => value[name as never], THRESHOLDS),
  ),
)

/** Returns the methodology of a service whose operator states this, or nothing. */
export function describeMethodology(statement?: OperatorStatement): Methodology {
  const { audits = null, sources = null } = statement ?? {}
  const isAccredited = (name: string) => audits?.some(audit => audit.accredited && audit.standard === name) ?? false
  return {
    ...GENERAL,
    ...statement,
    sources: sources ?? GENERAL.sources,
    standard: standard.map((each: { name: string }) => ({ ...each, accredited: isAccredited(each.name) })),
    suppression: { minimumImpressions: MIN_IMPRESSIONS, definition: suppression },
  }
}

export const methodology: Query['methodology'] = (_, __, { service }) => service.methodology
