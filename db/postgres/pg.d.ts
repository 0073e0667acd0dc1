/** Declares exports of pg that its types leave out. */
declare module 'pg/lib/utils' {
  /** A value as the wire protocol takes it: a Buffer, a text or null. */
  export function prepareValue(value: unknown): unknown
}

declare module 'pg-protocol/dist/parser' {
  /** Takes messages of PostgreSQL out of a stream of bytes. */
  export class Parser {
    parse(bytes: Buffer, take: (message: { name: string }) => void): void
    /** @param offset of the message's content; its length has four bytes more */
    handlePacket(offset: number, code: number, length: number, bytes: Buffer): { name: string }
  }
}
