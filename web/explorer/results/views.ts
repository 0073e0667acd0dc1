/** The views of a result, and which one is shown. */
import { createContext, useContext } from 'react'

export const VIEWS = ['JSON', 'Table', 'Chart', 'Map'] as const

export type View = (typeof VIEWS)[number]

interface ViewState {
  view: View
  setView(view: View): void
}

export const ViewContext = createContext<ViewState>({ view: 'JSON', setView: () => {} })

export const useView = (): ViewState => useContext(ViewContext)

/** Returns the view of a name in any case; undefined if there is none. */
export const findView = (name: unknown): View | undefined =>
  VIEWS.find(view => typeof name === 'string' && view.toLowerCase() === name.toLowerCase())
