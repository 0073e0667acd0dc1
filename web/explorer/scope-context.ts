/** The key of the session and what it can read, for all components of the workspace. */
import { createContext, useContext } from 'react'
import type { KeyScope } from './graphql-client'

interface Session extends KeyScope {
  apiKey: string
}

export const ScopeContext = createContext<Session | undefined>(undefined)

/** @throws Error outside of the workspace */
export function useSession(): Session {
  const session = useContext(ScopeContext)
  if (!session) throw new Error('There is no session outside of the workspace.')
  return session
}
