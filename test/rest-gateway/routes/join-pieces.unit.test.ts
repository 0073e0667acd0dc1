import { Turns } from '../../../resolvers/turns'
import { tagInTurns } from '../../../rest-gateway/conditional/representation'
import { joinPieces } from '../../../rest-gateway/routes/join-pieces'
import { createTag } from '../../../rest-gateway/send'

/** Turns that end after each step. `order` names what ran between the steps. */
class ShortTurns extends Turns {
  override get isOver(): boolean {
    return true
  }
}

/** A turn that does not end. */
class LongTurn extends Turns {
  override get isOver(): boolean {
    return false
  }
}

const neverWait = () => Promise.reject(new Error('a short body waits for nothing'))

const PIECES = ['{"a":[', Buffer.from('1,2'), '],"ü":"', 'é', Buffer.from('"}')]

const JOINED = '{"a":[1,2],"ü":"é"}'

test('text and bytes are joined in their order', async () => {
  expect(String(await joinPieces(PIECES, new LongTurn(neverWait)))).toBe(JOINED)
  expect(String(await joinPieces(['[', 'x'.repeat(300_000), ']'], new LongTurn(neverWait)))).toHaveLength(300_002)
  expect(await joinPieces([], new LongTurn(neverWait))).toBe('')
})

test('a piece of a long body is written only after other work had its turn', async () => {
  const order: string[] = []
  function* pieces() {
    for (const piece of PIECES) {
      order.push('piece')
      yield piece
    }
  }
  const turns = new ShortTurns(async () => {
    await new Promise(resolve => setImmediate(resolve))
    order.push('other work')
  })
  expect(String(await joinPieces(pieces(), turns))).toBe(JOINED)
  const written = order.slice(0, 2 * PIECES.length)
  expect(written).toEqual(PIECES.flatMap(() => ['piece', 'other work']))
})

test('a long body is hashed in turns, to the same tag', async () => {
  let count = 0
  const turns = new ShortTurns(async () => void count++)
  const body = Buffer.alloc(3_500_000, 'ä')
  expect(await tagInTurns(body, turns)).toBe(createTag(body))
  expect(await tagInTurns(String(body), turns)).toBe(createTag(body))
  expect(count).toBe(8)
  expect(await tagInTurns('{}', new LongTurn(neverWait))).toBe(createTag('{}'))
})
