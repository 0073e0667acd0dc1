import fc from 'fast-check'
import { Cursors } from '../../../rest-gateway/routes/cursors'

const SECRET = Buffer.alloc(32, 1)

const cursors = new Cursors(SECRET, 'dev')

test('a cursor gives back the id that it was issued for', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (list, id) => {
      expect(cursors.open(list, cursors.issue(list, id))).toBe(id)
    }),
  )
})

test.each([
  ['another list', cursors, 'sensors'],
  ['another environment', new Cursors(SECRET, 'production'), 'assets'],
  ['another secret', new Cursors(Buffer.alloc(32, 2), 'dev'), 'assets'],
])('a cursor is invalid for %s', (_, other, list) => {
  const cursor = cursors.issue('assets', 'id')
  expect(() => other.open(list, cursor)).toThrow(expect.objectContaining({ code: 'INVALID_CURSOR' }))
})

test('any text that was not issued is an invalid cursor', () => {
  const cursor = cursors.issue('assets', 'h4jk2l9')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/='
  const oneCharacterChanged = fc
    .tuple(fc.nat(cursor.length - 1), fc.constantFrom(...alphabet))
    .map(([i, letter]) => cursor.slice(0, i) + letter + cursor.slice(i + 1))
  const text = fc.oneof(
    oneCharacterChanged,
    fc.string(),
    fc.base64String(),
    fc.nat(cursor.length - 1).map(length => cursor.slice(0, length)),
    fc.constantFrom('', `${cursor}=`, `${cursor} `, `${cursor}A`, cursor + cursor),
  )
  fc.assert(
    fc.property(text, text => {
      fc.pre(text !== cursor)
      expect(() => cursors.open('assets', text)).toThrow(expect.objectContaining({ code: 'INVALID_CURSOR' }))
    }),
    { numRuns: 1_000 },
  )
})
