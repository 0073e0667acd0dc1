/** Ends what global-setup.ts has started. */
import type { Closing } from './global-setup'

export default async function tearDown() {
  await (globalThis as unknown as { closing: Closing }).closing()
}
