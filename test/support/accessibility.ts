/** Checks the accessibility of pages. */
import { source } from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  id: string
  nodes: { target: string[]; failureSummary: string }[]
}

/** Options of axe-core, which need not describe the elements without violations. */
const OPTIONS = "{ resultTypes: ['violations'] }"

/** Returns what axe-core finds on a page, or in one of its elements, in its present state: one line for each element. */
export async function findViolations(page: Page, element = 'html'): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${source}; undefined`)
  const violations = await page.evaluate<Violation[]>(
    `axe.run('${element}', ${OPTIONS}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.replaceAll('\n', ' ')}`),
  )
}
