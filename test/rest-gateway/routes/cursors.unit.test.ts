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
    { numRuns: 300 },
  )
})

const expectInvalid = (text: string) =>
  expect(() => cursors.open('list', text)).toThrow(expect.objectContaining({ code: 'INVALID_CURSOR' }))

test('a cursor with any bit changed is invalid', () => {
  for (const id of ['a', 'demo0psbe5xamiil20g7lzmd', 'ä€']) {
    const bytes = Buffer.from(cursors.issue('list', id), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      expectInvalid(changed.toString('base64url'))
    }
  }
})

test('a cursor spliced from two others is invalid', () => {
  const ids = fc.string({ minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(ids, ids, fc.nat(), fc.nat(), (one, two, headLength, tailStart) => {
      const issued = [one, two].map(id => cursors.issue('list', id))
      const [head, tail] = issued.map(cursor => Buffer.from(cursor, 'base64url')) as [Buffer, Buffer]
      const parts = [head.subarray(0, headLength % (head.length + 1)), tail.subarray(tailStart % (tail.length + 1))]
      const text = Buffer.concat(parts).toString('base64url')
      fc.pre(!issued.includes(text))
      expectInvalid(text)
    }),
  )
})

test('other texts with the bytes of a cursor are invalid: only its canonical one is accepted', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (const id of ['a', 'ab', 'abc', 'ä€']) {
    const cursor = cursors.issue('list', id)
    const standard = Buffer.from(cursor, 'base64url').toString('base64')
    const texts = [standard, ...[...alphabet].map(last => cursor.slice(0, -1) + last)]
    for (const more of ['=', '==', ' ', '\n', '.', 'A', '%3D']) {
      texts.push(cursor + more, more + cursor, cursor.slice(0, 5) + more + cursor.slice(5))
    }
    for (const text of texts.filter(each => each !== cursor)) expectInvalid(text)
  }
})
