/** Adds a link to the explorer to the navigation, for readers whose key has the scope that it requires. */

/** The explorer stores the key of this browser tab once it has accepted it. */
const STORAGE_KEY = 'partner-metrics-key'

export function offerExplorer(): void {
  if (sessionStorage.getItem(STORAGE_KEY) !== null) addLink()
  document.querySelector<HTMLInputElement>('#reference-key')?.addEventListener('change', async ({ target }) => {
    const key = (target as HTMLInputElement).value.trim()
    if (key !== '' && (await mayQuery(key))) addLink()
  })
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
