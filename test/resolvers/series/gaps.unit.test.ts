import { listDays } from '../../../db/calendar/local-days'
import { MISSING, pack } from '../../../db/calendar/packed-counts'
import { readNodeRules } from '../../../db/calendar/zone-rules'
import type { AssetGaps, KnownTime } from '../../../db/queries/gaps/read-gaps'
import { listGaps } from '../../../resolvers/series/gaps'

const rules = readNodeRules('Etc/UTC')

/** How often the times have been read at which something is known of a sensor. */
let reads = 0

/** A sensor that counts every other quarter hour, and is offline in one half of each hour, in some years from 2021 on. */
function halfDelivered(years: number): [AssetGaps, string, string] {
  const [from, to] = ['2021-01-01', `${2020 + years}-12-31`]
  const days = listDays(rules, from, to)
  const quarters = pack(Array.from({ length: 96 }, (_, i) => (i % 2 === 0 ? 7 : MISSING)))
  const knownTimes = Array.from({ length: days.length * 24 }, (_, i): KnownTime => {
    const begin = days[0]!.start + i * 3600
    return {
      ...{ sensor: 1, reason: 'sensor_offline', to: begin + 1800 },
      get from() {
        reads++
        return begin
      },
    }
  })
  const lastDays = [{ rules, date: to, nativeMinutes: 15, counts: quarters }]
  const counts = new Map(days.map((_, i) => [i, quarters]))
  const asset = {
    ...{ id: 'asset', rules, erased: new Set<number>() },
    installations: [{ sensor: 1, nativeMinutes: 15, from: days[0]!.start, to: null }],
    sensors: new Map([[1, { id: 'sensor', lastDays, knownTimes }]]),
    days: new Map([[1, { complete: new Set<number>(), counts, setAside: new Set<number>() }]]),
  }
  return [asset, from, to]
}

/** Returns the gaps of some years, and how often known times were read to find them. */
async function measure(years: number) {
  const [asset, from, to] = halfDelivered(years)
  reads = 0
  const gaps = await listGaps(asset, [from, to], { max: 200_000, left: 200_000 })
  return { gaps, reads }
}

test('what is known of a sensor is looked through once, not for each day', async () => {
  const [one, eight] = [await measure(1), await measure(8)]
  expect(one.gaps).toHaveLength(365 * 48)
  expect(eight.gaps.filter(({ reason }) => reason === 'sensor_offline')).toHaveLength(2922 * 24)
  // Eight times as many days: what looks through all that is known each day reads 64 times as much.
  expect(eight.reads).toBeLessThan(10 * one.reads)
})
