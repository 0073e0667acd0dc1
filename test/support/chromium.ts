/**
 * Pages in a real Chromium. Without one (CHROMIUM_PATH, or /usr/bin/chromium) the tests that need it are skipped, and say
 * so.
 */
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const PATH = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** `describe`, or where there is no Chromium what skips and says so. */
export function describeInChromium(what: string, tests: () => void): void {
  const isThere = existsSync(PATH)
  if (!isThere) console.warn(`There is no Chromium at ${PATH} (CHROMIUM_PATH): not tried were ${what}`)
  ;(isThere ? describe : describe.skip)(`${what} in Chromium,`, tests)
}

/** A browser whose pages are listened to: what they say to their consoles, and whom they ask. */
export class Chromium {
  readonly said: string[] = []
  readonly asked = new Set<string>()

  private constructor(private readonly browser: Browser) {}

  static async launch(): Promise<Chromium> {
    return new Chromium(await chromium.launch({ executablePath: PATH, args: FLAGS }))
  }

  async open(url: string, scheme: 'light' | 'dark' = 'light', width = 1280): Promise<Page> {
    return this.listen(url, { viewport: { width, height: 800 }, colorScheme: scheme })
  }

  async openWithoutScript(url: string): Promise<Page> {
    return this.listen(url, { javaScriptEnabled: false })
  }

  close(): Promise<void> {
    return this.browser.close()
  }

  private async listen(url: string, options: Parameters<Browser['newContext']>[0]): Promise<Page> {
    const context = await this.browser.newContext(options)
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    page.on('console', message => this.said.push(message.text()))
    page.on('pageerror', error => this.said.push(error.message))
    page.on('request', request => this.asked.add(new URL(request.url()).origin))
    await page.goto(url)
    return page
  }
}
