import { ConnectionQueue } from '../../cli/serve/connection-queue'

const order = (...addresses: string[]): string[] => {
  const waiting = new ConnectionQueue<{ remoteAddress: string; number: number }>()
  for (const [number, remoteAddress] of addresses.entries()) waiting.add({ remoteAddress, number })
  expect(waiting.size).toBe(addresses.length)
  const taken: string[] = []
  for (let next = waiting.take(); next; next = waiting.take()) taken.push(`${next.remoteAddress}${next.number}`)
  expect(waiting.size).toBe(0)
  return taken
}

test('a connection from elsewhere does not wait for a crowd of them, nor for those that come later', () => {
  expect(order('a', 'a', 'b', 'a', 'a')).toEqual(['b2', 'a4', 'a3', 'a1', 'a0'])
})

test('of those who have as many waiting the last comes first', () => {
  expect(order('a', 'b', 'c')).toEqual(['c2', 'b1', 'a0'])
})
