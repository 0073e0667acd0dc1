/** The ledger: every change of a day that was over is kept. */
import { Readable } from 'node:stream'
import { runDeletion } from '../../db/operations/run-deletion'
import { importFile } from '../../imports/import-file'
import type { Kind } from '../../imports/kind-names'
import { Service } from '../support/service'

let service: Service
beforeAll(async () => {
  service = await Service.start()
})
afterAll(() => service.stop())

const importText = (kind: Kind, lines: readonly string[], options: object = {}) =>
  importFile(service.owner, kind, Readable.from(lines.map(line => `${line}\n`)), options)

const readSteps = async (asset: number) =>
  (
    await service.owner.query(
      `SELECT kind, date::text, total_before::int AS before, total_after::int AS after, observed_before, observed_after, final,
         r.reason, note, note_is_public FROM restatements s JOIN revisions r ON r.number = s.revision
       WHERE asset = $1 ORDER BY revision, kind, date`,
      [asset],
    )
  ).rows

test('a first value is late, and each later change is an entry with its reason', async () => {
  const { make, owner } = service
  const asset = await make.asset()
  await importText('sensors', [
    'serial,model,vendor_id,asset_id,installed_at',
    `L1,M,${(await make.vendor('hour')).id},${asset.id},2026-01-01T00:00Z`,
  ])
  await importText('impressions', ['sensor,start,impressions', 'L1,2026-03-01T12:00Z,5', 'L1,2026-03-02T12:00Z,7'])
  expect(await readSteps(asset.number)).toEqual([])
  const { rows } = await owner.query('SELECT kind, from_date::text, to_date::text, assets::text FROM late_days')
  console.log(rows)
  await importText('impressions', ['sensor,start,impressions', 'L1,2026-03-01T12:00Z,6', 'L1,2026-03-01T13:00Z,0'], {
    reason: 'recalibrated',
    public: true,
  })
  await runDeletion(owner, {
    request: { kind: 'impressions', of: ['L1'], from: '2026-03-02', to: '2026-03-02' },
    operation: { command: 'delete impressions' },
  })
  await importText('impressions', ['sensor,start,impressions', 'L1,2026-03-02T12:00Z,7'])
  console.log(await readSteps(asset.number))
  await importText('demographics', ['asset_id,date,gender,age_band,impressions', `${asset.id},2026-03-01,male,25-34,5`])
  await importText('demographics', ['asset_id,date,gender,age_band,impressions', `${asset.id},2026-03-01,male,25-34,8`])
  await importText('origins', [
    'asset_id,date,country,region,city,impressions',
    `${asset.id},2026-03-01,DE,DE-BE,Berlin,500`,
  ])
  await importText('origins', [
    'asset_id,date,country,region,city,impressions',
    `${asset.id},2026-03-01,DE,DE-BE,Berlin,700`,
  ])
  console.log(await readSteps(asset.number), (await owner.query('SELECT * FROM installation_revisions')).rows)
})
