/** The policy page: policy.md with the operator's contact. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillPlaceholders } from '../layout/markdown'

/** Returns Markdown. @param contact an e-mail address or a URL */
export const policyText = (contact?: string): string =>
  fillPlaceholders(readFileSync(join(__dirname, '..', 'policy.md'), 'utf8'), { contact: () => link(contact) })

function link(contact?: string): string {
  if (!contact) return 'the operator who issued your key'
  return contact.includes('://') ? `<${contact}>` : `[${contact}](mailto:${contact})`
}
