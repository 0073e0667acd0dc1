/** Serialises response bodies to JSON. Finished JSON within them is copied as it is. */
import { RawJson } from '../../resolvers/json/raw-json'

/** @returns a string, or bytes where the body contains finished JSON */
export function serialize(body: unknown): string | Buffer {
  if (!containsRawJson(body)) return JSON.stringify(body)
  const chunks: Uint8Array[] = []
  let text = ''
  write(body)
  chunks.push(Buffer.from(text))
  return Buffer.concat(chunks)

  function write(value: unknown): void {
    if (value instanceof RawJson) {
      chunks.push(Buffer.from(text), value.bytes)
      text = ''
    } else if (!containsRawJson(value)) text += JSON.stringify(value)
    else {
      let separator = '{'
      for (const [key, property] of Object.entries(value as object)) {
        text += `${separator}${JSON.stringify(key)}:`
        write(property)
        separator = ','
      }
      text += '}'
    }
  }
}

/** Lists never contain finished JSON: it stands for a whole list. */
const containsRawJson = (value: unknown): boolean =>
  value instanceof RawJson ||
  (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).some(containsRawJson))
