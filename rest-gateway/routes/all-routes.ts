/** The records of all routes, in the order in which they are documented. */
import type { RouteRecord } from '../record'
import { assetRoutes } from './assets'
import { changeRoutes } from './changes'
import { demographicRoutes } from './demographics'
import { impressionRoutes } from './impressions'
import { legacyRoutes } from './legacy'
import { metaRoutes } from './meta'
import { networkRoutes } from './networks'
import { noteRoutes } from './notes'
import { sensorRoutes } from './sensors'

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
