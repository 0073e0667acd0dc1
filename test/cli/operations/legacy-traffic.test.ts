import { World } from '../../support/world'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

describe('partner-metrics legacy-traffic', () => {
  let world: World
  let keyId: string

  beforeAll(async () => {
    world = await World.open()
    keyId = (await world.runJson(['keys', 'issue', '--no-company', '--label', 'till 7'])).document.id
  })
  afterAll(() => world.stop())

  const traffic = async (...args: string[]) => (await world.runJson(['legacy-traffic', ...args])).document

  test('reports that it is safe only after 30 days of recorded silence', async () => {
    const verdict = async (days: number) => {
      await world.rows(`UPDATE service SET legacy_counted_from = now() - $1 * interval '1 day'`, [days])
      return (await traffic('--since', daysAgo(0))).verdict
    }
    expect(await verdict(0)).toEqual({
      safe_to_retire: false,
      reason: expect.stringMatching(
        /^30 whole days in a row without a call are needed, and 0 were recorded \(no call was recorded; calls are recorded since .*\)$/,
      ),
    })
    expect(await verdict(29.9)).toMatchObject({ safe_to_retire: false })
    expect(await verdict(30.1)).toEqual({
      safe_to_retire: true,
      reason: expect.stringMatching(/^no call was recorded, and calls are recorded since /),
    })
    expect(await traffic()).toMatchObject({ since: daysAgo(30), rows: [] })
  })

  test('reports the trend, and the calls since a given day', async () => {
    for (const [days, calls] of [
      [2, 5],
      [9, 50],
      [40, 7],
    ] as const) {
      const columns = [daysAgo(days), keyId, calls, `${daysAgo(days)}T10:00:00Z`]
      await world.rows(`INSERT INTO legacy_calls VALUES ($1, $2, '/v1/metrics/assets', $3, $4)`, columns)
    }
    expect((await traffic()).rows).toMatchObject([{ calls: 55, last_7_days: 5, previous_7_days: 50 }])
    expect((await traffic('--since', daysAgo(60))).rows).toMatchObject([{ calls: 62 }])
    expect(await traffic('--since', daysAgo(1))).toMatchObject({
      rows: [],
      verdict: { safe_to_retire: false, reason: expect.stringContaining(`the last call was at ${daysAgo(2)}`) },
    })
    const { code, stdout } = await world.run(['legacy-traffic'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/till 7\tassets\t55\t.*falling/)
    const silentDays = Math.floor((Date.now() - Date.parse(`${daysAgo(2)}T10:00:00Z`)) / 86_400_000)
    expect(stdout).toContain(
      `not safe to switch off: 30 whole days in a row without a call are needed, and ${silentDays} were recorded`,
    )
  })
})
