/**
 * Entity tags made of the version of the data. Such a tag can be compared before any data is read. It also contains a hash
 * of the release and the address, so that it is valid for that one resource only.
 */
import type { Context } from 'koa'
import type { DataVersion, Precondition } from '../../db/queries/data-versions'
import { cachedTags, digest, type Representation } from './representation'

/** A hash that identifies what is requested: the release and the address. */
export const resourceHash = (release: string, address: string): string => digest(release + address)

/** The version of a resource that the client has cached, by the headers of its request. */
export function preconditionOf(ctx: Context, resource: string): Precondition {
  const tags = cachedTags(ctx)
  const versions = tags
    .filter(tag => tag.endsWith(`.${resource}`))
    .map(tag => Number.parseInt(tag, 36))
    .filter(Number.isSafeInteger)
  // Of several versions only the latest can be the current one.
  const version = versions.length > 0 ? Math.max(...versions) : null
  return { version, changedSecond: tags.length > 0 ? null : secondOf(ctx.get('If-Modified-Since')) }
}

/** Only a date in the very form that we send counts: a client's own clock proves nothing. */
function secondOf(header: string): number | null {
  const ms = Date.parse(header)
  return Number.isNaN(ms) || new Date(ms).toUTCString() !== header ? null : ms / 1000
}

/** The validators of a resource at a version. @param now milliseconds since 1970; Last-Modified is never later */
export const validatorsOf = (
  { version, changed }: DataVersion,
  resource: string,
  now: number,
): Omit<Representation, 'body'> => ({
  etag: `W/"${version.toString(36)}.${resource}"`,
  lastModified: new Date(Math.min(changed / 1000, now)).toUTCString(),
})
