import { setImmediate as nextIteration } from 'node:timers/promises'
import { ValueBudget } from '../../../rest-gateway/graphql/value-budget'

test('queries whose values are more than the budget run one after the other, in order', async () => {
  const budget = new ValueBudget(100)
  const order: string[] = []
  const run = async (name: string, values: number) => {
    const release = await budget.acquire(values)
    order.push(`${name} starts`)
    await nextIteration()
    order.push(`${name} ends`)
    release()
  }
  await Promise.all([run('a', 60), run('b', 60), run('c', 10)])
  expect(order).toEqual(['a starts', 'a ends', 'b starts', 'c starts', 'b ends', 'c ends'])
})

test('a query that waits too long is refused, and does not block those behind it', async () => {
  const budget = new ValueBudget(100, 20)
  const release = await budget.acquire(50)
  const large = budget.acquire(100)
  const small = budget.acquire(50)
  await expect(large).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  ;(await small)()
  release()
  ;(await budget.acquire(100))()
})
