/** Opens pages in Chromium (CHROMIUM_PATH, or /usr/bin/chromium). Without it the tests that need it are skipped with a warning. */
import { existsSync, readFileSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { buildBeforeAll } from './build'

const PATH = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Flags beside those of Playwright. Pages of tests end before optimized JavaScript has made up for its compilation. */
const FLAGS = ['--disable-gpu', '--disable-quic', '--js-flags=--max-opt=1']

const AXE = `${readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')}; undefined`

interface Violation {
  id: string
  nodes: { target: string[]; failureSummary: string }[]
}

/** Returns what axe-core finds on a page in its present state, one line for each element. */
export async function findViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
  // Elements without violations need not be described.
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run({ resultTypes: ['violations'] })")
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.replaceAll('\n', ' ')}`),
  )
}

export function describeInChromium(name: string, tests: () => void): void {
  const isInstalled = existsSync(PATH)
  if (!isInstalled) console.warn(`There is no Chromium at ${PATH} (CHROMIUM_PATH): skipping ${name}`)
  ;(isInstalled ? describe : describe.skip)(`${name} in Chromium,`, () => {
    buildBeforeAll()
    tests()
  })
}

/** A browser that records the console messages of its pages and the origins that they request. */
export class Chromium {
  readonly messages: string[] = []
  readonly requestedOrigins = new Set<string>()

  private constructor(private readonly browser: Browser) {}

  static async launch(): Promise<Chromium> {
    return new Chromium(await chromium.launch({ executablePath: PATH, args: FLAGS }))
  }

  async open(url: string): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' })
    context.setDefaultTimeout(120_000)
    context.on('console', message => this.messages.push(message.text()))
    context.on('weberror', error => this.messages.push(error.error().message))
    context.on('request', request => this.requestedOrigins.add(new URL(request.url()).origin))
    const page = await context.newPage()
    await page.goto(url)
    return page
  }

  close(): Promise<void> {
    return this.browser.close()
  }
}
