/** The grains at which sensors count, as minutes in the tables and by name outside. */

export const NATIVE_MINUTES = { minute: 1, quarter_hour: 15, hour: 60 } as const

export type NativeGrain = keyof typeof NATIVE_MINUTES

/** The name of a native interval of so many minutes. */
export function nativeGrain(minutes: number): NativeGrain {
  return minutes === 1 ? 'minute' : minutes === 15 ? 'quarter_hour' : 'hour'
}

/** SQL that a sensor of so many native minutes is our own: no other vendor's counts minutes. */
export const isOwn = (column: string): string => `${column} = ${NATIVE_MINUTES.minute}`

/** SQL that names the grain of a column of native minutes; null stays null. */
export const grainName = (column: string): string =>
  `CASE ${column} ${Object.entries(NATIVE_MINUTES)
    .map(([name, minutes]) => `WHEN ${minutes} THEN '${name}'`)
    .join(' ')} END`
