/** Keeps the fragment of the address equal to the current query, its variables and the view, and opens links. */
import { useGraphiQL } from '@graphiql/react'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useView } from '../results/views'
import { formatLink, type Link, parseLink } from './link'
import { useOpenQuery } from './open-query'

/** Browsers limit how often a page may change its address. */
const DELAY_MS = 300

/** Returns the link to the current query. */
export function useLink(): Link {
  const { view } = useView()
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex])
  return { query: tab?.query ?? '', variables: tab?.variables ?? '', view }
}

/**
 * @param opened the link with which the page was opened; GraphiQL has its query, which runs as soon as it can if the link has a
 *   view
 */
export function useAddress(opened: Link | undefined): void {
  const link = useLink()
  const open = useOpenQuery()
  const { setView } = useView()
  const pending = useRef(opened?.view ? opened : undefined)

  const fragment = formatLink(link)
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(null, '', fragment), DELAY_MS)
    return () => clearTimeout(timer)
  }, [fragment])

  const follow = useEffectEvent((target: Link | undefined) => {
    pending.current = undefined
    if (!target) return
    if (target.view) setView(target.view)
    if (open) open(target.query, target.variables)
    else pending.current = target
  })
  useEffect(() => {
    const onChange = () => follow(parseLink(location.hash))
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])

  const isReady = open !== undefined
  useEffect(() => {
    if (isReady) follow(pending.current)
  }, [isReady])
}
