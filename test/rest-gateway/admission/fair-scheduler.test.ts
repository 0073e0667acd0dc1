import { setImmediate as others } from 'node:timers/promises'
import { type End, FairScheduler, FREE } from '../../../rest-gateway/admission/fair-scheduler'

const MOST = 10
const PATIENCE_MS = 60_000

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

/** A caller's requests: how many have had their turn, and what ends the one that has it longest. */
class Requests {
  begun = 0
  ended = 0
  private asked = 0
  private readonly ends: End[] = []

  constructor(
    private readonly turns: FairScheduler,
    private readonly name: string,
    private readonly kind?: typeof FREE,
  ) {}

  async come(number: number): Promise<void> {
    this.asked += number
    for (let i = 0; i < number; i++)
      this.turns.take(this.name, this.kind).then(end => {
        this.begun++
        this.ends.push(end)
      })
    await others()
  }

  /** Ends so many, each after so long. */
  async end(number = 1, afterMs = 0): Promise<void> {
    for (let i = 0; i < number; i++) {
      jest.advanceTimersByTime(afterMs)
      this.ended++
      this.ends.shift()?.()
      await others()
    }
  }

  /** Waits until one has its turn, and tells for how long. */
  async next(): Promise<number> {
    const began = performance.now()
    while (this.begun === this.ended) {
      jest.advanceTimersByTime(1)
      await others()
    }
    return performance.now() - began
  }

  /** Ends all that came, each after so long, and tells how long they took together, with the rests between them. */
  async finish(lastsMs: number): Promise<number> {
    const began = performance.now()
    for (; this.ended < this.asked; await this.end(1, lastsMs)) await this.next()
    return performance.now() - began
  }
}

/** One beside another, who comes again and again. */
const beside = async (kind?: typeof FREE, patienceMs = PATIENCE_MS) => {
  const turns = new FairScheduler(MOST, patienceMs)
  const [one, other] = [new Requests(turns, 'one', kind), new Requests(turns, 'other')] as const
  await other.come(1)
  await other.end()
  return { one, other }
}

test('who is alone has all turns', async () => {
  const one = new Requests(new FairScheduler(MOST, PATIENCE_MS), 'one')
  await one.come(100)
  expect(one.begun).toBe(MOST)
  await one.end(1, 20)
  expect(one.begun).toBe(MOST + 1)
  expect(await one.finish(20)).toBe(99 * 20)
})

test('a partner with 20 small requests at once has half of the turns beside others, one after the other without a rest', async () => {
  const { one, other } = await beside()
  await one.come(20)
  for (let ended = 0; ended <= 15; ended++) {
    expect(one.begun).toBe(MOST / 2 + ended)
    await one.end(1, 1)
  }
  await other.come(5)
  expect(other.begun).toBe(6)
})

test.each([
  [20, 15],
  [20, 50],
  [50, 15],
])(
  '%i requests at once of %i ms are all answered beside others, in at most three times as long as one after the other',
  async (number, ms) => {
    const { one } = await beside(undefined, 3_000)
    await one.come(number)
    expect(await one.finish(ms)).toBeLessThan(3 * number * ms)
  },
)

test('who asks for what takes long has fewer turns at once beside others, and one at least', async () => {
  for (const [lasts, turns] of [
    [1, 5],
    [4, 2],
    [6, 1],
    [30, 1],
  ] as const) {
    const { one } = await beside()
    await one.come(1)
    await one.end(1, lasts)
    await one.come(1)
    // Half of it counts, as the mean of the last ones goes.
    await one.end(1, lasts)
    await one.come(3)
    await one.end(3, lasts)
    await one.come(8)
    expect([lasts, one.begun - one.ended]).toEqual([lasts, turns])
  }
})

test('queries that nobody has fixed are served one at a time beside others, one after the other without a rest', async () => {
  const { one } = await beside(FREE)
  await one.come(3)
  for (let ended = 0; ended <= 2; ended++) {
    expect(one.begun).toBe(1 + ended)
    await one.end()
  }
})

test('a crowd is served one request at a time beside others, until little of it waits', async () => {
  const { one } = await beside()
  await one.come(200)
  await one.end(5, 3)
  for (; one.ended < 160; await one.end(1, 3)) {
    await one.next()
    expect(one.begun).toBe(one.ended + 1)
  }
  while (one.ended < 185) await one.next().then(() => one.end(1, 3))
  expect(one.begun).toBe(188)
})

test('the rests of a crowd grow with the cube of what waits, up to half a second', async () => {
  const { one } = await beside()
  await one.come(160)
  const restWith = async (waiting: number): Promise<number> => {
    for (; one.ended < 160 - waiting; await one.end(1, 100)) await one.next()
    return one.next()
  }
  expect(await restWith(140)).toBe(500)
  expect(await restWith(60)).toBe(180)
  expect(await restWith(30)).toBe(22)
})
