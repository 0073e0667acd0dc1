/** Shows a measure by hour of the week, a row per weekday: the larger a value, the darker its cell. */
import { weekOf } from './charts'
import { colorsOf, useDark } from './colors'
import type { Table } from './tables'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 4 })

export function HeatMap({ table, measure }: { table: Table; measure: string }) {
  const [color] = colorsOf(useDark()).series
  const week = weekOf(table, measure)
  const max = Math.max(0, ...week.flat().map(value => value ?? 0))
  return (
    <div className="heat-map">
      <table aria-label={`${measure} by hour of the week`}>
        <thead>
          <tr>
            <td />
            {HOURS.map(hour => (
              <th key={hour} scope="col" className="cell">
                {String(hour).padStart(2, '0')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {WEEKDAYS.map((name, day) => (
            <tr key={name}>
              <th scope="row" className="cell">
                {name.slice(0, 3)}
              </th>
              {HOURS.map(hour => {
                const value = week[day]?.[hour] ?? null
                const share = value === null || max === 0 ? 0 : Math.round((value / max) * 100)
                const title = `${name} ${String(hour).padStart(2, '0')}:00: ${value === null ? 'no data' : exact.format(value)}`
                return (
                  <td
                    key={hour}
                    title={title}
                    className={share > 60 ? 'cell strong' : 'cell'}
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
