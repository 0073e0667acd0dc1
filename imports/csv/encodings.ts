/** Encodings of files, all of which are parsed as UTF-8. A byte order mark decides; without one, the option does. */
import { type DecoderStream, getDecoder } from 'iconv-lite'

export const ENCODINGS = ['utf-8', 'latin1', 'windows-1252', 'utf-16le', 'utf-16be'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** The byte order marks of the encodings that have one. */
export const BYTE_ORDER_MARKS: Partial<Record<Encoding, Buffer>> = {
  'utf-8': Buffer.from([0xef, 0xbb, 0xbf]),
  'utf-16le': Buffer.from([0xff, 0xfe]),
  'utf-16be': Buffer.from([0xfe, 0xff]),
}

/** Converts bytes to UTF-8. Bytes that are not text in the encoding become U+FFFD. */
export class Transcoder {
  private readonly decoder: DecoderStream
  /** The first half of a character that continues in the next bytes. */
  private unfinished = ''
  private length = 0

  constructor(private readonly encoding: Exclude<Encoding, 'utf-8'>) {
    this.decoder = getDecoder(encoding, { stripBOM: false })
  }

  write(bytes: Buffer): Buffer {
    this.length += bytes.length
    const text = this.unfinished + this.decoder.write(bytes)
    this.unfinished = /[\ud800-\udbff]$/.exec(text)?.[0] ?? ''
    return Buffer.from(this.unfinished === '' ? text : text.slice(0, -1))
  }

  end(): Buffer {
    const isCut = this.encoding.startsWith('utf-16') && this.length % 2 === 1
    return Buffer.from(`${this.unfinished}${this.decoder.end() ?? ''}${isCut ? '\ufffd' : ''}`)
  }
}
