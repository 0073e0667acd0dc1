/** The part of co-body that receives texts: to load the whole of it takes a twentieth of a start. */
declare module 'co-body/lib/text' {
  import type { Context, Options } from 'co-body'
  export default function text(context: Context, options?: Options): Promise<string>
}
