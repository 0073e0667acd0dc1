/** The OpenAPI document as it is served: with the address of the service. */
import { type PageFile, pageFile } from '../pages/page-file'
import { type Addressed, PROTOCOL, serviceUrl } from '../service-url'

/** @param render returns the document of a service at an address */
export function openApiFile(gateway: Addressed, operation: string, render: (url: string) => string): PageFile {
  const type = '.json'
  // A service has one address as a rule: the document of the last one is kept.
  let last = { url: '', file: pageFile(operation, type, '') }
  return {
    ...last.file,
    content(ctx) {
      const url = serviceUrl(ctx, gateway) ?? '/'
      if (gateway.publicUrl === undefined) ctx.vary(PROTOCOL)
      if (url !== last.url) last = { url, file: pageFile(operation, type, () => render(url)) }
      return last.file.content(ctx)
    },
  }
}
