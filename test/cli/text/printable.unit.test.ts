import { printable, printableLine } from '../../../cli/text/printable'

const CONTROLS = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter(text =>
  /\p{Cc}/u.test(text),
)

describe('printable text', () => {
  test('has no control characters but line feeds and tabs', () => {
    expect(CONTROLS).toHaveLength(65)
    expect(printable(CONTROLS.join(''))).not.toMatch(/[^\n\t\P{Cc}]/u)
    expect(printable('a\u001b[2J\u0007\u009b\u007f\nb')).toBe('a\\u001b[2J\\u0007\\u009b\\u007f\nb')
  })

  test('in JSON is the same document', () => {
    const document = { name: CONTROLS.join('x') }
    const text = printable(`${JSON.stringify(document)}\n`)
    expect(text).not.toMatch(/\p{Cc}./u)
    expect(JSON.parse(text)).toEqual(document)
  })

  test('within a line has no line feeds', () => {
    expect(printableLine('two\r\nlines\u0085\u001b')).toBe('two lines \\u001b')
  })

  test('keeps letters and symbols of all languages', () => {
    expect(printable('Zürich 東京 👩‍👩‍👧 שלום')).toBe('Zürich 東京 👩‍👩‍👧 שלום')
  })
})
