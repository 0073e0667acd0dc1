/** Writes ASCII into a scratch buffer that all writers share: memory by the hundred kilobytes for each response kept the garbage collector busy. */

/** Bytes are copied in steps of eight: for so few, a loop is faster than a call out of JavaScript. */
const STEP = 8

/** ASCII that is written often, padded to whole steps. As a float64 ASCII is never NaN, whose bits would not survive. */
export class Template {
  readonly length: number
  readonly view: DataView
  private readonly bytes: Uint8Array

  constructor(text: string) {
    this.length = text.length
    this.bytes = new Uint8Array(Math.ceil(text.length / STEP) * STEP)
    this.view = new DataView(this.bytes.buffer)
    this.replace(0, text)
  }

  replace(offset: number, text: string): void {
    for (let i = 0; i < text.length; i++) this.bytes[offset + i] = text.charCodeAt(i)
  }
}

/** A larger scratch buffer is not kept. */
const MAX_SCRATCH_BYTES = 4_000_000

interface Scratch {
  bytes: Buffer
  view: DataView
}

function allocate(size: number): Scratch {
  const bytes = Buffer.allocUnsafeSlow(size)
  return { bytes, view: new DataView(bytes.buffer) }
}

let scratch = allocate(64 * 1024)

function reserveScratch(size: number): Scratch {
  if (size <= scratch.bytes.length) return scratch
  const larger = allocate(size)
  if (size <= MAX_SCRATCH_BYTES) scratch = larger
  return larger
}

/** One writer is used at a time, from its creation until `written` was copied. */
export class JsonWriter {
  private readonly bytes: Buffer
  private readonly view: DataView
  private offset = 0

  /** @param size the most bytes that will be written */
  constructor(size: number) {
    // The last template may be padded.
    const { bytes, view } = reserveScratch(size + STEP)
    this.bytes = bytes
    this.view = view
  }

  /** Valid until the next writer is created. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.offset)
  }

  template({ length, view }: Template): void {
    for (let i = 0; i < length; i += STEP) this.view.setFloat64(this.offset + i, view.getFloat64(i))
    this.offset += length
  }

  text(text: string): void {
    for (let i = 0; i < text.length; i++) this.bytes[this.offset + i] = text.charCodeAt(i)
    this.offset += text.length
  }

  /** @param number a whole number, not negative */
  integer(number: number): void {
    if (number >= 1_000_000_000) {
      this.text(String(number))
      return
    }
    let digits = 1
    for (let bound = 10; number >= bound; bound *= 10) digits++
    let rest = number
    for (let at = this.offset + digits - 1; at >= this.offset; at--) {
      const next = (rest / 10) | 0
      this.bytes[at] = 48 + rest - next * 10
      rest = next
    }
    this.offset += digits
  }
}
