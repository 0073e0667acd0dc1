/** A text field that offers values as one types (the ARIA combobox pattern), for one value or several. */
import { type KeyboardEvent, useId, useMemo, useState } from 'react'

export interface Option {
  value: string
  label: string
  /** Also searched, such as city and company. */
  detail: string
}

interface Properties {
  label: string
  options: Option[] | undefined
  values: string[]
  isMultiple: boolean
  placeholder?: string
  onChange(values: string[]): void
}

const MAX_SHOWN = 50

export function Picker({ label, options = [], values, isMultiple, placeholder, onChange }: Properties) {
  const id = useId()
  const [text, setText] = useState<string>()
  const [active, setActive] = useState(0)
  const byValue = useMemo(() => new Map(options.map(option => [option.value, option])), [options])
  const nameOf = (value: string) => byValue.get(value)?.label ?? value
  const isOpen = text !== undefined
  const found = useMemo(() => (text === undefined ? [] : search(options, text)), [options, text])

  const choose = (value: string) => {
    onChange(isMultiple ? [...new Set([...values, value])] : [value])
    setText(undefined)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      if (!isOpen) setText('')
      else setActive((active + step + found.length) % Math.max(1, found.length))
    }
    if (event.key === 'Escape') setText(undefined)
    if (event.key !== 'Enter') return
    event.preventDefault()
    // A value that is not offered, for example while the list is loading, is taken as it was typed.
    const chosen = found[active]?.value ?? text?.trim()
    if (chosen) choose(chosen)
  }
  return (
    <div className="picker">
      {isMultiple && values.length > 0 && (
        <ul className="chosen" aria-label={`Chosen: ${label}`}>
          {values.map(value => (
            <li key={value}>
              {nameOf(value)}
              <button
                type="button"
                aria-label={`Remove ${nameOf(value)}`}
                onClick={() => onChange(values.filter(other => other !== value))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && found[active] ? `${id}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder ?? (isMultiple ? 'Add …' : 'Type to search')}
        value={text ?? (isMultiple ? '' : nameOf(values[0] ?? ''))}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => {
          setText(target.value)
          setActive(0)
        }}
        onKeyDown={press}
        onBlur={() => setText(undefined)}
      />
      <div id={`${id}-list`} role="listbox" aria-label={label} hidden={!isOpen}>
        {found.map(({ value, label: name, detail }, i) => (
          <div
            key={value}
            tabIndex={-1}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === active}
            // The field keeps the focus.
            onPointerDown={event => {
              event.preventDefault()
              choose(value)
            }}
          >
            {name} <small>{detail}</small>
          </div>
        ))}
        {found.length === 0 && (
          <div role="option" tabIndex={-1} aria-selected={false} aria-disabled>
            {options.length === 0 ? 'The list is being read.' : 'Nothing has this name.'}
          </div>
        )}
      </div>
    </div>
  )
}

/** Returns the options that contain all words, in any order and case. */
function search(options: Option[], text: string): Option[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found: Option[] = []
  for (const option of options) {
    const searched = `${option.label} ${option.detail} ${option.value}`.toLowerCase()
    if (words.every(word => searched.includes(word))) found.push(option)
    if (found.length === MAX_SHOWN) break
  }
  return found
}
