/** What pg exports and its types leave out. */
declare module 'pg/lib/utils' {
  /** A value as the wire protocol takes it: a Buffer, a text or null. */
  export function prepareValue(value: unknown): unknown
}
