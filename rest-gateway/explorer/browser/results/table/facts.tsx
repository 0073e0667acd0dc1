/** The values beside a list. */
import { formatCell } from './format'
import type { Table } from './tables'

export function Facts({ facts }: Pick<Table, 'facts'>) {
  if (facts.length === 0) return null
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{formatCell(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
