/** The OpenAPI document as it is served: with the address of the service, and the contact of its operator. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Gateway } from '../gateway'
import { listServers } from '../openapi/openapi'
import { type PageFile, pageFile } from '../pages/page-file'
import { PROTOCOL, serviceUrl } from '../service-url'

const FILE = join(__dirname, '..', 'openapi', 'openapi.json')

export function openApiFile(gateway: Gateway, operation: string): PageFile {
  const { publicUrl, supportContact } = gateway
  const contact = supportContact && { [supportContact.includes('://') ? 'url' : 'email']: supportContact }
  const render = (url: string) => {
    const { openapi, info, ...document } = JSON.parse(readFileSync(FILE, 'utf8'))
    const own = { ...info, contact: { ...info.contact, ...contact } }
    return JSON.stringify({ openapi, info: own, ...document, servers: listServers(url) })
  }
  // A service has one address as a rule: the document of the last one is kept.
  let last = { url: '', file: pageFile(operation, '.json', '') }
  return {
    ...last.file,
    content(ctx) {
      const url = serviceUrl(ctx, gateway) ?? '/'
      if (publicUrl === undefined) ctx.vary(PROTOCOL)
      if (url !== last.url) last = { url, file: pageFile(operation, '.json', () => render(url)) }
      return last.file.content(ctx)
    },
  }
}
