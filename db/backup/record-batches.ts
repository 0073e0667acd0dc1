/** Cuts CSV into batches of whole records. */

const QUOTE = 0x22
const LINE_FEED = 0x0a

/** Yields the first line, without its line feed, then batches of records with at least `size` bytes, except for the last. */
export async function* recordBatches(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let pending: Buffer[] = []
  let length = 0
  let hasHeader = false
  for await (const chunk of chunks) {
    pending.push(chunk)
    length += chunk.length
    if (hasHeader && length < size) continue
    let bytes: Buffer = Buffer.concat(pending)
    if (!hasHeader) {
      const end = bytes.indexOf(LINE_FEED)
      if (end >= 0) {
        hasHeader = true
        yield bytes.subarray(0, end)
        bytes = bytes.subarray(end + 1)
      }
    }
    const end = hasHeader && bytes.length >= size ? endOfRecords(bytes) : 0
    if (end > 0) yield bytes.subarray(0, end)
    pending = [bytes.subarray(end)]
    length = bytes.length - end
  }
  if (length > 0) yield Buffer.concat(pending)
}

/** Returns the number of bytes up to the end of the last whole record. */
function endOfRecords(bytes: Buffer): number {
  let end = 0
  let isQuoted = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) isQuoted = !isQuoted
    else if (byte === LINE_FEED && !isQuoted) end = i + 1
  }
  return end
}
