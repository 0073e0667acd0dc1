/** The form of a question: assets by name, ranges by preset, places and choices. */
import { useEffect, useId, useMemo, useState } from 'react'
import type { Field, Question } from './questions/question'
import { formatRange, listPresets, type Range, rangeBefore } from './ranges'
import type { Scope, ScopeAsset } from './request'

export type Variables = Record<string, unknown>

/** Returns the first values of the variables of a question: there are data for them if there are any in scope. */
export function firstVariables({ fields }: Question, { assets, measured }: Scope): Variables {
  const newest = assets.filter(({ measuredTo }) => measuredTo !== null && measuredTo >= measured.to)
  const [first] = newest.filter(({ finestGrain }) => finestGrain === 'minute')
  const ids = [...new Set([first, ...newest, ...assets])].flatMap(asset => asset?.id ?? []).slice(0, 3)
  const cities = listPlaces(newest.length > 0 ? newest : assets, 'city')
  const variables: Variables = {}
  for (const field of fields) {
    if (field.kind === 'asset') variables[field.variable] = ids[0] ?? ''
    if (field.kind === 'assets') variables[field.variable] = ids
    if (field.kind === 'city') variables[field.variable] = cities.shift()?.[0] ?? ''
    if (field.kind === 'since') variables[field.variable] = timeOf(measured.to)
    if (field.kind === 'choice') variables[field.variable] = parseChoice(Object.keys(field.values)[0] ?? '')
    if (field.kind === 'range') Object.assign(variables, firstRange(field.first, measured))
    if (field.kind === 'before') Object.assign(variables, follow(variables))
  }
  return variables
}

function firstRange(name: string, { from, to }: Range): Range {
  const presets = new Map<string, Range>(listPresets(to))
  const range = presets.get(name)
  // The last whole week may have ended before the first day with data.
  return range && range.to >= from ? range : presets.get('Last 7 days')!
}

function follow({ from, to }: Variables): Variables {
  const before = rangeBefore({ from: String(from), to: String(to) })
  return { before: before.from, until: before.to }
}

const timeOf = (day: string): string => `${day}T00:00:00Z`

const parseChoice = (value: string): unknown => (value === 'true' || value === 'false' ? value === 'true' : value)

/** Returns the countries or cities of assets with their numbers of assets, those with most first. */
function listPlaces(assets: readonly ScopeAsset[], kind: 'country' | 'city'): [name: string, count: number][] {
  const counts = new Map<string, number>()
  for (const { [kind]: name } of assets) if (name) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
}

interface Properties {
  question: Question
  scope: Scope
  variables: Variables
  onChange(variables: Variables): void
}

export function Form({ question: { fields }, scope, variables, onChange }: Properties) {
  const labels = useMemo(() => labelAssets(scope.assets), [scope.assets])
  const isCompared = fields.some(({ kind }) => kind === 'before')
  const change = (changed: Variables) => onChange({ ...variables, ...changed })
  const control = (field: Field) => {
    switch (field.kind) {
      case 'asset':
        return (
          <AssetPicker
            label="Asset"
            labels={labels}
            value={String(variables[field.variable])}
            onChoose={id => change({ [field.variable]: id })}
          />
        )
      case 'assets':
        return (
          <AssetList
            labels={labels}
            values={[variables[field.variable] ?? []].flat().map(String)}
            onChange={ids => change({ [field.variable]: ids })}
          />
        )
      case 'range':
        return (
          <RangePicker
            range={{ from: String(variables.from), to: String(variables.to) }}
            lastDay={scope.measured.to}
            onChange={range => change({ ...range, ...(isCompared && follow({ ...range })) })}
          />
        )
      case 'before':
        return (
          <p className="soft">against {formatRange({ from: String(variables.before), to: String(variables.until) })}</p>
        )
      case 'since':
        return (
          <Since value={String(variables[field.variable])} onChange={since => change({ [field.variable]: since })} />
        )
      default:
        return <Choice field={field} scope={scope} value={variables[field.variable]} onChange={change} />
    }
  }
  if (fields.length === 0) return null
  return (
    <form className="row form" aria-label="Values" onSubmit={event => event.preventDefault()}>
      {fields.map(field => (
        <div key={'variable' in field ? field.variable : field.kind}>{control(field)}</div>
      ))}
    </form>
  )
}

/** Returns the assets' names and cities by id; the id makes names different that are equal. */
function labelAssets(assets: readonly ScopeAsset[]): Map<string, string> {
  const label = ({ name, city }: ScopeAsset) => (city ? `${name}, ${city}` : name)
  const counts = new Map<string, number>()
  for (const asset of assets) counts.set(label(asset), (counts.get(label(asset)) ?? 0) + 1)
  return new Map(
    assets.map(asset => [asset.id, counts.get(label(asset)) === 1 ? label(asset) : `${label(asset)} (${asset.id})`]),
  )
}

interface PickerProperties {
  label: string
  labels: ReadonlyMap<string, string>
  /** The id of the asset; empty without one. */
  value: string
  onChoose(id: string): void
}

/** The browser filters the options that it is given, and slows down if there are thousands. */
const MAX_OPTIONS = 200

/** A text field that offers the names of assets as one types. It is empty while it has the focus, so that it offers all. */
function AssetPicker({ label, labels, value, onChoose }: PickerProperties) {
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
      {label}
      <input
        list={list}
        autoComplete="off"
        spellCheck={false}
        placeholder={current || 'Type to search'}
        value={typed ?? current}
        onFocus={() => setTyped('')}
        onBlur={() => setTyped(undefined)}
        onChange={({ target }) => change(target.value)}
      />
      <datalist id={list}>
        {offered.map(([id, name]) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </label>
  )
}

/** As many assets as the question shows. */
const MAX_CHOSEN = 10

interface ListProperties {
  labels: ReadonlyMap<string, string>
  values: string[]
  onChange(ids: string[]): void
}

function AssetList({ labels, values, onChange }: ListProperties) {
  return (
    <div className="row">
      <ul className="row chosen" aria-label="Chosen assets">
        {values.map(id => (
          <li key={id}>
            {labels.get(id) ?? id}
            <button
              type="button"
              className="link"
              aria-label={`Remove ${labels.get(id) ?? id}`}
              onClick={() => onChange(values.filter(other => other !== id))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {values.length < MAX_CHOSEN && (
        <AssetPicker
          label="Add an asset"
          labels={labels}
          value=""
          onChoose={id => onChange([...new Set([...values, id])])}
        />
      )}
    </div>
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
  const isReversed = typed.from > typed.to
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
          <option value="" disabled>
            Other days
          </option>
          {presets.map(([name]) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        From
        <input type="date" value={typed.from} onChange={({ target }) => change({ from: target.value })} />
      </label>
      <label>
        To
        <input type="date" value={typed.to} onChange={({ target }) => change({ to: target.value })} />
      </label>
      {isReversed && <p role="alert">The range ends before it begins.</p>}
    </fieldset>
  )
}

function Since({ value, onChange }: { value: string; onChange(time: string): void }) {
  const [typed, setTyped] = useState(value.slice(0, 10))
  useEffect(() => setTyped(value.slice(0, 10)), [value])
  const change = (day: string) => {
    setTyped(day)
    if (day >= '2000') onChange(timeOf(day))
  }
  return (
    <label>
      Since
      <input type="date" value={typed} onChange={({ target }) => change(target.value)} />
    </label>
  )
}

const countries = new Intl.DisplayNames('en', { type: 'region' })

interface ChoiceProperties {
  field: Extract<Field, { kind: 'choice' | 'country' | 'city' }>
  scope: Scope
  value: unknown
  onChange(variables: Variables): void
}

function Choice({ field, scope, value, onChange }: ChoiceProperties) {
  const { kind, variable } = field
  const [label, options] =
    kind === 'choice' ? [field.label, Object.entries(field.values)] : describePlaces(kind, scope.assets)
  const parse = (text: string) => (kind === 'choice' ? parseChoice(text) : text === '' ? undefined : text)
  return (
    <label>
      {label}
      <select value={String(value ?? '')} onChange={({ target }) => onChange({ [variable]: parse(target.value) })}>
        {options.map(([option, title]) => (
          <option key={option} value={option}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Returns the label of a place and its options. A country need not be chosen. */
function describePlaces(kind: 'country' | 'city', assets: readonly ScopeAsset[]): [string, [string, string][]] {
  const places = listPlaces(assets, kind)
  const nameOf = (place: string) => (kind === 'country' ? (countries.of(place) ?? place) : place)
  const options = places.map(([place, count]): [string, string] => [place, `${nameOf(place)} (${count})`])
  return kind === 'country' ? ['Country', [['', 'All countries'], ...options]] : ['City', options]
}
