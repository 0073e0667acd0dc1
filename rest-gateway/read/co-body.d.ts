/** Types of the one module of co-body that is used. Loading all of co-body takes 5 % of the start-up time. */
declare module 'co-body/lib/text' {
  import type { IncomingHttpHeaders } from 'node:http'
  import type { Readable } from 'node:stream'
  import type { Options } from 'co-body'
  export default function text(request: Readable & { headers: IncomingHttpHeaders }, options?: Options): Promise<string>
}
