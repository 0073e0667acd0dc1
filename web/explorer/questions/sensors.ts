/** Questions on sensors, and on counts that are missing or cannot be trusted. */
import { FOUR_WEEKS, type Question, queryAsset } from './question'

export const SENSOR_QUESTIONS: readonly Question[] = [
  {
    id: 'untrusted-sensors',
    title: 'Sensors that cannot be trusted',
    text: 'The faults that the operator’s doctor command found in their counts, and the sensors that are not healthy.',
    query: `query UntrustedSensors {
  sensorFaults(limit: 500) {
    doctorRanAt: ranAt
    hasMore
    nodes { assetId serial fault from to evidence remedy }
  }
  sensors(limit: 500, health: [offline, degraded, unknown]) {
    hasMore
    nodes { asset { name city } serial vendor model health { status reason lastSeenAt } }
  }
}
`,
    fields: [],
    show: {
      kind: 'table',
      rows: ['sensorFaults.nodes', 'sensors.nodes'],
      empty: 'All sensors are healthy, and no faults are known.',
    },
  },
  {
    id: 'missing-counts',
    title: 'Why counts are missing',
    text: 'The stretches of one asset without counts, with the reason of each.',
    query: queryAsset(
      'WhyCountsAreMissing',
      'impressions(fromDate: $from, toDate: $to) { gaps { rows { reason from to missing expected sensorId } } }',
    ),
    fields: ['asset', FOUR_WEEKS],
    show: {
      kind: 'table',
      rows: 'asset.impressions.gaps.rows',
      empty: 'No counts of this asset are missing in these days.',
    },
  },
  {
    id: 'days-without-data',
    title: 'Days without data',
    text: 'The coverage of each day of the first hundred active assets of a country, by name.',
    query: `query DaysWithoutData($country: [String!], $from: Date!, $to: Date!) {
  assets(limit: 100, filter: { country: $country, status: [active] }, sort: { by: name }) {
    hasMore
    nodes { name city impressions(fromDate: $from, toDate: $to) { daily { rows { date impressions coverage } } } }
  }
}
`,
    fields: ['country', { range: 'Last 2 whole weeks' }],
    show: {
      kind: 'heat',
      rows: 'assets.nodes.impressions.daily.rows',
      x: 'date',
      y: 'name',
      color: 'coverage',
      unit: 'Share of the expected measurements',
    },
  },
  {
    id: 'sensors-by-vendor',
    title: 'Sensors by vendor',
    text: 'How many sensors of each vendor have which health.',
    query: `query SensorsByVendor {
  sensors(limit: 1) { count counts { vendor status sensors } }
}
`,
    fields: [],
    show: { kind: 'bars', rows: 'sensors.counts', x: 'vendor', y: 'sensors', color: 'status', unit: 'Sensors' },
  },
]
