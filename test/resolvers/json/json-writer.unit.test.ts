import fc from 'fast-check'
import { JsonWriter, Template } from '../../../resolvers/json/json-writer'

const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 40 })

test('templates, texts and integers are written one after the other', () => {
  const part = fc.oneof(
    ascii.map(text => ({ text, write: (writer: JsonWriter) => writer.template(new Template(text)) })),
    ascii.map(text => ({ text, write: (writer: JsonWriter) => writer.text(text) })),
    fc.oneof(fc.nat({ max: 2_000 }), fc.nat(), fc.maxSafeNat()).map(number => ({
      text: String(number),
      write: (writer: JsonWriter) => writer.integer(number),
    })),
  )
  fc.assert(
    fc.property(fc.array(part), parts => {
      const expected = parts.map(({ text }) => text).join('')
      const writer = new JsonWriter(expected.length)
      for (const { write } of parts) write(writer)
      expect(String(writer.written)).toBe(expected)
    }),
  )
})

test.each([0, 9, 10, 99, 100, 999_999_999, 1_000_000_000, 2_147_483_648, Number.MAX_SAFE_INTEGER])(
  'the integer %i is written in decimal',
  number => {
    const writer = new JsonWriter(16)
    writer.integer(number)
    expect(String(writer.written)).toBe(String(number))
  },
)

test('part of a template can be replaced', () => {
  const template = new Template('2026-01-01T00:00')
  template.replace(11, '23:59')
  const writer = new JsonWriter(16)
  writer.template(template)
  expect(String(writer.written)).toBe('2026-01-01T23:59')
})

test('output larger than the largest shared buffer is written in full', () => {
  const template = new Template('x'.repeat(1_000_000))
  const writer = new JsonWriter(5_000_000)
  for (let i = 0; i < 5; i++) writer.template(template)
  expect(writer.written.equals(Buffer.alloc(5_000_000, 'x'))).toBe(true)
})
