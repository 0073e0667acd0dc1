/** The bar above the panes: whose data is shown, the theme, and the way to another key. */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'

const MAX_NAMES = 3

interface Properties {
  companies: string[]
  onClose(): void
}

export function Header({ companies, onClose }: Properties) {
  const more = companies.length - MAX_NAMES
  const text = `Data of ${companies.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return (
    <header className="row strip bar">
      <h1>Explorer</h1>
      <span className="cut soft" title={companies.join('\n')}>
        {companies.length === 0 ? 'This key has no companies' : text}
      </span>
      <nav aria-label="Pages">
        <a href="/docs">Documentation</a>
      </nav>
      <ThemeChoice />
      <button type="button" onClick={onClose}>
        Change key
      </button>
    </header>
  )
}

function ThemeChoice() {
  const theme = useGraphiQL(state => state.theme)
  const { setTheme } = useGraphiQLActions()
  return (
    <select
      aria-label="Theme"
      value={theme ?? ''}
      onChange={({ target }) => setTheme((target.value || null) as typeof theme)}
    >
      <option value="">System theme</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  )
}
