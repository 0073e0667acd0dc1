import { nextTurn } from '../../resolvers/turns'

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
