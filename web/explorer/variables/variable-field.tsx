/** The form field of one variable. */
import type { Variable } from './describe-variables'
import { useOffers } from './offer-values'
import { Picker } from './picker'

interface Properties {
  variable: Variable
  value: unknown
  /** Undefined removes the value. */
  onChange(value: unknown): void
}

export function VariableField(properties: Properties) {
  const { name, isRequired } = properties.variable
  return (
    <div className="variable-field">
      <span aria-hidden="true">
        {name}
        {isRequired && <small> required</small>}
      </span>
      <Control {...properties} />
    </div>
  )
}

function Control({ variable, value, onChange }: Properties) {
  const { name, kind, isList, isRequired, defaultValue } = variable
  if (kind === 'json') return <span>An object: edit it as JSON.</span>
  if (kind === 'boolean' || (kind === 'enum' && !isList)) return <Choice {...{ variable, value, onChange }} />
  if (kind !== 'text' && kind !== 'number' && kind !== 'date') return <Pick {...{ variable, value, onChange }} />
  if (isList) {
    const values = Array.isArray(value) ? value : []
    return <Picker label={name} offers={[]} values={values} isMultiple onChange={onChange} />
  }
  return (
    <input
      aria-label={name}
      type={kind}
      required={isRequired}
      step="any"
      placeholder={defaultValue === undefined ? undefined : String(defaultValue)}
      value={value === undefined || value === null ? '' : String(value)}
      onChange={({ target }) => {
        if (target.value === '') onChange(undefined)
        else onChange(kind === 'number' ? Number(target.value) : target.value)
      }}
    />
  )
}

function Choice({ variable, value, onChange }: Properties) {
  const { name, kind, isRequired, defaultValue, values } = variable
  const options = kind === 'boolean' ? ['true', 'false'] : values
  const parse = (text: string) => (text === '' ? undefined : kind === 'boolean' ? text === 'true' : text)
  return (
    <select aria-label={name} value={String(value ?? '')} onChange={({ target }) => onChange(parse(target.value))}>
      <option value="" disabled={isRequired}>
        {defaultValue === undefined ? '–' : `${defaultValue} (default)`}
      </option>
      {options.map(option => (
        <option key={option}>{option}</option>
      ))}
    </select>
  )
}

function Pick({ variable, value, onChange }: Properties) {
  const { name, isList } = variable
  const offers = useOffers(variable)
  const values = (Array.isArray(value) ? value : [value]).filter(entry => typeof entry === 'string')
  return (
    <Picker
      label={name}
      offers={offers}
      values={values}
      isMultiple={isList}
      onChange={chosen => onChange(isList ? chosen : chosen[0])}
    />
  )
}
