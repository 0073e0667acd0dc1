/** The paths of the pages of the documentation. */
export const DOCUMENTS = [
  '/docs',
  '/docs/reference',
  '/docs/buyers',
  '/docs/clients',
  '/docs/errors',
  '/docs/methodology',
  '/docs/migration',
  '/docs/policy',
  '/docs/changelog',
  '/docs/install',
  '/docs/database',
  '/docs/running',
  '/docs/maintenance',
  '/docs/import',
]
