import fc from 'fast-check'
import { FairQueue } from '../../../db/postgres/fair-queue'

const MAX_WAIT_MS = 3_000

/** Requests of several callers in a queue, each named by one letter. They run until they are finished. */
class Requests {
  /** The names of the requests that have started, in order. */
  started = ''
  /** The names of the requests that wait. */
  waiting = ''
  refused = ''
  readonly queue: FairQueue
  private readonly running: { name: string; release: () => void }[] = []

  constructor(connections: number) {
    this.queue = new FairQueue(connections, MAX_WAIT_MS)
  }

  async arrive(names: string): Promise<void> {
    this.waiting += names
    for (const name of names) {
      this.queue.acquire(name).then(release => {
        this.waiting = this.waiting.replace(name, '')
        if (!release) this.refused += name
        else {
          this.started += name
          this.running.push({ name, release })
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

test('callers take turns, none holds more than two thirds, no connection is free for whoever waits, and all are served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), STEPS, async (connections, steps) => {
      const max = Math.max(1, Math.floor((connections * 2) / 3))
      const requests = new Requests(connections)
      /** By caller, those that were served since its last turn although it waited. */
      const overtaken: Record<string, string> = { a: '', b: '', c: '', d: '' }
      const check = () => {
        const { active, waiting, queue } = requests
        expect(active.length).toBeLessThanOrEqual(connections)
        expect(queue.waiting).toBe(waiting.length)
        for (const name of 'abcd') {
          expect(count(active, name)).toBeLessThanOrEqual(max)
          if (waiting.includes(name) && active.length < connections) expect(count(active, name)).toBe(max)
        }
      }
      const finish = async (index: number) => {
        const { started, waiting, active } = requests
        await requests.finish(index)
        check()
        const [next] = requests.started.slice(started.length)
        if (next === undefined) return
        overtaken[next] = ''
        const left = active.replace(active[index] as string, '')
        for (const other of new Set(waiting.replaceAll(next, ''))) {
          if (count(left, other) >= max) continue
          expect(overtaken[other]).not.toContain(next)
          overtaken[other] += next
        }
      }
      for (const { arriving, finished } of steps) {
        await requests.arrive(arriving)
        check()
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

test('beyond a thousand waiting requests, and beyond five hundred of one caller, requests are refused at once', async () => {
  const requests = new Requests(1)
  await requests.arrive('a'.repeat(1 + 500))
  expect(requests.refused).toBe('')
  await requests.arrive('a')
  expect(requests.refused).toBe('a')
  await requests.arrive('b'.repeat(500))
  expect(requests.refused).toBe('a')
  await requests.arrive('c')
  expect(requests.refused).toBe('ac')
  await requests.finish(0)
  await requests.arrive('c')
  expect(requests.refused).toBe('ac')
})
