/**
 * When people pass: the weekly shapes of the demo's places. A shape says of each minute of the week how much of an
 * average day's audience it brings, so that the seven days add up to seven.
 */

/** Minutes of seven days, Monday first, by the clock on the wall. */
export type Shape = readonly Float64Array[]

/** Relative audience of the hours 0 to 23 on a Monday to Thursday, a Friday, a Saturday and a Sunday. */
type Hours = readonly [weekday: string, friday: string, saturday: string, sunday: string]

const HOURS = {
  commuter: [
    '2 1 1 1 3 12 38 82 96 60 42 44 50 48 46 52 70 94 88 60 38 26 16 8',
    '3 2 1 1 3 12 36 78 90 58 44 48 54 54 56 66 80 90 80 58 44 36 28 18',
    '10 7 5 4 3 5 9 14 22 32 40 46 48 48 46 44 42 40 38 34 30 26 24 18',
    '12 9 7 5 3 4 6 9 14 22 30 36 38 40 40 38 36 32 28 24 18 14 10 5',
  ],
  station: [
    '6 3 2 2 8 24 58 96 100 66 52 52 58 58 56 64 82 98 90 64 46 34 24 14',
    '7 4 2 2 8 24 56 92 94 66 58 62 70 74 82 94 100 98 88 70 56 44 34 22',
    '14 9 6 5 8 14 24 36 48 58 64 66 66 64 62 62 62 60 56 48 40 34 28 20',
    '12 8 6 5 6 9 14 22 32 44 52 58 60 62 66 72 78 80 74 62 48 34 22 12',
  ],
  roadside: [
    '8 5 4 5 12 34 70 96 92 74 68 70 74 76 80 90 100 98 82 60 44 34 24 14',
    '9 6 5 5 12 32 66 90 86 74 74 78 84 90 96 100 98 92 78 62 50 42 34 24',
    '18 12 9 7 9 14 24 36 50 62 72 78 78 76 74 72 70 68 60 50 42 36 32 26',
    '20 14 10 7 7 9 14 22 34 48 58 64 66 66 68 70 72 68 58 46 36 28 20 12',
  ],
  high_street: [
    '3 2 1 1 2 5 12 24 34 42 56 66 78 76 68 70 80 90 88 66 40 24 14 7',
    '4 3 2 1 2 5 12 24 34 44 60 72 84 84 80 86 96 100 96 78 56 42 30 18',
    '12 8 5 3 3 4 7 14 28 52 82 108 124 130 132 128 118 104 84 62 48 40 32 22',
    '14 9 6 4 3 3 5 8 14 24 34 44 52 56 58 56 50 44 36 28 20 14 9 5',
  ],
  mall: [
    '0 0 0 0 0 0 0 0 2 18 46 58 70 68 62 68 82 94 92 66 24 0 0 0',
    '0 0 0 0 0 0 0 0 2 20 52 66 80 80 76 86 100 108 102 76 30 0 0 0',
    '0 0 0 0 0 0 0 0 3 30 76 108 128 138 142 138 124 106 82 56 20 0 0 0',
    '0 0 0 0 0 0 0 0 0 8 44 80 102 112 114 110 92 58 12 0 0 0 0 0',
  ],
  nightlife: [
    '24 14 8 5 4 6 12 22 28 26 26 30 36 38 38 42 50 60 68 72 74 70 60 44',
    '30 18 10 6 4 6 12 22 28 28 30 34 42 46 50 58 68 82 96 110 124 136 142 138',
    '126 108 92 76 52 30 18 16 20 28 36 44 50 54 56 60 66 78 96 116 134 148 154 150',
    '138 118 98 80 56 34 20 14 14 20 28 34 40 42 42 42 42 44 46 44 40 34 28 24',
  ],
  office: [
    '0 0 0 0 0 2 16 64 100 72 44 40 78 82 48 42 54 86 52 18 8 3 0 0',
    '0 0 0 0 0 2 15 58 90 66 42 40 74 76 48 54 70 62 26 9 4 2 0 0',
    '0 0 0 0 0 0 0 2 4 6 7 7 7 6 5 4 3 2 0 0 0 0 0 0',
    '0 0 0 0 0 0 0 0 2 3 4 4 4 4 3 2 2 0 0 0 0 0 0 0',
  ],
  leisure: [
    '0 0 0 0 0 0 4 10 16 22 28 34 42 42 40 44 54 66 72 64 48 30 12 0',
    '0 0 0 0 0 0 4 10 16 24 32 40 48 50 52 60 72 86 96 94 80 58 34 12',
    '8 0 0 0 0 0 3 8 20 46 76 100 116 126 130 130 124 118 112 102 86 64 38 14',
    '10 0 0 0 0 0 3 7 18 44 78 108 126 136 140 136 124 106 84 60 36 18 6 0',
  ],
  airport: [
    '4 3 4 16 48 86 98 90 76 64 60 62 66 68 66 68 76 88 92 80 60 42 24 10',
    '5 4 5 18 52 92 104 96 82 72 70 74 80 84 86 92 102 110 108 92 70 50 30 14',
    '8 5 6 20 54 90 96 88 78 72 70 70 70 66 62 58 56 54 52 46 38 30 20 10',
    '6 4 5 14 36 60 66 64 62 64 68 74 80 86 92 98 104 110 112 104 88 66 40 18',
  ],
} satisfies Record<string, Hours>

export type ShapeName = keyof typeof HOURS

const DAYS: readonly (0 | 1 | 2 | 3)[] = [0, 0, 0, 0, 1, 2, 3]

/** Goes from the middle of one hour straight to the middle of the next. */
function shapeOf(hours: Hours): Shape {
  const week = DAYS.flatMap(day => hours[day].split(' ').map(Number))
  const at = (hour: number): number => week[(hour + 168) % 168] as number
  const days = DAYS.map((_, day) =>
    Float64Array.from({ length: 1440 }, (_, minute) => {
      const hour = Math.floor(minute / 60)
      const past = (minute - hour * 60 - 30) / 60
      const here = at(day * 24 + hour)
      const there = at(day * 24 + hour + (past < 0 ? -1 : 1))
      // A closed hour stays empty to its very edge.
      return here === 0 ? 0 : here + (there - here) * (past < 0 ? -past : past)
    }),
  )
  let sum = 0
  for (const day of days) for (const minute of day) sum += minute
  return days.map(day => day.map(minute => (minute * 7) / sum))
}

export const SHAPES = Object.fromEntries(
  Object.entries(HOURS).map(([name, hours]) => [name, shapeOf(hours)]),
) as unknown as Record<ShapeName, Shape>

/** 0 for a Monday to 6 for a Sunday; the winter holidays pass like Sundays. */
export function weekdayOf(dayNumber: number, date: string): number {
  return /-12-2[56]$|-01-01$/.test(date) ? 6 : (dayNumber + 3) % 7
}
