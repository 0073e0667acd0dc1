import { partnerRoutes } from '../../../rest-gateway/routes/partner'
import { findRestCall, type PersistedRoute } from '../../../web/explorer/rest-call'

const routes: PersistedRoute[] = partnerRoutes

test.each(partnerRoutes.map(route => [route.operation, route] as const))(
  'the persisted query of %s is matched to its own route',
  (_, route) => {
    const values: Record<string, unknown> = {
      id: 'abc',
      from_date: '2026-01-01',
      to_date: '2026-01-02',
      grain: 'day',
      limit: 20,
    }
    const query = new URLSearchParams()
    for (const { name, in: location } of route.parameters)
      if (location === 'query' && name in values) query.set(name, String(values[name]))
    const url = `${route.path.replace('{id}', 'abc')}${query.size > 0 ? `?${query}` : ''}`
    expect(findRestCall(routes, route.query, values)).toBe(url)
  },
)

test('aliases, fragments, literals and missing fields do not matter', () => {
  const query = `query X($a: ID = "abc") {
    numbers: impressions(assetId: $a, fromDate: "2026-01-01", toDate: "2026-01-02") { ...Some __typename }
  }
  fragment Some on Impressions { series: timeseries(grain: hour) { ... on ImpressionsSeries { all: total } } }`
  expect(findRestCall(routes, query)).toBe(
    '/v1/partner/assets/abc/impressions/timeseries?from_date=2026-01-01&to_date=2026-01-02&grain=hour',
  )
  expect(findRestCall(routes, '{ assets { nodes { id } } }')).toBe('/v1/partner/assets')
  expect(findRestCall(routes, '{ assets(limit: 7) { nodes { id } } }')).toBe('/v1/partner/assets?limit=7')
  expect(
    findRestCall(
      routes,
      '{ demographicsAggregate(fromDate: "2026-01-01", toDate: "2026-01-02", assetIds: ["a", "b"]) { total } }',
    ),
  ).toBe('/v1/partner/demographics/aggregate?from_date=2026-01-01&to_date=2026-01-02&asset_ids=a,b')
})

test.each([
  ['two root fields', '{ meta { version } asset(id: "a") { id } }'],
  [
    'two grains',
    '{ impressions(assetId: "a", fromDate: "2026-01-01", toDate: "2026-01-01") { a: timeseries(grain: day) { total } b: timeseries(grain: week) { total } } }',
  ],
  ['a page after the first, because REST cursors are not ids', '{ assets(after: "x") { nodes { id } } }'],
  ['fields that no route selects', '{ legacyAssets { id } }'],
  ['a missing variable', 'query ($id: ID!) { asset(id: $id) { id } }'],
  ['directives', '{ meta { version @skip(if: true) } }'],
  ['an incomplete query', '{ meta {'],
])('there is no REST call for %s', (_, query) => expect(findRestCall(routes, query)).toBeUndefined())
