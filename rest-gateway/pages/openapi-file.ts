/** The OpenAPI document as it is served: with the version and the address of the service, and the contact of its operator. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Gateway } from '../gateway'
import { listServers } from '../openapi/openapi'
import { PROTOCOL, serviceUrl } from '../service-url'
import { type PageFile, pageFile } from './page-file'

const FILE = join(__dirname, '..', 'openapi', 'openapi.json')

/** The documents that are kept, compressed as well: a service has one address as a rule, and a proxy a few hosts. */
const MAX_KEPT = 4

/** Stands for the address in the text. */
const ADDRESS = 'https://address.invalid'

export function openApiFile(gateway: Gateway, operation: string): PageFile {
  const { version, publicUrl, supportContact } = gateway
  const contact = supportContact && { [supportContact.includes('://') ? 'url' : 'email']: supportContact }
  const render = () => {
    const { openapi, info, ...document } = JSON.parse(readFileSync(FILE, 'utf8'))
    const own = { ...info, version, contact: { ...info.contact, ...contact } }
    return JSON.stringify({ openapi, info: own, ...document, servers: listServers(ADDRESS) }).split(ADDRESS)
  }
  let segments: string[] | undefined
  const files = new LRUCache<string, PageFile>({ max: MAX_KEPT })
  return {
    ...pageFile(operation, '.json', ''),
    content(ctx) {
      const url = serviceUrl(ctx, gateway) ?? '/'
      if (publicUrl === undefined) ctx.vary(PROTOCOL)
      segments ??= render()
      const file = files.get(url) ?? pageFile(operation, '.json', segments.join(JSON.stringify(url).slice(1, -1)))
      files.set(url, file)
      return file.content(ctx)
    },
  }
}
