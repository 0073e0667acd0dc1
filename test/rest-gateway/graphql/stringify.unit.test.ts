import fc from 'fast-check'
import { nextTurn, Turns } from '../../../resolvers/turns'
import { pieces, stringify } from '../../../rest-gateway/graphql/stringify'

const rows = Array.from({ length: 5_000 }, (_, i) => ({
  start: `2026-01-01T00:00:${i}`,
  impressions: i,
  coverage: 0.5,
}))

test('a result is written as JSON.stringify writes it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.object({ maxDepth: 4, maxKeys: 30, withNullPrototype: true }), async value => {
      expect(await stringify(value)).toBe(`${JSON.stringify(value)}\n`)
      expect([...pieces({ rows, value, none: undefined })].join('')).toBe(JSON.stringify({ rows, value }))
    }),
    { numRuns: 50 },
  )
})

test('no piece of a large result is large', () => {
  const result = { data: { a: { rows }, b: [rows, [], {}, null], text: 'x'.repeat(10) } }
  const texts = [...pieces(result)]
  expect(texts.join('')).toBe(JSON.stringify(result))
  expect(texts.length).toBeGreaterThan(rows.length)
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(10_000)
})

test('other work gets turns while a large result is written', async () => {
  let count = 0
  const large = Array.from({ length: 100 }, () => rows)
  const turns = new Turns(async () => {
    count++
    await nextTurn()
  })
  expect(JSON.parse(await stringify(large, turns))).toHaveLength(100)
  expect(count).toBeGreaterThan(1)
})

describe('turns', () => {
  test('come in the order in which they were asked for', async () => {
    const order: number[] = []
    await Promise.all([1, 2, 3].map(i => nextTurn().then(() => order.push(i))))
    expect(order).toEqual([1, 2, 3])
  })

  test('that take long let other work of the event loop run in between', async () => {
    const order: string[] = []
    const block = (name: string) => {
      const end = performance.now() + 15
      while (performance.now() < end);
      order.push(name)
    }
    const turns = Promise.all(['a', 'b', 'c'].map(name => nextTurn().then(() => block(name))))
    setImmediate(() => setImmediate(() => order.push('other')))
    await turns
    expect(order.indexOf('other')).toBeLessThan(3)
  })
})
