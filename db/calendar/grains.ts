/** The native grains of sensors: minutes in tables, names elsewhere. */

export const NATIVE_MINUTES = { minute: 1, quarter_hour: 15, hour: 60, day: 1440 } as const

export type NativeGrain = keyof typeof NATIVE_MINUTES

/** The name of the grain with intervals of this length. */
export function nativeGrain(minutes: number): NativeGrain {
  return minutes === 1 ? 'minute' : minutes === 15 ? 'quarter_hour' : minutes === 60 ? 'hour' : 'day'
}

/** SQL: whether a sensor with these native minutes is of the service's own vendor, the only one that counts minutes. */
export const isOwn = (column: string): string => `${column} = ${NATIVE_MINUTES.minute}`

/** SQL: the name of the grain with these native minutes; null stays null. */
export const grainName = (column: string): string =>
  `CASE ${column} ${Object.entries(NATIVE_MINUTES)
    .map(([name, minutes]) => `WHEN ${minutes} THEN '${name}'`)
    .join(' ')} END`
