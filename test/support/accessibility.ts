/** Checks the accessibility of pages. */
import { source } from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  id: string
  nodes: { target: string[]; failureSummary: string }[]
}

/** Returns what axe-core finds on a page in its present state, one line for each element. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(`${source}; undefined`)
  const violations = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)')
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.replaceAll('\n', ' ')}`),
  )
}
