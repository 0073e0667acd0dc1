import { EventEmitter } from 'node:events'
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

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

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
