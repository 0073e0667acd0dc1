/** The form of a question: assets by name, ranges by preset, choices; and the filters, which all questions have. */
import { useEffect, useId, useMemo, useState } from 'react'
import type { AssetFilter } from '../../../schema/generated'
import type { Field, Question } from '../questions/question'
import type { Scope } from '../request'
import { FILTERS, type FilterName, formatValue, listValues, type ScopeAsset, selectAssets } from './filters'
import { listPresets, type Range, rangeBefore } from './ranges'
import { filterOf, follow, rangeAgainst, rangeOf, type Variables } from './variables'

interface Properties {
  question: Question
  scope: Scope
  variables: Variables
  onChange(variables: Variables): void
}

export function Form({ question: { fields }, scope: { assets, measured }, variables, onChange }: Properties) {
  const labels = useMemo(() => labelAssets(assets), [assets])
  const filter = filterOf(variables)
  const change = (changed: Variables) => onChange({ ...variables, ...changed })
  const changeFilter = (name: string, value: unknown) => {
    const { [name]: _, ...others } = { ...filter } as Variables
    const next = value === undefined ? others : { ...others, [name]: [value] }
    const offered = selectAssets(assets, next)
    const hasAsset = !fields.includes('asset') || offered.some(({ id }) => id === variables.asset)
    change({ filter: next, ...(!hasAsset && offered[0] && { asset: offered[0].id }) })
  }
  const control = (field: Field) => {
    if (field === 'asset')
      return (
        <AssetPicker
          {...{ label: 'Asset', labels, value: String(variables.asset), onChange: asset => change({ asset }) }}
          ids={selectAssets(assets, filter).map(({ id }) => id)}
        />
      )
    if (field === 'before')
      return (
        <RangePicker
          {...{ label: 'Against', presets: [['The range before', rangeBefore(rangeOf(variables))]] }}
          value={rangeAgainst(variables)}
          onChange={({ from, to }) => change({ before: from, until: to })}
        />
      )
    if ('variable' in field)
      return (
        <Select {...field} value={variables[field.variable]} onChange={value => change({ [field.variable]: value })} />
      )
    return (
      <RangePicker
        {...{ label: 'Days', presets: listPresets(measured.to), value: rangeOf(variables) }}
        onChange={range => change({ ...range, ...(fields.includes('before') && follow({ ...range })) })}
      />
    )
  }
  return (
    <form className="form" aria-label="Values" onSubmit={event => event.preventDefault()}>
      <div className="row">
        {fields.map((field, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields of a question do not change
          <div key={i}>{control(field)}</div>
        ))}
      </div>
      <Filters {...{ assets, labels, filter }} onChange={changeFilter} />
    </form>
  )
}

type Labels = ReadonlyMap<string, string>

interface FiltersProperties {
  assets: readonly ScopeAsset[]
  labels: Labels
  filter: AssetFilter
  onChange(name: string, value: unknown): void
}

/** The second row: a choice for each attribute, and one for an asset to which a chart has led. */
function Filters({ assets, labels, filter, onChange }: FiltersProperties) {
  const control = (name: FilterName | 'id') => {
    const counted = name === 'id' ? [] : listValues(selectAssets(assets, filter, name), name)
    const titled = counted.map(([value, count]) => [`${formatValue(name, value)} (${count})`, value])
    const chosen = filter[name]?.join(', ')
    // An address may have an asset, several values, or one that no asset has.
    if (chosen && !counted.some(([value]) => value === chosen)) titled.push([labels.get(chosen) ?? chosen, chosen])
    const values = Object.fromEntries([['All', undefined], ...titled])
    const label = name === 'id' ? 'Asset' : FILTERS[name]
    return <Select key={name} {...{ label, values, value: chosen }} onChange={value => onChange(name, value)} />
  }
  const names = Object.keys(FILTERS) as FilterName[]
  return (
    <fieldset className="row" aria-label="Filters">
      {[...(filter.id ? ['id' as const] : []), ...names].map(control)}
    </fieldset>
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

/** A control of a value, of which there may be several to choose from by name. */
interface Control<Value> {
  label: string
  value: Value
  onChange(value: Value): void
}

/** The browser filters the options that it is given, and slows down if there are thousands. */
const MAX_OPTIONS = 200

/** A text field that offers the names of assets as one types. It is empty when it gets the focus, so that it offers all. */
function AssetPicker({ label, value, onChange, labels, ids }: Control<string> & { labels: Labels; ids: string[] }) {
  const list = useId()
  const [typed, setTyped] = useState<string>()
  const current = labels.get(value) ?? value
  const words = (typed ?? '').toLowerCase()
  const offered = ids
    .map(id => [id, labels.get(id) ?? id] as const)
    .filter(([, name]) => name.toLowerCase().includes(words))
    .slice(0, MAX_OPTIONS)
  const choose = (found: readonly [id: string, name: string] | undefined, text: string) => {
    if (found) onChange(found[0])
    setTyped(found ? undefined : text)
  }
  return (
    <>
      <label>
        {label}
        <input
          list={list}
          autoComplete="off"
          placeholder={current}
          value={typed ?? current}
          onFocus={() => setTyped(typed || '')}
          onBlur={() => setTyped(typed || undefined)}
          onChange={({ target }) =>
            choose(
              offered.find(([, name]) => name === target.value),
              target.value,
            )
          }
          onKeyDown={({ key }) => key === 'Enter' && typed && choose(offered[0], typed)}
        />
        <datalist id={list}>
          <Options names={offered.map(([, name]) => name)} />
        </datalist>
      </label>
      {typed && <small role="status">{offered[0] ? `Enter takes ${offered[0][1]}` : 'No asset matches.'}</small>}
    </>
  )
}

/** Two dates, and a choice of ranges. Dates that are being typed are no range yet. */
function RangePicker({
  label,
  value,
  onChange,
  presets,
}: Control<Range> & { presets: [name: string, range: Range][] }) {
  const { from, to } = value
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped({ from, to }), [from, to])
  const current = presets.find(([, preset]) => preset.from === from && preset.to === to)?.[0]
  const change = (changed: Partial<Range>) => {
    const next = { ...typed, ...changed }
    setTyped(next)
    if (next.from >= '2000' && next.from <= next.to) onChange(next)
  }
  return (
    <fieldset className="row" aria-label={label}>
      <label>
        {label}
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

function Select({ label, value, onChange, values }: Control<unknown> & { values: Readonly<Record<string, unknown>> }) {
  const chosen = Object.entries(values).find(([, each]) => each === value)?.[0]
  return (
    <label>
      {label}
      <select value={chosen} onChange={({ target }) => onChange(values[target.value])}>
        <Options names={Object.keys(values)} />
      </select>
    </label>
  )
}

const Options = ({ names }: { names: readonly string[] }) => names.map(name => <option key={name}>{name}</option>)
