/** Stores the API key of this browser tab until the tab is closed. */

const STORAGE_KEY = 'partner-metrics-key'

export const storedKey = (): string | null => sessionStorage.getItem(STORAGE_KEY)

export const storeKey = (key: string): void => sessionStorage.setItem(STORAGE_KEY, key)

export const removeKey = (): void => sessionStorage.removeItem(STORAGE_KEY)
