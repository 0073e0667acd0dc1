/** The address of the service as its clients have it, which the setting or the request has. */
import { readAddress } from './edge/proxies'
import type { Gateway } from './gateway'
import type { KoaContext } from './state'

type Addressed = Pick<Gateway, 'publicUrl' | 'limits'>

/** Sent by proxies. The host is that of the request: many proxies pass on the X-Forwarded-Host of a client. */
export const PROTOCOL = 'X-Forwarded-Proto'

/** A name or an address, with a port or without. Nothing repeats the sub-delimiters that a Host may contain. */
const HOST = /^([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i

/** Returns the address without a slash at its end; undefined without the setting where the request names no host. */
export function serviceUrl(ctx: KoaContext, { publicUrl, limits }: Addressed): string | undefined {
  if (publicUrl !== undefined) return publicUrl
  const { host = '' } = ctx.req.headers
  const forwarded = limits.proxies.includes(readAddress(ctx.socket)) ? ctx.get(PROTOCOL) : ''
  const [scheme = 'http'] = /^https$/.exec(forwarded) ?? []
  return HOST.test(host) ? `${scheme}://${host}` : undefined
}
