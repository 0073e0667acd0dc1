/** Chart colors for the light and the dark theme, and which theme is active. */
import { useGraphiQL } from '@graphiql/react'
import { useSyncExternalStore } from 'react'

const LIGHT_SERIES = [
  '#3b6fd4',
  '#d9822b',
  '#2c9c74',
  '#b4508f',
  '#7f6ad0',
  '#b8961f',
  '#3f9bbf',
  '#c2544d',
  '#5b7a3a',
  '#7a6a58',
]
const DARK_SERIES = [
  '#7ea6f4',
  '#eea55f',
  '#62c6a0',
  '#dc88bd',
  '#ab9bef',
  '#d9bd57',
  '#76c5e2',
  '#e88780',
  '#9cbb76',
  '#b3a391',
]

export const chooseColors = (dark: boolean) =>
  dark
    ? { text: '#a9b4c4', line: 'rgba(160, 175, 200, .18)', series: DARK_SERIES }
    : { text: '#566173', line: 'rgba(60, 75, 100, .14)', series: LIGHT_SERIES }

const system = matchMedia('(prefers-color-scheme: dark)')

function subscribe(onChange: () => void): () => void {
  system.addEventListener('change', onChange)
  return () => system.removeEventListener('change', onChange)
}

/** Returns the theme in GraphiQL's settings, or the system's by default. */
export function useDark(): boolean {
  const chosen = useGraphiQL(state => state.theme)
  const systemIsDark = useSyncExternalStore(subscribe, () => system.matches)
  return chosen ? chosen === 'dark' : systemIsDark
}
