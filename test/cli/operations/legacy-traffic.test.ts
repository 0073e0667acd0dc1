import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { openPool } from '../../../db/postgres/pool'
import { Command } from '../../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../../support/databases'
import { Factory } from '../../support/factories'
import { send } from '../../support/http'
import { type Env, run, runJson } from '../../support/in-process'

jest.setTimeout(60_000)

describe('partner-metrics legacy-traffic', () => {
  let database: TestDatabase
  let owner: Pool
  let env: Env
  let key: string
  let keyId: string

  beforeAll(async () => {
    database = await createDatabase()
    owner = openPool(database.ownerUrl)
    env = { ...settingsOf(database), METRICS_ENV: 'dev' }
    key = await new Factory(owner).key([])
    const { rows } = await owner.query(`UPDATE api_keys SET label = 'till 7' RETURNING id`)
    keyId = rows[0].id
  })
  afterAll(async () => {
    await owner.end()
    await database.drop()
  })

  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

  const traffic = async (...args: string[]) => (await runJson(['legacy-traffic', ...args], env)).document

  test('reports that it is safe only after 30 days of recorded silence', async () => {
    const verdict = async (days: number) => {
      await owner.query(`UPDATE service SET legacy_counted_from = now() - $1 * interval '1 day'`, [days])
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

  test('counts the calls of a service until its shutdown', async () => {
    const service = new Command(['serve'], env)
    const url = await service.url()
    for (let i = 0; i < 3; i++) await send(`${url}/v1/metrics/assets`, { key })
    await send(`${url}/v1/metrics/assets/7/per-minute`, { key })
    expect((await service.end('SIGTERM')).code).toBe(0)
    const { rows, verdict } = await traffic()
    expect(rows).toMatchObject([
      { key_id: keyId, label: 'till 7', route: '/v1/metrics/assets', calls: 3, last_7_days: 3, previous_7_days: 0 },
      { key_id: keyId, route: '/v1/metrics/assets/{id}/per-minute', calls: 1 },
    ])
    expect(rows[0].last_called_at.slice(0, 10)).toBe(daysAgo(0))
    expect(verdict).toEqual({
      safe_to_retire: false,
      reason: expect.stringContaining(`the last call was at ${daysAgo(0)}`),
    })
  })

  test('reports the trend, and the calls since a given day', async () => {
    await owner.query('DELETE FROM legacy_calls')
    for (const [days, calls] of [
      [2, 5],
      [9, 50],
      [40, 7],
    ] as const) {
      const columns = [daysAgo(days), keyId, calls, `${daysAgo(days)}T10:00:00Z`]
      await owner.query(`INSERT INTO legacy_calls VALUES ($1, $2, '/v1/metrics/assets', $3, $4)`, columns)
    }
    expect((await traffic()).rows).toMatchObject([{ calls: 55, last_7_days: 5, previous_7_days: 50 }])
    expect((await traffic('--since', daysAgo(60))).rows).toMatchObject([{ calls: 62 }])
    expect(await traffic('--since', daysAgo(1))).toMatchObject({
      rows: [],
      verdict: { safe_to_retire: false, reason: expect.stringContaining(`the last call was at ${daysAgo(2)}`) },
    })
    const { code, stdout } = await run(['legacy-traffic'], env)
    expect(code).toBe(0)
    expect(stdout).toMatch(/till 7 │ assets │\s+55 │.*falling/)
    const silentDays = Math.floor((Date.now() - Date.parse(`${daysAgo(2)}T10:00:00Z`)) / 86_400_000)
    expect(stdout).toContain(
      `not safe to switch off: 30 whole days in a row without a call are needed, and ${silentDays} were recorded`,
    )
  })

  test('counts calls while the service runs, so that they survive when it is killed, and lists those without an active key', async () => {
    await owner.query('DELETE FROM legacy_calls')
    await owner.query('UPDATE api_keys SET deactivated_at = now()')
    const service = new Command(['serve'], env)
    const url = await service.url()
    await send(`${url}/v1/metrics/assets`, { key })
    for (const method of ['OPTIONS', 'POST', 'HEAD']) await send(`${url}/v1/metrics/assets/legacy-ids`, { method })
    const count = async () => Number((await owner.query('SELECT sum(calls) AS calls FROM legacy_calls')).rows[0].calls)
    while ((await count()) < 4) await sleep(50)
    await service.end('SIGKILL')
    const { rows } = await traffic()
    expect(rows).toMatchObject([
      { key_id: null, label: null, route: '/v1/metrics/assets/legacy-ids', calls: 3 },
      { key_id: keyId, label: 'till 7', route: '/v1/metrics/assets', calls: 1 },
    ])
    expect((await run(['legacy-traffic'], env)).stdout).toContain('(no known key)')
  })

  test('refuses a day in the future', async () => {
    const { code, document } = await runJson(['legacy-traffic', '--since', daysAgo(-1)], env)
    expect([code, document.error.code]).toEqual([2, 'USAGE'])
  })

  test('refuses a date that does not exist', async () => {
    const { code, stderr } = await run(['legacy-traffic', '--since', '2026-02-30'], env)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--since .*It must be a real date, as YYYY-MM-DD/)])
  })
})
