/** Checks the accessibility of pages. */
import { source } from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  id: string
  nodes: { target: string[]; failureSummary: string }[]
}

/** Runs axe-core, once it is on the page. It need not describe the elements without violations. */
const RUN = "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)"

/** Returns what axe-core finds on a page in its present state, one line for each element. */
export async function findViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${source}; undefined`)
  const violations = await page.evaluate<Violation[]>(RUN)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.replaceAll('\n', ' ')}`),
  )
}
