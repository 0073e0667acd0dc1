/** Two dates, from and to, with ranges to choose from. */
import { useSession } from '../scope-context'
import { listPresets, type Range } from './date-presets'

interface Properties {
  /** The names of the two variables. */
  names: Range
  values: Range
  onChange(range: Range): void
}

export function DateRange({ names, values, onChange }: Properties) {
  const presets = listPresets(useSession().defaults.lastDay)
  const current = Object.entries(presets).find(([, { from, to }]) => from === values.from && to === values.to)
  return (
    <fieldset className="row">
      <legend>
        {names.from} – {names.to}
      </legend>
      <input
        type="date"
        aria-label={names.from}
        required
        max={values.to}
        value={values.from}
        onChange={({ target }) => onChange({ ...values, from: target.value })}
      />
      <input
        type="date"
        aria-label={names.to}
        required
        min={values.from}
        value={values.to}
        onChange={({ target }) => onChange({ ...values, to: target.value })}
      />
      <select
        aria-label={`Range of ${names.from} and ${names.to}`}
        value={current?.[0] ?? ''}
        onChange={({ target }) => onChange(presets[target.value] ?? values)}
      >
        <option value="" disabled>
          Choose a range
        </option>
        {Object.keys(presets).map(name => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </fieldset>
  )
}
