/**
 * Answers that are told by the version of their data: the tag is the version beside a name of what was asked, so that it
 * can be compared before anything is read, and is good for nothing else.
 */
import type { Context } from 'koa'
import type { DataVersion, Precondition } from '../../db/queries/data-versions'
import { digest, tagsHeld } from './responses'

/** Names what is asked for: the release and the address. */
export const nameOf = (release: string, address: string): string => digest(release + address)

/** What the caller holds of the answer of this name. */
export function heldOf(ctx: Context, name: string): Precondition {
  const tags = tagsHeld(ctx)
  const versions = tags
    .filter(tag => tag.endsWith(`.${name}`))
    .map(tag => Number.parseInt(tag, 36))
    .filter(Number.isSafeInteger)
  // Of several no older one is the present one.
  const version = versions.length > 0 ? Math.max(...versions) : null
  return { version, changedSecond: tags.length > 0 ? null : secondOf(ctx.get('If-Modified-Since')) }
}

/** Only a date as we send it counts, and only the very one: a client's own clock proves nothing. */
function secondOf(header: string): number | null {
  const ms = Date.parse(header)
  return Number.isNaN(ms) || new Date(ms).toUTCString() !== header ? null : ms / 1000
}

/** The tag of an answer that has this name. */
export const tagOfVersion = ({ version }: DataVersion, name: string): string => `W/"${version.toString(36)}.${name}"`

/** Never later than now: two changes within a second are told a second apart. */
export const lastModifiedOf = ({ changed }: DataVersion, now: number): string =>
  new Date(Math.min(changed / 1000, now)).toUTCString()
