/** A tab list with arrow key navigation. */
import type { KeyboardEvent } from 'react'

interface Properties<Name extends string> {
  names: readonly Name[]
  current: Name
  /** The position of the current tab, where names are not unique. */
  index?: number
  controls: string
  label: string
  onSelect(name: Name, index: number): void
}

export function Tabs<Name extends string>({ names, current, index, controls, label, onSelect }: Properties<Name>) {
  const selected = index ?? names.indexOf(current)
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const next = (selected + step + names.length) % names.length
    onSelect(names[next]!, next)
    ;(event.currentTarget.children[next] as HTMLElement).focus()
  }
  return (
    <div role="tablist" tabIndex={-1} aria-label={label} className="views" onKeyDown={move}>
      {names.map((name, i) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: names are not unique
          key={i}
          type="button"
          role="tab"
          aria-selected={i === selected}
          aria-controls={controls}
          tabIndex={i === selected ? 0 : -1}
          onClick={() => onSelect(name, i)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
