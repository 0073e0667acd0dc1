/** A tab list with arrow key navigation. */
import type { KeyboardEvent } from 'react'

interface Properties<Name extends string> {
  names: readonly Name[]
  current: Name
  controls: string
  label: string
  onSelect(name: Name): void
}

export function Tabs<Name extends string>({ names, current, controls, label, onSelect }: Properties<Name>) {
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const next = (names.indexOf(current) + step + names.length) % names.length
    onSelect(names[next] as Name)
    ;(event.currentTarget.children[next] as HTMLElement).focus()
  }
  return (
    <div role="tablist" tabIndex={-1} aria-label={label} className="views" onKeyDown={move}>
      {names.map(name => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === current}
          aria-controls={controls}
          tabIndex={name === current ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
