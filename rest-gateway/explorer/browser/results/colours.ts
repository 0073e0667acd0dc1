/** Colours of charts, by day and by night, and whether it is night. */
import { useGraphiQL } from '@graphiql/react'
import { useSyncExternalStore } from 'react'

const DAY = [
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
const NIGHT = [
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

export const inkOf = (dark: boolean) =>
  dark
    ? { text: '#a9b4c4', line: 'rgba(160, 175, 200, .18)', series: NIGHT }
    : { text: '#566173', line: 'rgba(60, 75, 100, .14)', series: DAY }

const system = matchMedia('(prefers-color-scheme: dark)')

function subscribe(tell: () => void): () => void {
  system.addEventListener('change', tell)
  return () => system.removeEventListener('change', tell)
}

/** What was chosen in the settings, or else what the system says. */
export function useDark(): boolean {
  const chosen = useGraphiQL(state => state.theme)
  const night = useSyncExternalStore(subscribe, () => system.matches)
  return chosen ? chosen === 'dark' : night
}
