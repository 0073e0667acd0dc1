import { Callers } from '../../../rest-gateway/admission/callers'
import { Proxies } from '../../../rest-gateway/admission/proxies'
import type { Context } from '../../../rest-gateway/state'

let callers: Callers

beforeEach(() => {
  jest.useFakeTimers()
  callers = new Callers(new Proxies([]))
})
afterEach(() => jest.useRealTimers())

const requestOf = (key: string) => ({ get: () => key }) as unknown as Context

/** Each caller takes a part of the time for ten seconds. */
function spend(parts: Record<string, number>): void {
  for (let i = 0; i < 100; i++) {
    jest.advanceTimersByTime(100)
    for (const [key, part] of Object.entries(parts)) callers.remember(requestOf(key), 100 * part)
  }
}

const costliest = () => [...callers.findCostliest()]

test('the callers who cost most cause an overload, while all together take more than half of the time', () => {
  expect(costliest()).toEqual([])
  spend({ one: 0.4, other: 0.05 })
  expect(costliest()).toEqual([])
  spend({ one: 0.05, two: 0.6, three: 0.05 })
  expect(costliest()).toEqual(['two'])
  spend({ one: 0.4, two: 0.35, three: 0.24 })
  expect(costliest()).toEqual(['one', 'two'])
})

test('of many callers who cost the same, half are its cause', () => {
  const parts = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`caller ${i}`, 0.01]))
  spend(parts)
  expect(callers.findCostliest().size).toBeGreaterThan(40)
  expect(callers.findCostliest().size).toBeLessThan(60)
})

test('a caller alone who takes all the time is its cause, and no longer a few seconds later', () => {
  spend({ one: 1 })
  expect(costliest()).toEqual(['one'])
  jest.advanceTimersByTime(3_000)
  expect(costliest()).toEqual([])
})

test('a key is known for ten minutes after it was accepted, whatever it costs', () => {
  expect(callers.findKey(requestOf('one'))).toBeUndefined()
  callers.remember(requestOf('one'), 1)
  jest.advanceTimersByTime(599_000)
  expect(callers.findKey(requestOf('one'))).toBe('one')
  callers.remember(requestOf('one'), 1)
  jest.advanceTimersByTime(599_000)
  expect(callers.findKey(requestOf('one'))).toBe('one')
  jest.advanceTimersByTime(2_000)
  expect(callers.findKey(requestOf('one'))).toBeUndefined()
})
