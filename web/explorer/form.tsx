/** The form of a question: assets by name, ranges by preset, places and choices. */
import { useEffect, useId, useMemo, useState } from 'react'
import type { Choice, Field, Question } from './questions/question'
import { formatRange, listPresets, type Range } from './ranges'
import type { Scope, ScopeAsset } from './request'
import { follow, listPlaces, rangeOf, type Variables } from './variables'

interface Properties {
  question: Question
  scope: Scope
  variables: Variables
  onChange(variables: Variables): void
}

export function Form({ question: { fields }, scope: { assets, measured }, variables, onChange }: Properties) {
  const labels = useMemo(() => labelAssets(assets), [assets])
  const change = (changed: Variables) => onChange({ ...variables, ...changed })
  const control = (field: Field) => {
    if (field === 'asset')
      return <AssetPicker {...{ labels }} value={String(variables.asset)} onChoose={asset => change({ asset })} />
    if (field === 'before')
      return (
        <p className="soft">against {formatRange({ from: String(variables.before), to: String(variables.until) })}</p>
      )
    if (field === 'country' || field === 'city')
      return <Select field={placeChoice(field, assets)} value={variables[field]} onChange={change} />
    if ('variable' in field) return <Select field={field} value={variables[field.variable]} onChange={change} />
    return (
      <RangePicker
        range={rangeOf(variables)}
        lastDay={measured.to}
        onChange={range => change({ ...range, ...(fields.includes('before') && follow({ ...range })) })}
      />
    )
  }
  if (fields.length === 0) return null
  return (
    <form className="row form" aria-label="Values" onSubmit={event => event.preventDefault()}>
      {fields.map((field, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields of a question do not change
        <div key={i}>{control(field)}</div>
      ))}
    </form>
  )
}

/** Returns the names and cities of assets by id, which makes those different that are equal. */
function labelAssets(assets: readonly ScopeAsset[]): Map<string, string> {
  const label = ({ name, city }: ScopeAsset) => (city ? `${name}, ${city}` : name)
  const counts = new Map<string, number>()
  for (const asset of assets) counts.set(label(asset), (counts.get(label(asset)) ?? 0) + 1)
  return new Map(
    assets.map(asset => [asset.id, counts.get(label(asset)) === 1 ? label(asset) : `${label(asset)} (${asset.id})`]),
  )
}

interface PickerProperties {
  labels: ReadonlyMap<string, string>
  /** The id of the asset. */
  value: string
  onChoose(id: string): void
}

/** The browser filters the options that it is given, and slows down if there are thousands. */
const MAX_OPTIONS = 200

/** A text field that offers the names of assets as one types. It is empty while it has the focus, so that it offers all. */
function AssetPicker({ labels, value, onChoose }: PickerProperties) {
  const list = useId()
  const [typed, setTyped] = useState<string>()
  const current = labels.get(value) ?? value
  const words = (typed ?? '').toLowerCase()
  const offered = [...labels].filter(([, name]) => name.toLowerCase().includes(words)).slice(0, MAX_OPTIONS)
  const change = (text: string) => {
    const found = offered.find(([, name]) => name === text)
    if (found) onChoose(found[0])
    setTyped(found ? undefined : text)
  }
  return (
    <label>
      Asset
      <input
        list={list}
        autoComplete="off"
        placeholder={current}
        value={typed ?? current}
        onFocus={() => setTyped('')}
        onBlur={() => setTyped(undefined)}
        onChange={({ target }) => change(target.value)}
      />
      <datalist id={list}>
        <Options names={offered.map(([, name]) => name)} />
      </datalist>
    </label>
  )
}

interface RangeProperties {
  range: Range
  lastDay: string
  onChange(range: Range): void
}

/** Two dates, and a choice of ranges. Dates that are being typed are no range yet. */
function RangePicker({ range, lastDay, onChange }: RangeProperties) {
  const { from, to } = range
  const [typed, setTyped] = useState(range)
  useEffect(() => setTyped({ from, to }), [from, to])
  const presets = listPresets(lastDay)
  const current = presets.find(([, preset]) => preset.from === from && preset.to === to)?.[0]
  const change = (changed: Partial<Range>) => {
    const next = { ...typed, ...changed }
    setTyped(next)
    if (next.from >= '2000' && next.from <= next.to) onChange(next)
  }
  return (
    <fieldset className="row">
      <label>
        Days
        <select
          value={current ?? ''}
          onChange={({ target }) => change(presets.find(([name]) => name === target.value)?.[1] ?? {})}
        >
          {!current && <option value="">Other days</option>}
          <Options names={presets.map(([name]) => name)} />
        </select>
      </label>
      {(['from', 'to'] as const).map(name => (
        <label key={name}>
          {name === 'from' ? 'From' : 'To'}
          <input type="date" value={typed[name]} onChange={({ target }) => change({ [name]: target.value })} />
        </label>
      ))}
      {typed.from > typed.to && <p role="alert">The range ends before it begins.</p>}
    </fieldset>
  )
}

const countries = new Intl.DisplayNames('en', { type: 'region' })

/** Returns the choice of a place. A country need not be chosen. */
function placeChoice(variable: 'country' | 'city', assets: readonly ScopeAsset[]) {
  const isCountry = variable === 'country'
  const titleOf = (name: string) => (isCountry ? (countries.of(name) ?? name) : name)
  const places = listPlaces(assets, variable).map(([name, count]) => [`${titleOf(name)} (${count})`, name] as const)
  const values = Object.fromEntries(isCountry ? [['All countries', undefined], ...places] : places)
  return { variable, label: isCountry ? 'Country' : 'City', values }
}

interface SelectProperties {
  field: Omit<Choice, 'values'> & { values: Readonly<Record<string, unknown>> }
  value: unknown
  onChange(variables: Variables): void
}

function Select({ field: { variable, label, values }, value, onChange }: SelectProperties) {
  const chosen = Object.entries(values).find(([, each]) => each === value)?.[0]
  return (
    <label>
      {label}
      <select value={chosen} onChange={({ target }) => onChange({ [variable]: values[target.value] })}>
        <Options names={Object.keys(values)} />
      </select>
    </label>
  )
}

const Options = ({ names }: { names: readonly string[] }) => names.map(name => <option key={name}>{name}</option>)
