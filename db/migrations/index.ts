/**
 * The migrations in their order, forward only. They are listed rather than found, so that they run alike from source and
 * from the build. A released migration is never edited: add the next one.
 */
import type { Knex } from 'knex'
import * as companies from './0001-companies'
import * as vendors from './0002-vendors'
import * as assets from './0003-assets'
import * as sensors from './0004-sensors'
import * as impressions from './0005-impressions'
import * as origins from './0006-origins'
import * as demographics from './0007-demographics'
import * as keys from './0008-keys'
import * as rowLevelSecurity from './0009-row-level-security'
import * as service from './0010-service'
import * as legacyCalls from './0011-legacy-calls'
import * as keyRates from './0012-key-rates'
import * as dataVersions from './0013-data-versions'
import * as walls from './0020-walls'
import * as factsOfACompany from './0021-facts-of-a-company'
import * as toldTogether from './0022-told-together'
import * as installations from './0023-installations'
import * as scopeOfAKey from './0024-scope-of-a-key'
import * as originsFromTheIndex from './0025-origins-from-the-index'
import * as companiesInTheKey from './0026-companies-in-the-key'
import * as demographicColumns from './0027-demographic-columns'
import * as vendorOfASensor from './0028-vendor-of-a-sensor'
import * as scopeOfATransaction from './0029-scope-of-a-transaction'
import * as changesOfAnAsset from './0030-changes-of-an-asset'

const migrations: Record<string, { up: string }> = {
  '0001-companies': companies,
  '0002-vendors': vendors,
  '0003-assets': assets,
  '0004-sensors': sensors,
  '0005-impressions': impressions,
  '0006-origins': origins,
  '0007-demographics': demographics,
  '0008-keys': keys,
  '0009-row-level-security': rowLevelSecurity,
  '0010-service': service,
  '0011-legacy-calls': legacyCalls,
  '0012-key-rates': keyRates,
  '0013-data-versions': dataVersions,
  '0020-walls': walls,
  '0021-facts-of-a-company': factsOfACompany,
  '0022-told-together': toldTogether,
  '0023-installations': installations,
  '0024-scope-of-a-key': scopeOfAKey,
  '0025-origins-from-the-index': originsFromTheIndex,
  '0026-companies-in-the-key': companiesInTheKey,
  '0027-demographic-columns': demographicColumns,
  '0028-vendor-of-a-sensor': vendorOfASensor,
  '0029-scope-of-a-transaction': scopeOfATransaction,
  '0030-changes-of-an-asset': changesOfAnAsset,
}

export const migrationNames = Object.keys(migrations)

export const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => migrationNames,
  getMigrationName: name => name,
  getMigration: async name => {
    const migration = migrations[name]
    if (!migration) throw new Error(`no migration ${name}`)
    return {
      up: async knex => {
        await knex.raw(migration.up)
      },
      down: async () => {
        throw new Error('migrations go forward only: restore a backup instead')
      },
    }
  },
}
