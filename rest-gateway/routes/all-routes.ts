/** The records of all routes, in the order in which they are documented, with those of what a key is and how impressions are measured. */
import { METHODOLOGY_PATH } from '../../resolvers/methodology'
import type { RouteRecord } from '../record'
import { at } from '../shape/envelopes'
import { assetRoutes, demographicRoutes, sensorRoutes } from './assets'
import { changeRoutes, noteRoutes } from './changes'
import { impressionRoutes } from './impressions'
import { legacyRoutes } from './legacy'
import { networkRoutes } from './networks'

const metaRoutes: RouteRecord[] = [
  {
    path: '/v1/partner/meta',
    operation: 'ReadMeta',
    tag: 'Key',
    summary: 'Get the API version and key scope',
    description:
      'Returns the API version and the companies whose data the key can read. Use it to check that a key works, and until when. Up to `final_through`, the totals of a company are final; later days are provisional.',
    parameters: [],
    query: `{
      meta {
        version companies { id name final_through: finalThrough } methodology
        key { label environment scopes rate expires_at: expiresAt }
      }
    }`,
    envelope: at('meta'),
  },
  {
    path: METHODOLOGY_PATH,
    operation: 'ReadMethodology',
    tag: 'Key',
    summary: 'Get the methodology',
    description:
      "Returns how impressions are measured, in the terms of the industry's standards, as [Methodology](/docs/methodology) explains it, and what the operator states: null where nothing was stated, an empty list for none. `version` changes with the measurement.",
    parameters: [],
    query: `{
      methodology {
        version standard { name edition accredited } level { name definition ladder { name available definition } }
        provider sources { figure name kind description } accuracy { sensors accuracy method }
        exposure_zones: exposureZones { name definition } adjustments { name factor description }
        audits { auditor standard date accredited } quality_control: qualityControl { name definition }
        measures { name available definition } missing
        suppression { minimum_impressions: minimumImpressions definition } restatements clock_changes: clockChanges
      }
    }`,
    envelope: at('methodology'),
  },
]

export const partnerRoutes: readonly RouteRecord[] = [
  ...metaRoutes,
  ...assetRoutes,
  ...impressionRoutes,
  ...networkRoutes,
  ...noteRoutes,
  ...changeRoutes,
  ...sensorRoutes,
  ...demographicRoutes,
]

export { legacyRoutes }
