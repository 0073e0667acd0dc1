/** Finds the nulls of an asset that its gaps do not explain. */

export interface GapRow {
  asset_id: string
  sensor_id: string | null
  from: string
  to: string
  expected: number
  missing: number
  reason: string
}

/** Returns the nulls of an asset by day, and by hour where it has hours, that are in no gap; and the reasons of its gaps. */
export async function findUnexplained(
  // biome-ignore lint/suspicious/noExplicitAny: bodies are JSON
  read: (path: string) => Promise<any>,
  asset: string,
  from: string,
  to: string,
): Promise<{ nulls: number; unexplained: string[]; reasons: string[] }> {
  const path = `/v1/partner/assets/${asset}/impressions`
  const gaps: GapRow[] = (await read(`${path}/gaps?from_date=${from}&to_date=${to}`)).data
  const periods = gaps.map(gap => ({ from: Date.parse(gap.from), to: Date.parse(gap.to) }))
  const nulls: string[] = []
  for (const grain of ['day', 'hour']) {
    for (let day = Date.parse(from); day <= Date.parse(to); day += 420 * 86_400_000) {
      const last = new Date(Math.min(day + 419 * 86_400_000, Date.parse(to))).toISOString().slice(0, 10)
      const range = `from_date=${new Date(day).toISOString().slice(0, 10)}&to_date=${last}`
      const { data = [] } = await read(`${path}/timeseries?grain=${grain}&${range}`)
      for (const { start, impressions } of data) if (impressions === null) nulls.push(start)
    }
  }
  const isExplained = (start: string) =>
    periods.some(gap => gap.from <= Date.parse(start) && gap.to > Date.parse(start))
  const unexplained = nulls.filter(start => !isExplained(start))
  return { nulls: nulls.length, unexplained, reasons: [...new Set(gaps.map(({ reason }) => reason))].sort() }
}
