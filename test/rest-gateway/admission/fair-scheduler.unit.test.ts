import { FairScheduler, type Release } from '../../../rest-gateway/admission/fair-scheduler'

const MAX_WAIT_MS = 3_000

/** Requests of several callers at a scheduler. They run until they are finished. */
class Requests {
  /** The names of the requests that have started, in order. */
  readonly started: string[] = []
  readonly refused: string[] = []
  private readonly running: { name: string; release: Release }[] = []
  readonly scheduler: FairScheduler

  constructor(slots: number) {
    this.scheduler = new FairScheduler(slots, MAX_WAIT_MS)
  }

  /** Each letter is a request of the caller with that name. Capital letters are ad hoc queries. */
  async arrive(names: string): Promise<void> {
    for (const name of names) {
      this.scheduler.acquire(name.toLowerCase(), name !== name.toLowerCase()).then(release => {
        if (release) this.started.push(name)
        else this.refused.push(name)
        if (release) this.running.push({ name, release })
      })
    }
    await settle()
  }

  /** Finishes the oldest running request of each of these callers. */
  async finish(names: string): Promise<void> {
    for (const name of names) {
      const index = this.running.findIndex(request => request.name === name)
      if (index < 0) throw new Error(`no request of ${name} is running`)
      this.running.splice(index, 1)[0]?.release()
      await settle()
    }
  }

  /** The names of the running requests, sorted. */
  get active(): string {
    return this.running
      .map(({ name }) => name)
      .sort()
      .join('')
  }
}

/** Promises that can resolve have resolved. */
const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0)

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

test('a single caller uses all slots, and its requests start in the order of their arrival', async () => {
  const requests = new Requests(4)
  await requests.arrive('aaaaaa')
  expect(requests.active).toBe('aaaa')
  expect(requests.scheduler.waiting).toBe(2)
  await requests.finish('a')
  expect(requests.active).toBe('aaaa')
  expect(requests.scheduler.waiting).toBe(1)
})

test('callers that wait are served in turn, however many requests each of them has', async () => {
  const requests = new Requests(1)
  await requests.arrive('aaaabbc')
  await requests.finish('aabcab')
  expect(requests.started.join('')).toBe('aabcaba')
})

test('a new caller waits for one request of each other caller, not for all of them', async () => {
  const requests = new Requests(1)
  await requests.arrive('aaaabbbb')
  await requests.arrive('c')
  await requests.finish('aab')
  expect(requests.started.join('')).toBe('aabc')
})

test('while others wait a caller has at most half of the slots', async () => {
  const requests = new Requests(4)
  await requests.arrive('aaaaaaaa')
  await requests.arrive('bbbb')
  expect(requests.active).toBe('aaaa')
  // A slot that becomes free goes to b until both have half.
  await requests.finish('aa')
  expect(requests.active).toBe('aabb')
  await requests.finish('a')
  expect(requests.active).toBe('aabb')
  await requests.finish('b')
  expect(requests.active).toBe('aabb')
})

test('a caller may exceed its half with slots that nobody else waits for', async () => {
  const requests = new Requests(4)
  await requests.arrive('b')
  await requests.arrive('aaaaaaaa')
  expect(requests.active).toBe('aaab')
  await requests.finish('b')
  expect(requests.active).toBe('aaaa')
  await requests.arrive('b')
  await requests.finish('a')
  expect(requests.active).toBe('aaab')
})

test('ad hoc queries leave a quarter of the slots to persisted queries', async () => {
  const requests = new Requests(8)
  await requests.arrive('AAAAAAAAAA')
  expect(requests.active).toBe('AAAAAA')
  await requests.arrive('BBB')
  expect(requests.active).toBe('AAAAAA')
  await requests.arrive('ccc')
  expect(requests.active).toBe('AAAAAAcc')
  await requests.finish('A')
  expect(requests.active).toBe('AAAAABcc')
  await requests.finish('A')
  expect(requests.active).toBe('AAAABccc')
})

test('four parallel ad hoc queries of an analyst beside one quiet partner never wait', async () => {
  const requests = new Requests(10)
  await requests.arrive('p')
  await requests.arrive('AAAA')
  expect(requests.active).toBe('AAAAp')
  await requests.finish('AAAA')
  await requests.arrive('AAAA')
  expect(requests.active).toBe('AAAAp')
  expect(requests.scheduler.waiting).toBe(0)
})

test('the ad hoc queries of a caller do not delay its persisted queries', async () => {
  const requests = new Requests(2)
  await requests.arrive('AAAAa')
  expect(requests.active).toBe('Aa')
  await requests.finish('a')
  expect(requests.active).toBe('A')
  await requests.arrive('aa')
  expect(requests.active).toBe('Aa')
  await requests.finish('a')
  expect(requests.started.join('')).toBe('Aaaa')
})

test('with a single slot ad hoc queries are served, too', async () => {
  const requests = new Requests(1)
  await requests.arrive('Ab')
  await requests.finish('Ab')
  expect(requests.started.join('')).toBe('Ab')
})

test('a request that waits too long is refused, and takes no slot later', async () => {
  const requests = new Requests(1)
  await requests.arrive('ab')
  await jest.advanceTimersByTimeAsync(MAX_WAIT_MS - 1)
  expect(requests.refused).toEqual([])
  await jest.advanceTimersByTimeAsync(1)
  expect(requests.refused).toEqual(['b'])
  expect(requests.scheduler.waiting).toBe(0)
  await requests.finish('a')
  await requests.arrive('c')
  expect(requests.started.join('')).toBe('ac')
})

test('beyond a thousand waiting requests, and beyond five hundred of one caller, requests are refused at once', async () => {
  const requests = new Requests(1)
  await requests.arrive('a'.repeat(1 + 500))
  expect(requests.refused).toEqual([])
  await requests.arrive('a')
  expect(requests.refused).toEqual(['a'])
  await requests.arrive('b'.repeat(500))
  expect(requests.refused).toEqual(['a'])
  await requests.arrive('c')
  expect(requests.refused).toEqual(['a', 'c'])
  await requests.finish('a')
  await requests.arrive('c')
  expect(requests.refused).toEqual(['a', 'c'])
})

test('after any arrivals all slots are in use while requests wait, and in the end all are served', async () => {
  const requests = new Requests(3)
  const arrivals = ['aabb', 'ccc', 'abca', 'bbbbbb', 'a']
  for (const names of arrivals) {
    await requests.arrive(names)
    expect(requests.active).toHaveLength(3)
    await requests.finish(requests.active[0] as string)
    expect(requests.active).toHaveLength(3)
  }
  while (requests.active) await requests.finish(requests.active[0] as string)
  expect(requests.started).toHaveLength(arrivals.join('').length)
  expect(requests.scheduler.waiting).toBe(0)
})
