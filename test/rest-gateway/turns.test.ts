import { setImmediate as others } from 'node:timers/promises'
import { FREE, Turns } from '../../rest-gateway/turns'

const MOST = 10

/** A caller's requests: how many have had their turn, and what ends the one that has it longest. */
class Requests {
  asked = 0
  begun = 0
  ended = 0

  constructor(
    private readonly turns: Turns,
    private readonly name: string,
    private readonly kind?: typeof FREE,
  ) {}

  async come(number: number): Promise<void> {
    this.asked += number
    for (let i = 0; i < number; i++) this.turns.take(this.name, this.kind).then(() => this.begun++)
    await others()
  }

  /** Ends all that came. */
  async finish(): Promise<void> {
    while (this.ended < this.asked) await (this.ended < this.begun ? this.end() : others())
  }

  async end(number = 1): Promise<void> {
    for (let i = 0; i < number; i++) {
      this.ended++
      this.turns.end(this.name)
    }
    await others()
  }
}

const both = async (kind?: typeof FREE) => {
  const turns = new Turns(MOST, 60_000)
  const [one, other] = [new Requests(turns, 'one', kind), new Requests(turns, 'other')] as const
  await other.come(1)
  await other.end()
  return { one, other }
}

test('who is alone has all turns', async () => {
  const one = new Requests(new Turns(MOST, 60_000), 'one')
  await one.come(100)
  expect(one.begun).toBe(MOST)
  await one.end()
  expect(one.begun).toBe(MOST + 1)
  await one.finish()
})

test('a partner with 20 requests at once has half of the turns beside others, one after the other without a rest', async () => {
  const { one, other } = await both()
  await one.come(20)
  for (let ended = 0; ended <= 15; ended++) {
    expect(one.begun).toBe(MOST / 2 + ended)
    await one.end()
  }
  await other.come(5)
  expect(other.begun).toBe(6)
  await other.finish()
})

test('queries that nobody has fixed are served one at a time beside others, one after the other without a rest', async () => {
  const { one } = await both(FREE)
  await one.come(3)
  for (let ended = 0; ended <= 2; ended++) {
    expect(one.begun).toBe(1 + ended)
    await one.end()
  }
})

test('a crowd is served one request at a time beside others, until none of its requests waits', async () => {
  const { one } = await both()
  await one.come(5)
  await one.come(33)
  await one.end(4)
  expect(one.begun).toBe(5)
  while (one.ended < 38) {
    await one.end()
    while (one.begun === one.ended && one.ended < 38) await others()
    expect(one.begun).toBe(Math.min(38, one.ended + 1))
  }
  await one.come(20)
  expect(one.begun).toBe(43)
  await one.finish()
})

test('a crowd rests between two turns, the longer the more of it waits', async () => {
  jest.useFakeTimers()
  try {
    const { one } = await both()
    await one.come(5)
    await one.come(64)
    await one.end(4)
    const restAfter = async (ms: number): Promise<number> => {
      jest.advanceTimersByTime(ms)
      const { begun } = one
      await one.end()
      let rest = 0
      for (; one.begun === begun; rest++) {
        jest.advanceTimersByTime(1)
        await others()
      }
      return rest
    }
    expect(await restAfter(10)).toBe(160)
    for (let waiting = 63; waiting > 32; waiting--) expect(await restAfter(4)).toBe(waiting)
    expect(await restAfter(10)).toBe(80)
    expect(await restAfter(1_000)).toBe(500)
  } finally {
    jest.useRealTimers()
  }
})
