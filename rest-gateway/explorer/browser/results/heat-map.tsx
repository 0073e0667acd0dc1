/** Shows a measure by hour of the week, a column per weekday: the larger a value, the stronger the color of its cell. */
import { arrangeWeek } from './charts'
import { chooseColors, useDark } from './colors'
import type { Table } from './tables'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** Percentage of the color in the cell of the largest value. */
const MAX_SHARE = 90

const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 4 })

export function HeatMap({ table, measure }: { table: Table; measure: string }) {
  const [color] = chooseColors(useDark()).series
  const week = arrangeWeek(table, measure)
  const max = Math.max(0, ...week.flat().map(value => value ?? 0))
  return (
    <div className="heat-map">
      <table aria-label={`${measure} by hour of the week`}>
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
                const share = value === null || max === 0 ? 0 : Math.round((value / max) * MAX_SHARE)
                return (
                  <td
                    key={name}
                    title={`${name} ${clock(hour)}: ${value === null ? 'no data' : exact.format(value)}`}
                    className={share > MAX_SHARE / 2 ? 'cell strong' : 'cell'}
                    style={{ backgroundColor: `color-mix(in srgb, ${color} ${share}%, transparent)` }}
                  >
                    {value === null ? '–' : compact.format(value)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
