/**
 * Entity tags made of the version of the data. Such a tag can be compared before any data is read. It also contains a hash
 * of the release and the address, so that it is valid for that one resource only.
 */

import type { DataVersion, Precondition } from '../../db/queries/data-versions'
import type { Context } from '../state'
import { cachedTags, digest, type Validators } from './representation'

/** Returns a hash that identifies what is requested: the release and the address. */
export const resourceHash = (release: string, address: string): string => digest(release + address)

/**
 * Returns the version of a resource that the client has cached, by the headers of its request.
 *
 * @param now milliseconds since 1970
 */
export function readPrecondition(ctx: Context, resource: string, now: number): Precondition {
  const tags = cachedTags(ctx)
  const versions = tags
    .filter(tag => tag.endsWith(`.${resource}`))
    .map(tag => Number.parseInt(tag, 36))
    .filter(Number.isSafeInteger)
  // Only the latest of several versions can be the current one.
  const version = versions.length > 0 ? Math.max(...versions) : null
  return { version, unchangedSince: tags.length > 0 ? null : parseSecond(ctx.get('If-Modified-Since'), now) }
}

/** A date counts in the form of Last-Modified only. One in the future is ignored: changes before it are still to come. */
function parseSecond(header: string, now: number): number | null {
  const ms = Date.parse(header)
  return Number.isNaN(ms) || new Date(ms).toUTCString() !== header || ms > now ? null : ms / 1000
}

/**
 * Returns the validators of a resource at a version. Last-Modified is the end of the second of the last change, and
 * missing until then: of two changes within a second, a client that has the date has both.
 *
 * @param now milliseconds since 1970
 */
export const createValidators = ({ version, changed }: DataVersion, resource: string, now: number): Validators => {
  const end = (Math.floor(changed / 1_000_000) + 1) * 1000
  return {
    etag: `W/"${version.toString(36)}.${resource}"`,
    lastModified: end > now ? undefined : new Date(end).toUTCString(),
  }
}
