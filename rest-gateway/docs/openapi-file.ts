/** The OpenAPI document as it is served: with the address of the service, which the setting or the request has. */
import { readAddress } from '../admission/proxies'
import type { Gateway } from '../gateway'
import { type PageFile, pageFile } from '../pages/page-file'
import type { Context } from '../state'

type Addressed = Pick<Gateway, 'publicUrl' | 'limits'>

/** @param render returns the document of a service at an address */
export function openApiFile(gateway: Addressed, operation: string, render: (url: string) => string): PageFile {
  const type = '.json'
  // A service has one address as a rule: the document of the last one is kept.
  let last = { url: '', file: pageFile(operation, type, '') }
  return {
    ...last.file,
    content(ctx) {
      const url = gateway.publicUrl ?? requestUrl(ctx, gateway)
      if (gateway.publicUrl === undefined) ctx.vary(PROTOCOL)
      if (url !== last.url) last = { url, file: pageFile(operation, type, () => render(url)) }
      return last.file.content(ctx)
    },
  }
}

/** Sent by proxies. The host is that of the request: many proxies pass on the X-Forwarded-Host of a client. */
const PROTOCOL = 'X-Forwarded-Proto'

/** A name or an address, with a port or without. The sub-delimiters that a Host may contain stay out of the document. */
const HOST = /^([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i

/** Returns the scheme and the host to which a request was sent; `/` where it names no host. */
function requestUrl(ctx: Context, { limits }: Addressed): string {
  const { host = '' } = ctx.req.headers
  const forwarded = limits.proxies.includes(readAddress(ctx.socket)) ? ctx.get(PROTOCOL) : ''
  const [scheme = 'http'] = /^https$/.exec(forwarded) ?? []
  return HOST.test(host) ? `${scheme}://${host}` : '/'
}
