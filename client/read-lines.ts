/** Reads newline-delimited text. */

/** Returns the lines of a body. @throws Error for a body that ends within a line */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    text = lines.pop()!
    yield* lines
  }
  if (text !== '') throw new Error('the response ended within a line')
}
