/** A button that opens a list of controls. It closes with Escape, and when the focus or a click goes elsewhere. */
import { type ReactNode, useEffect, useRef } from 'react'

export function Menu({ label, children }: { label: string; children: ReactNode }) {
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = ({ target }: Event) => {
      if (details.current && !details.current.contains(target as Node)) details.current.open = false
    }
    for (const type of ['pointerdown', 'focusin']) addEventListener(type, close)
    return () => {
      for (const type of ['pointerdown', 'focusin']) removeEventListener(type, close)
    }
  }, [])
  return (
    <details
      ref={details}
      className="menu"
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        event.currentTarget.open = false
        event.currentTarget.querySelector('summary')?.focus()
      }}
    >
      <summary className="control">{label}</summary>
      <div className="popup">{children}</div>
    </details>
  )
}
