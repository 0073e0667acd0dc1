import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { isWellFormed, makeKey } from '../../../db/api-keys/key-format'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('the text of a key', () => {
  test('ends with the CRC-32 of everything before it in base62', () => {
    for (let i = 0; i < 200; i++) {
      const key = makeKey('dev')
      const check = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0)
      expect(check).toBe(crc32(key.slice(0, -6)))
      expect(isWellFormed(key)).toBe(true)
    }
  })

  test('is rejected with any single character replaced', () => {
    const character = fc.constantFrom(...ALPHABET)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 46 }), character, (position, other) => {
        const key = makeKey('production')
        const changed = key.slice(0, position) + other + key.slice(position + 1)
        expect(isWellFormed(changed)).toBe(changed === key)
      }),
      { numRuns: 500 },
    )
  })
})
