/** The theme, light or dark: the one chosen in the explorer, or the system's by default. */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useEffect, useSyncExternalStore } from 'react'

const system = matchMedia('(prefers-color-scheme: dark)')

function subscribe(onChange: () => void): () => void {
  system.addEventListener('change', onChange)
  return () => system.removeEventListener('change', onChange)
}

/** Returns whether the theme is dark. */
export function useDark(): boolean {
  const chosen = useGraphiQL(state => state.theme)
  const systemIsDark = useSyncExternalStore(subscribe, () => system.matches)
  return chosen ? chosen === 'dark' : systemIsDark
}

/** Gives the editors the theme again when the system's changes: GraphiQL reads it only when one is chosen. */
export function useEditorTheme(): void {
  const chosen = useGraphiQL(state => state.theme)
  const { setTheme } = useGraphiQLActions()
  useEffect(() => subscribe(() => setTheme(chosen)), [chosen, setTheme])
}
