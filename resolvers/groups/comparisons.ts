/** Two numbers beside each other. */
import type { Comparison } from '../../schema/generated'

export function comparison(impressions: number, comparedWith: number): Comparison {
  const change = impressions - comparedWith
  const changeRate = comparedWith === 0 ? null : Math.round((change * 10_000) / comparedWith) / 10_000
  return { impressions, comparedWith, change, changeRate }
}
