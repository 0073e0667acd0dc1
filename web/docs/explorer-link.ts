/** Adds a link to the explorer to the navigation, for readers whose key has the scope that it requires. */
import { storedKey, storeKey } from '../explorer/api-key'

/** Offers the explorer to readers who have used it. */
export function offerExplorerAgain(): void {
  if (storedKey() !== null) addLink()
}

/** Offers the explorer to the owner of a key, if it has the scope. The explorer then opens with this key. */
export async function offerExplorer(key: string): Promise<void> {
  if (!(await mayQuery(key))) return
  storeKey(key)
  addLink()
}

async function mayQuery(key: string): Promise<boolean> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: JSON.stringify({ query: '{ __typename }' }),
  }).catch(() => undefined)
  return response?.ok === true
}

function addLink(): void {
  const pages = document.querySelector('header nav')
  if (!pages || pages.querySelector('[href="/explorer"]')) return
  const link = document.createElement('a')
  link.href = '/explorer'
  link.textContent = 'Explorer'
  pages.append(link)
}
