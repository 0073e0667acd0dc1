/** The reason why a row is rejected after which stored counts would have no place, with what to do about it. */
import type { Unplaced } from '../relocation/move-counts'
import type { Obstacle } from '../relocation/placement'

const REASONS: Record<Obstacle, { fault: string; advice: string }> = {
  outside: {
    fault: 'would be outside of every installation of the sensor',
    advice: 'give an installed_at (and removed_at) that includes them',
  },
  grain: {
    fault: 'would not have the grain of the sensor',
    advice: 'give the local midnight after them as installed_at, from which on the sensor counts the other grain',
  },
  grid: {
    fault: 'would not begin where an interval of the asset begins in its time zone',
    advice: 'give an installed_at or a time zone that suits them',
  },
  meeting: {
    fault: 'would get the asset and date of another one of the sensor, and one of the two would be lost',
    advice: 'erase one of the two (import an empty value at its time, with its offset, and --erase)',
  },
}

/** @param nameOf the serial of a sensor, where the row is not that of the sensor */
export function explainRefusal(
  unplaced: readonly Omit<Unplaced, 'asset' | 'zone'>[],
  nameOf?: (sensor: number) => string,
): string {
  const faults = unplaced.map(({ obstacle, sensor, setAside, counts, first, last, meeting }) => {
    const subject = `${counts} stored ${counts === 1 ? 'count' : 'counts'}${nameOf ? ` of sensor ${nameOf(sensor)}` : ''}`
    const time = first === last ? `at ${first}` : `from ${first} to ${last}`
    const aside = setAside === null ? '' : `, set aside under the number ${setAside},`
    return `${subject} ${time}${aside} ${REASONS[obstacle].fault}${meeting ? ` (${meeting})` : ''}`
  })
  const advice = [...new Set(unplaced.map(({ obstacle }) => REASONS[obstacle].advice))]
  return `${faults.join('; ')}: ${advice.join('; ')}, or delete them first (partner-metrics delete impressions)`
}
