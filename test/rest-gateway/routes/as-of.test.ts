/** `as_of`: responses as they were at an instant. */

import { Readable } from 'node:stream'
import { runDeletion } from '../../../db/operations/run-deletion'
import { importFile } from '../../../imports/import-file'
import { Service } from '../../support/service'

let service: Service
let key: string
let asset: { id: string; number: number }

beforeAll(async () => {
  service = await Service.start()
})
afterAll(() => service.stop())

const latest = async (): Promise<number> =>
  (await service.owner.query('SELECT max(number) AS number FROM feed_transactions')).rows[0].number

/** RFC 3339 with microseconds. */
const format = (microseconds: number): string =>
  `${new Date(Math.floor(microseconds / 1e6) * 1000).toISOString().slice(0, 19)}.${String(microseconds % 1e6).padStart(6, '0')}Z`

test('x', async () => {
  const { make, owner } = service
  const company = await make.company()
  key = await make.key([company])
  asset = await make.asset({ company })
  const vendor = await make.vendor('hour')
  const store = (kind: 'sensors' | 'impressions', lines: string[]) =>
    importFile(owner, kind, Readable.from(lines.map(l => l + '\n')))
  const before = await latest()
  await store('sensors', [
    'serial,model,vendor_id,asset_id,installed_at',
    `L1,M,${vendor.id},${asset.id},2026-01-01T00:00Z`,
  ])
  await store('impressions', ['sensor,start,impressions', 'L1,2026-03-01T12:00Z,5', 'L1,2026-03-02T12:00Z,7'])
  const first = await latest()
  await store('impressions', ['sensor,start,impressions', 'L1,2026-03-01T12:00Z,6', 'L1,2026-03-01T13:00Z,0'])
  const second = await latest()
  await runDeletion(owner, {
    request: { kind: 'impressions', of: ['L1'], from: '2026-03-02', to: '2026-03-02' },
    operation: { command: 'delete impressions' },
  })
  const third = await latest()
  const range = 'from_date=2026-03-01&to_date=2026-03-03'
  for (const path of [
    `assets/${asset.id}/impressions/daily?`,
    `assets/${asset.id}/impressions/summary?`,
    'impressions?grain=week&',
    'impressions/aggregate?',
    'impressions/aggregate?group_by=asset&',
    'impressions/aggregate?group_by=format&grain=month&',
    `impressions/aggregate?asset_ids=${asset.id}&`,
    `impressions/aggregate?asset_ids=${asset.id}&group_by=asset&`,
  ]) {
    for (const at of [before, first, second, third]) {
      const r = await service.get(`/v1/partner/${path}${range}&as_of=${format(at)}`, { key })
      console.log(path, JSON.stringify(r.body))
    }
  }
})
