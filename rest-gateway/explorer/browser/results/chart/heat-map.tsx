/** Shows a measure by hour of the week, a column per weekday: the larger a value, the stronger the color of its cell. */

import type { Table } from '../table/tables'
import { arrangeWeek } from './charts'
import { chooseColors, mixColors, readableOn, useDark } from './colors'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** The share of the color in the cell of the largest value. */
const MAX_SHARE = 0.9

const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 4 })

export function HeatMap({ table, measure }: { table: Table; measure: string }) {
  const { background, series } = chooseColors(useDark())
  const week = arrangeWeek(table, measure)
  const max = Math.max(0, ...week.flat().map(value => value ?? 0))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section className="heat-map" tabIndex={0} aria-label={`${measure} by hour of the week`}>
      <table>
        <thead>
          <tr>
            <td />
            {WEEKDAYS.map(name => (
              <th key={name} scope="col" className="cell">
                {name.slice(0, 3)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {HOURS.map(hour => (
            <tr key={hour}>
              <th scope="row" className="cell">
                {clock(hour)}
              </th>
              {WEEKDAYS.map((name, day) => {
                const value = week[day]?.[hour] ?? null
                const share = value === null || max === 0 ? 0 : (value / max) * MAX_SHARE
                const color = mixColors(background, series[0] as string, share)
                return (
                  <td
                    key={name}
                    title={`${name} ${clock(hour)}: ${value === null ? 'no data' : exact.format(value)}`}
                    className="cell"
                    style={{ backgroundColor: color, color: readableOn(color) }}
                  >
                    {value === null ? '–' : compact.format(value)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
