import { EventEmitter } from 'node:events'
import fc from 'fast-check'
import { FairQueue, type Lease } from '../../../db/postgres/fair-queue'

const MAX_WAIT_MS = 3_000

/** Requests of several callers in a queue, each named by one letter. They run until they are finished. */
class Requests {
  /** The names of the requests that have started, in order. */
  started = ''
  /** The names of the requests that wait. */
  waiting = ''
  refused = ''
  readonly queue: FairQueue
  /** The responses of the requests that arrived, in order. */
  readonly responses: EventEmitter[] = []
  private readonly running: (Lease & { name: string })[] = []

  constructor(connections: number) {
    this.queue = new FairQueue(connections, MAX_WAIT_MS)
  }

  async arrive(names: string): Promise<void> {
    this.waiting += names
    for (const name of names) {
      const response = new EventEmitter()
      this.responses.push(response)
      this.queue.acquire(name, response).then(lease => {
        this.waiting = this.waiting.replace(name, '')
        if (!lease) this.refused += name
        else {
          this.started += name
          this.running.push({ name, ...lease })
        }
      })
    }
    await settle()
  }

  /** Finishes a running request. */
  async finish(index: number): Promise<void> {
    for (const { release } of this.running.splice(index, 1)) release()
    await settle()
  }

  /** Has a running request let others go first. It is the last of the running ones then. */
  async yield(index: number): Promise<void> {
    for (const request of this.running.splice(index, 1)) {
      this.waiting += request.name
      request.yield().then(() => {
        this.waiting = this.waiting.replace(request.name, '')
        this.running.push(request)
      })
    }
    await settle()
  }

  /** The names of the running requests. */
  get active(): string {
    return this.running.map(({ name }) => name).join('')
  }
}

/** Promises that can resolve have resolved. */
const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0)

const count = (names: string, name: string): number => names.split(name).length - 1

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

const STEPS = fc.array(
  fc.record({ arriving: fc.string({ unit: fc.constantFrom(...'abcd'), maxLength: 9 }), finished: fc.nat(9) }),
  { maxLength: 15 },
)

/** Returns whether a caller takes a free connection beside the running requests. */
function takesAnother(name: string, active: string, connections: number): boolean {
  const own = count(active, name)
  return own === 0 || 3 * (own + 1) <= 2 * (connections - (active.length - own))
}

test('callers take turns, whoever holds connections leaves others some, none is free for who may take it, and all are served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), STEPS, async (connections, steps) => {
      const requests = new Requests(connections)
      /** By caller, those that were served since its last turn although it waited. */
      const overtaken: Record<string, string> = { a: '', b: '', c: '', d: '' }
      const check = (before: string, active: string, waiting: string) => {
        let running = before
        let left = waiting
        for (const next of active.slice(before.length)) {
          expect([running.length < connections, takesAnother(next, running, connections)]).toEqual([true, true])
          left = left.replace(next, '')
          overtaken[next] = ''
          for (const other of new Set(left.replaceAll(next, ''))) {
            if (!takesAnother(other, running, connections)) continue
            expect(overtaken[other]).not.toContain(next)
            overtaken[other] += next
          }
          running += next
        }
        expect(requests.waiting).toBe(left)
        expect(requests.queue.waiting).toBe(left.length)
        if (active.length === connections) return
        for (const name of left) expect(takesAnother(name, active, connections)).toBe(false)
      }
      const finish = async (index: number) => {
        const { active, waiting } = requests
        await requests.finish(index)
        check(active.slice(0, index) + active.slice(index + 1), requests.active, waiting)
      }
      for (const { arriving, finished } of steps) {
        for (const name of arriving) {
          const { active, waiting } = requests
          await requests.arrive(name)
          check(active, requests.active, waiting + name)
        }
        if (requests.active) await finish(finished % requests.active.length)
      }
      while (requests.active) await finish(0)
      const all = steps.map(({ arriving }) => arriving).join('')
      expect([...requests.started].sort()).toEqual([...all].sort())
      expect(requests.refused).toBe('')
    }),
  )
})

test('a request that waits too long is refused, and takes no connection later', async () => {
  const requests = new Requests(1)
  await requests.arrive('ab')
  await jest.advanceTimersByTimeAsync(MAX_WAIT_MS - 1)
  expect(requests.refused).toBe('')
  await jest.advanceTimersByTimeAsync(1)
  expect([requests.refused, requests.queue.waiting]).toEqual(['b', 0])
  await requests.finish(0)
  await requests.arrive('c')
  expect(requests.started).toBe('ac')
})

test('a request whose client is gone waits no longer', async () => {
  const requests = new Requests(1)
  await requests.arrive('abc')
  requests.responses[1]!.emit('close')
  await settle()
  expect([requests.refused, requests.queue.waiting]).toEqual(['b', 1])
  await requests.finish(0)
  expect(requests.started).toBe('ac')
})

test('a request lets those of others go first, and is resumed before its caller begins another', async () => {
  const requests = new Requests(1)
  await requests.arrive('aabc')
  // Its first turn was before the others came.
  for (let turn = 0; turn < 2; turn++) await requests.yield(0)
  expect([requests.active, requests.waiting, requests.queue.waiting]).toEqual(['b', 'caa', 3])
  await requests.finish(0)
  await requests.finish(0)
  expect([requests.active, requests.started]).toEqual(['a', 'abc'])
  await requests.yield(0)
  expect([requests.active, requests.started]).toEqual(['a', 'abc'])
  await requests.finish(0)
  await requests.finish(0)
  await requests.arrive('c')
  expect([requests.started, requests.queue.waiting]).toEqual(['abcac', 0])
})

test('beyond five hundred waiting requests of one caller its own are refused at once, and nobody else is', async () => {
  const requests = new Requests(1)
  await requests.arrive('a'.repeat(1 + 500))
  expect(requests.refused).toBe('')
  await requests.arrive('a')
  expect(requests.refused).toBe('a')
  await requests.arrive(`${'b'.repeat(500)}${'c'.repeat(500)}d`)
  expect(requests.refused).toBe('a')
  await requests.finish(0)
  await requests.arrive('b')
  expect([requests.started, requests.refused]).toEqual(['aa', 'ab'])
})
