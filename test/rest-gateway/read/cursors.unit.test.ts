import fc from 'fast-check'
import { Cursors } from '../../../rest-gateway/read/cursors'

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

const expectInvalid = (text: string) =>
  expect(() => cursors.open('list', text)).toThrow(expect.objectContaining({ code: 'INVALID_CURSOR' }))

const IDS = ['a', 'ab', 'h4jk2l9', 'demo0psbe5xamiil20g7lzmd', 'ä€']

test('a cursor with any bit changed is invalid, and so is one that is cut or spliced from two', () => {
  const issued = IDS.map(id => Buffer.from(cursors.issue('list', id), 'base64url'))
  for (const bytes of issued) {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      expectInvalid(changed.toString('base64url'))
    }
    for (let length = 0; length < bytes.length; length++) {
      const head = bytes.subarray(0, length)
      expectInvalid(head.toString('base64url'))
      for (const other of issued) {
        if (other !== bytes && length > 0)
          expectInvalid(Buffer.concat([head, other.subarray(length)]).toString('base64url'))
      }
    }
  }
})

test('other texts with the bytes of a cursor are invalid: only its canonical one is accepted', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (const id of IDS) {
    const cursor = cursors.issue('list', id)
    const standard = Buffer.from(cursor, 'base64url').toString('base64')
    const texts = ['', 'x', standard, ...[...alphabet].map(last => cursor.slice(0, -1) + last), cursor + cursor]
    for (const more of ['=', '==', ' ', '\n', '.', 'A', '%3D']) {
      texts.push(cursor + more, more + cursor, cursor.slice(0, 5) + more + cursor.slice(5))
    }
    for (const text of texts.filter(each => each !== cursor)) expectInvalid(text)
  }
})
