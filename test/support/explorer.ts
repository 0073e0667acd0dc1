/** The built explorer on the demo data, as an analyst uses it in Chromium. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { READY_QUERIES } from '../../web/explorer/queries/ready-queries'
import { Chromium } from './chromium'
import { type DemoService, startDemo } from './demo'

export class Explorer {
  private constructor(
    readonly demo: DemoService,
    readonly browser: Chromium,
    readonly page: Page,
  ) {}

  /** Starts the service and the browser, and opens the form for the key. */
  static async start(): Promise<Explorer> {
    const [demo, browser] = await Promise.all([startDemo(), Chromium.launch()])
    return new Explorer(demo, browser, await browser.open(`${demo.service.url}/explorer`))
  }

  get url(): string {
    return this.demo.service.url
  }

  async stop(): Promise<void> {
    await this.browser.close()
    await this.demo.service.stop()
  }

  async enter(into: Page, key: string): Promise<void> {
    await into.getByLabel('API key').fill(key)
    await into.keyboard.press('Enter')
  }

  view(name: string): Promise<void> {
    return this.page.getByRole('tab', { name, exact: true }).click()
  }

  /** Runs a ready query and returns the response body. */
  async run(title: string): Promise<Record<string, unknown>> {
    const { query } = READY_QUERIES.find(ready => ready.title === title)!
    const responded = this.page.waitForResponse(
      response =>
        response.url().endsWith('/graphql') && response.request().postDataJSON().query.trim() === query.trim(),
    )
    await this.page.locator('.ready-queries').getByText(title, { exact: true }).click()
    return (await responded).json()
  }

  /** Downloads the result with a button of its menu. */
  async download(name: string): Promise<{ name: string; text: string }> {
    const started = this.page.waitForEvent('download')
    await this.page.locator('.downloads summary').click()
    await this.page.locator('.downloads').getByRole('button', { name, exact: true }).click()
    await this.page.keyboard.press('Escape')
    const file = await started
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
  }
}
