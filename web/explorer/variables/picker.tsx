/** A text field that offers values as one types (the ARIA combobox pattern), for one value or several. */
import { Combobox, ComboboxInput, ComboboxOption, ComboboxOptions } from '@headlessui/react'
import { useMemo, useState } from 'react'

export interface Offer {
  value: string
  label: string
  /** Also searched, such as city and company. */
  detail: string
}

interface Properties {
  label: string
  offers: Offer[] | undefined
  values: string[]
  isMultiple: boolean
  placeholder?: string
  onChange(values: string[]): void
}

const MAX_SHOWN = 50

export function Picker({ label, offers = [], values, isMultiple, placeholder, onChange }: Properties) {
  const [text, setText] = useState('')
  const names = useMemo(() => new Map(offers.map(({ value, label }) => [value, label])), [offers])
  const nameOf = (value: string) => names.get(value) ?? value
  const found = useMemo(() => search(offers, text), [offers, text])
  const typed = text.trim()

  const choose = (value: string | null) => {
    if (value !== null) onChange(isMultiple ? [...new Set([...values, value])] : [value])
    setText('')
  }
  return (
    <div className="picker">
      {isMultiple && values.length > 0 && (
        <ul className="row chosen" aria-label={`Chosen: ${label}`}>
          {values.map(value => (
            <li key={value}>
              {nameOf(value)}
              <button
                type="button"
                className="bare"
                aria-label={`Remove ${nameOf(value)}`}
                onClick={() => onChange(values.filter(other => other !== value))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <Combobox value={isMultiple ? '' : (values[0] ?? '')} onChange={choose} onClose={() => setText('')}>
        <ComboboxInput
          aria-label={label}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder ?? (isMultiple ? 'Add …' : 'Type to search')}
          displayValue={nameOf}
          onFocus={({ target }) => target.select()}
          onChange={({ target }) => setText(target.value)}
        />
        <ComboboxOptions modal={false} className="popup">
          {found.map(({ value, label: name, detail }) => (
            <ComboboxOption key={value} value={value}>
              {name} <small className="soft">{detail}</small>
            </ComboboxOption>
          ))}
          {/* A value that is not offered, for example while the list is loading, is taken as it was typed. */}
          {found.length === 0 && (
            <ComboboxOption value={typed} disabled={typed === ''}>
              {typed === '' ? 'The list is being read.' : `Nothing has this name. Use “${typed}”`}
            </ComboboxOption>
          )}
        </ComboboxOptions>
      </Combobox>
    </div>
  )
}

/** Returns the offers that contain all words, in any order and case. */
function search(offers: Offer[], text: string): Offer[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const hasWords = ({ label, detail, value }: Offer) => {
    const searched = `${label} ${detail} ${value}`.toLowerCase()
    return words.every(word => searched.includes(word))
  }
  return offers.filter(hasWords).slice(0, MAX_SHOWN)
}
