/** A simulation of the queue in front of ten connections. Its time is counted in batches that have ended. */
import { EventEmitter } from 'node:events'
import { FairQueue } from '../../../db/postgres/fair-queue'

const CONNECTIONS = 10

/** Requests that each greedy key keeps waiting or running, whatever is refused. */
const IN_FLIGHT = 600

/** Requests of the polite key, one after the other. */
const POLITE_REQUESTS = 100

/** A request that takes longer than so many batches is refused. */
const MAX_WAIT = 200

/** Promises that can resolve have resolved. */
const settle = (): Promise<void> => new Promise(setImmediate)

/** Sends the requests of a polite key beside greedy ones. @returns how long each took, infinity for one that was refused, ascending */
async function simulate(greedyKeys: number): Promise<number[]> {
  const queue = new FairQueue(CONNECTIONS, 1_000)
  const running: (() => void)[] = []
  const send = async (name: string): Promise<boolean> => {
    const lease = await queue.acquire(name, new EventEmitter())
    if (lease) await new Promise<void>(resolve => running.push(resolve))
    lease?.release()
    return lease !== undefined
  }
  const beGreedy = async (name: string) => {
    while (await send(name));
  }
  for (let i = 0; i < IN_FLIGHT * greedyKeys; i++) void beGreedy(`greedy ${i % greedyKeys}`)
  await settle()
  const times: number[] = []
  while (times.length < POLITE_REQUESTS) {
    let time: number | undefined
    let ended = 0
    void send('polite').then(isServed => {
      time = isServed ? ended : Number.POSITIVE_INFINITY
    })
    for (; time === undefined && ended < MAX_WAIT; ended++) {
      await settle()
      running.shift()?.()
      await settle()
    }
    times.push(time ?? Number.POSITIVE_INFINITY)
  }
  return times.sort((a, b) => a - b)
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }))
afterEach(() => jest.useRealTimers())

test.each([
  [1, 10],
  [4, 10],
  [20, 30],
])(
  'beside %d greedy keys each request of a polite one is served before %d other batches end',
  async (greedyKeys, most) => {
    const times = await simulate(greedyKeys)
    expect(times.at(-1)).toBeLessThanOrEqual(most)
  },
)
