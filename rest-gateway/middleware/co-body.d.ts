/** The part of co-body that receives texts: to load the whole of it takes a twentieth of a start. */
declare module 'co-body/lib/text' {
  import type { IncomingHttpHeaders } from 'node:http'
  import type { Readable } from 'node:stream'
  import type { Options } from 'co-body'
  export default function text(request: Readable & { headers: IncomingHttpHeaders }, options?: Options): Promise<string>
}
