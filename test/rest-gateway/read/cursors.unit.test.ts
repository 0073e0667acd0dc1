import fc from 'fast-check'
import { Cursors } from '../../../rest-gateway/read/cursors'

const SECRET = Buffer.alloc(32, 1)

const cursors = new Cursors(SECRET, 'dev')

const INVALID = expect.objectContaining({ code: 'INVALID_CURSOR' })

test('a cursor gives back the id that it was issued for, to its own list, environment and secret alone', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (list, id) => {
      const cursor = cursors.issue(list, id)
      expect(cursors.open(list, cursor)).toBe(id)
      expect(() => cursors.open(`${list}s`, cursor)).toThrow(INVALID)
      for (const other of [new Cursors(SECRET, 'production'), new Cursors(Buffer.alloc(32, 2), 'dev')])
        expect(() => other.open(list, cursor)).toThrow(INVALID)
    }),
  )
})

const IDS = ['a', 'ab', 'h4jk2l9', 'demo0psbe5xamiil20g7lzmd', 'ä€']

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

test('a cursor with any bit changed, one that is cut or spliced from two, and other texts for its bytes are invalid', () => {
  const issued = IDS.map(id => cursors.issue('list', id))
  const wrong = issued.flatMap(cursor => {
    const bytes = Buffer.from(cursor, 'base64url')
    const flipped = Array.from({ length: bytes.length * 8 }, (_, bit) =>
      bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
    )
    const cut = Array.from(bytes, (_, length) => bytes.subarray(0, length))
    const spliced = cut
      .slice(1)
      .flatMap(head =>
        issued
          .filter(other => other !== cursor)
          .map(other => Buffer.concat([head, Buffer.from(other, 'base64url').subarray(head.length)])),
      )
    return [
      ...['', 'x', bytes.toString('base64'), cursor + cursor],
      ...[...flipped, ...cut, ...spliced].map(each => Buffer.from(each).toString('base64url')),
      ...[...ALPHABET].map(last => cursor.slice(0, -1) + last),
      ...['=', '==', ' ', '\n', '.', 'A', '%3D'].flatMap(more => [cursor + more, more + cursor, `c${more}${cursor}`]),
    ]
  })
  expect(wrong.length).toBeGreaterThan(1_000)
  for (const text of wrong.filter(each => !issued.includes(each)))
    expect(() => cursors.open('list', text)).toThrow(INVALID)
})
