/** Checks the accessibility of pages. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

interface Violation {
  id: string
  nodes: { target: string[]; failureSummary: string }[]
}

const AXE = `${readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')}; undefined`

/** The rules that depend on colors. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

const SELECTED = {
  all: {},
  color: { runOnly: COLOR_RULES },
  other: { rules: Object.fromEntries(COLOR_RULES.map(rule => [rule, { enabled: false }])) },
}

/** The rules that are checked: all, or those that do or do not depend on colors. */
export type Rules = keyof typeof SELECTED

interface Options {
  /** The selector of the element that is checked. By default, the page is. */
  within?: string
  rules?: Rules
}

/** Returns what axe-core finds on a page in its present state, one line for each element. */
export async function findViolations(page: Page, { within = 'html', rules = 'all' }: Options = {}): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
  // Elements without violations need not be described.
  const options = { resultTypes: ['violations'], ...SELECTED[rules] }
  const violations = await page.evaluate<Violation[]>(
    `axe.run('${within}', ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.replaceAll('\n', ' ')}`),
  )
}
