/** Reads lines from a stream of bytes, of which it holds one chunk. */

/** Returns the lines without their line feeds. @throws Error for a stream that ends within a line */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    text = lines.pop()!
    yield* lines
  }
  if (text !== '') throw new Error('the response ended within a line')
}
