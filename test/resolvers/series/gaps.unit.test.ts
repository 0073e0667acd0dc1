import { listDays } from '../../../db/calendar/local-days'
import { MISSING, pack } from '../../../db/calendar/packed-counts'
import { readNodeRules } from '../../../db/calendar/zone-rules'
import type { AssetGaps, KnownTime } from '../../../db/queries/gaps/read-gaps'
import { findGaps, MAX_GAPS } from '../../../resolvers/series/gaps'

const rules = readNodeRules('Etc/UTC')

/** A sensor that counts every other quarter hour, and is offline in one half of each hour, in some years from 2021 on. */
function halfDelivered(years: number): [AssetGaps, string, string] {
  const [from, to] = ['2021-01-01', `${2020 + years}-12-31`]
  const days = listDays(rules, from, to)
  const quarters = pack(Array.from({ length: 96 }, (_, i) => (i % 2 === 0 ? 7 : MISSING)))
  const knownTimes = Array.from({ length: days.length * 24 }, (_, i): KnownTime => {
    const begin = days[0]!.start + i * 3600
    return { sensor: 1, reason: 'sensor_offline', from: begin, to: begin + 1800 }
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

/** Returns the gaps, and the CPU time of finding them, in milliseconds: the shortest of some times. */
async function measure(years: number) {
  const [asset, from, to] = halfDelivered(years)
  const times: number[] = []
  for (let i = 0; i < 5; i++) {
    const before = process.cpuUsage()
    await findGaps(asset, [from, to], { left: MAX_GAPS })
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000)
  }
  return { gaps: await findGaps(asset, [from, to], { left: MAX_GAPS }), ms: Math.min(...times) }
}

test('the time to find gaps grows as the range does, however much is known of the sensor', async () => {
  const [half, whole] = [await measure(1), await measure(8)]
  expect(half.gaps).toHaveLength(365 * 48)
  expect(whole.gaps.filter(({ reason }) => reason === 'sensor_offline')).toHaveLength(2922 * 24)
  // Eight times as many days: what looks through all that is known each day takes 64 times as long.
  expect(whole.ms).toBeLessThan(30 * Math.max(half.ms, 1))
})
