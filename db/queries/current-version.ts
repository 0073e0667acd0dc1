/** Reads the version of the data of an asset alone, without any data. */
import type { Dates } from '../calendar/local-days'
import type { ScopedReader, Statement } from '../postgres/scoped-reader'
import { FIND_VERSION, versionedValues } from './asset-lookup'
import { type DataVersion, type Precondition, readVersion, type VersionColumns } from './data-versions'

/** The condition on the dates only gives them their type: their months decide about the version. */
const STATEMENT: Statement = {
  name: 'current-version',
  text: `SELECT changed, version, matches FROM ${FIND_VERSION.sql} AS asset WHERE $2::date <= $3::date`,
}

/** @returns undefined when the asset is unknown or out of scope, or the range ends before it begins */
export async function readCurrentVersion(
  reader: ScopedReader,
  assetId: string,
  dates: Dates,
  precondition: Precondition,
): Promise<DataVersion | undefined> {
  const values = versionedValues(assetId, dates, precondition)
  const [row] = await reader.read<VersionColumns>(STATEMENT, values)
  return row && readVersion(row)
}
