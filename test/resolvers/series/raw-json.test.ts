import fc from 'fast-check'
import { RoomyRows } from '../../../resolvers/series/raw-json'

const text = fc.string({ unit: 'binary', maxLength: 700 })

test('rows stand between whatever embraces them, be it long or short', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), text, text, (rows, head, tail) => {
      const bytes = RoomyRows.of(rows.map(row => Buffer.from(`,${row}`)))
      const expected = `${head}${rows.join()}${tail}`
      expect(bytes.between(head, tail).equals(Buffer.from(expected))).toBe(true)
    }),
  )
})
