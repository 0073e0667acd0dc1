import { type Count, ProcessCounter } from '../../../rest-gateway/auth/rate-counter'
import { WorkerCounter } from '../../../rest-gateway/auth/worker-counter'

const WORKERS = 2

const SECOND = 1_000

let now: number
let questions: number
let workers: WorkerCounter[]

beforeEach(() => {
  now = 0
  questions = 0
  const totals = new ProcessCounter()
  const primary = {
    add: (...asked: Parameters<ProcessCounter['add']>) => {
      questions++
      return totals.add(...asked)
    },
    read: (...asked: Parameters<ProcessCounter['read']>) => totals.read(...asked),
  }
  workers = Array.from({ length: WORKERS }, () => new WorkerCounter(WORKERS, primary, () => now))
})

const add = (worker: number, requests: number): Count | Promise<Count> =>
  (workers[worker] as WorkerCounter).add('key', 1, { requests, seconds: 60 })

/** Sends requests to the workers in turn, and returns how many were within the rate. */
async function countAccepted(requests: number, order: (i: number) => number, sent = requests * 2): Promise<number> {
  let accepted = 0
  for (let i = 0; i < sent; i++) if ((await add(order(i), requests)).consumed <= requests) accepted++
  return accepted
}

test('a rate is shared exactly by workers that have requests in turn, which seldom ask the primary', async () => {
  expect(await countAccepted(600, i => i % 2, 500)).toBe(500)
  expect(questions).toBeLessThan(100)
  expect(await countAccepted(600, i => i % 2)).toBe(100)
})

test('a rate of few requests is shared exactly, whatever the order', async () => {
  expect(await countAccepted(19, i => (i < 12 ? 0 : 1))).toBe(19)
})

test('a rate is exceeded by a twentieth at most, by what a worker has not told yet', async () => {
  for (let i = 0; i < 300; i++) await add(0, 600)
  expect(await countAccepted(600, () => 1)).toBeLessThanOrEqual(330)
})

test('a total is asked for again after a second, with what the other worker has counted since', async () => {
  for (let i = 0; i < 10; i++) await add(0, 600)
  for (let i = 0; i < 5; i++) await add(1, 600)
  now += SECOND
  await add(1, 600)
  const { consumed } = await (workers[0] as WorkerCounter).read('key', { requests: 600, seconds: 60 })
  expect(consumed).toBe(16)
})
