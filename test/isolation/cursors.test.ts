/** A cursor is good for what it was issued for, and no other text is one. */
import fc from 'fast-check'
import { Cursors } from '../../rest-gateway/routes/cursors'

const SECRET = Buffer.alloc(32, 9)

const ours = new Cursors(SECRET, 'dev')

const opens = (cursors: Cursors, list: string, cursor: string): boolean => {
  try {
    cursors.open(list, cursor)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_CURSOR' })
    return false
  }
}

const lists = fc.string({ unit: 'binary', maxLength: 60 })
const ids = fc.string({ minLength: 1, maxLength: 40 }).filter(id => id.isWellFormed())

test('opens where it was issued, in any process that has the secret', () => {
  fc.assert(
    fc.property(lists, ids, (list, id) => {
      expect(new Cursors(Buffer.from(SECRET), 'dev').open(list, ours.issue(list, id))).toBe(id)
    }),
  )
})

test('is bound to its list and filters, its environment and its secret', () => {
  fc.assert(
    fc.property(lists, lists, ids, (list, other, id) => {
      const cursor = ours.issue(list, id)
      if (other !== list) expect(opens(ours, other, cursor)).toBe(false)
      expect(opens(new Cursors(SECRET, 'production'), list, cursor)).toBe(false)
      expect(opens(new Cursors(Buffer.alloc(32, 8), 'dev'), list, cursor)).toBe(false)
    }),
  )
})

test('is no good with any bit of it changed', () => {
  for (const id of ['a', 'demo0psbe5xamiil20g7lzmd', 'ä€']) {
    const bytes = Buffer.from(ours.issue('list', id), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(opens(ours, 'list', changed.toString('base64url'))).toBe(false)
    }
  }
})

test('is no good cut, lengthened, or put together from two', () => {
  fc.assert(
    fc.property(ids, ids, fc.nat(), fc.nat(), (one, two, cut, at) => {
      const [first, second] = [one, two].map(id => Buffer.from(ours.issue('list', id), 'base64url')) as [Buffer, Buffer]
      const known = [first, second].map(bytes => bytes.toString('base64url'))
      const made = Buffer.concat([
        first.subarray(0, cut % (first.length + 1)),
        second.subarray(at % (second.length + 1)),
      ])
      const text = made.toString('base64url')
      fc.pre(!known.includes(text))
      expect(opens(ours, 'list', text)).toBe(false)
    }),
  )
})

test('has one text alone: what decodes alike is refused', () => {
  fc.assert(
    fc.property(ids, fc.constantFrom('=', '==', ' ', '\n', '.', 'A', '%3D'), (id, more) => {
      const cursor = ours.issue('list', id)
      for (const text of [cursor + more, more + cursor, `${cursor.slice(0, 5)}${more}${cursor.slice(5)}`]) {
        expect(opens(ours, 'list', text)).toBe(false)
      }
      const alike = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
        .map(last => cursor.slice(0, -1) + last)
        .filter(text => text !== cursor)
      for (const text of alike) expect(opens(ours, 'list', text)).toBe(false)
      const standard = Buffer.from(cursor, 'base64url').toString('base64')
      if (standard !== cursor) expect(opens(ours, 'list', standard)).toBe(false)
    }),
    { numRuns: 50 },
  )
})

test('is not any other text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), text => {
      expect(opens(ours, 'list', text)).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})
