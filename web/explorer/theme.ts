/** The theme of the system, light or dark. */
import { useSyncExternalStore } from 'react'

const system = matchMedia('(prefers-color-scheme: dark)')

function subscribe(onChange: () => void): () => void {
  system.addEventListener('change', onChange)
  return () => system.removeEventListener('change', onChange)
}

export const useDark = (): boolean => useSyncExternalStore(subscribe, () => system.matches)
