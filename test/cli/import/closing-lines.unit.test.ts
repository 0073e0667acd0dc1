import { changedLines } from '../../../cli/import/closing-lines'

const day = { id: 'zooeastgate', name: 'Zoo', from: '2026-01-05', to: '2026-01-05' }
const origin = 'http://127.0.0.1:4000'

test.each([
  ['impressions', 'impressions/daily'],
  ['origins', 'impressions/by-city'],
  ['demographics', 'demographics'],
  ['sensors', 'impressions/daily'],
] as const)('an import of %s ends with a request for what changed', (kind, route) => {
  const days = 'from_date=2026-01-05&to_date=2026-01-05'
  expect(changedLines(kind, [day], origin)).toEqual([
    'Changed: 1 asset (Zoo), 2026-01-05 to 2026-01-05.',
    'See, with an API key in the variable KEY:',
    `  curl -H "X-API-Key: $KEY" '${origin}/v1/partner/assets/zooeastgate/${route}?${days}'`,
  ])
})

test('without a change, an import says nothing more', () => {
  expect(changedLines('impressions', [], origin)).toEqual([])
})
