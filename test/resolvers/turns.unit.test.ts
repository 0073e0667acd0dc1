import { nextTurn } from '../../resolvers/turns'

test('turns come in order, and those that take long let other work of the event loop run in between', async () => {
  const order: string[] = []
  const block = (name: string) => {
    const end = performance.now() + 15
    while (performance.now() < end);
    order.push(name)
  }
  const turns = Promise.all(['a', 'b', 'c'].map(name => nextTurn().then(() => block(name))))
  setImmediate(() => setImmediate(() => order.push('other')))
  await turns
  expect(order).toEqual(['a', 'b', 'other', 'c'])
})
