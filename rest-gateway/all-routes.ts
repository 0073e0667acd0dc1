/** The records of all routes, in the order in which they are documented. */
import type { RouteRecord } from './record'
import { assetRoutes } from './routes/assets'
import { changeRoutes } from './routes/changes'
import { demographicRoutes } from './routes/demographics'
import { impressionRoutes } from './routes/impressions'
import { legacyRoutes } from './routes/legacy'
import { metaRoutes } from './routes/meta'
import { networkRoutes } from './routes/networks'
import { noteRoutes } from './routes/notes'
import { sensorRoutes } from './routes/sensors'

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
