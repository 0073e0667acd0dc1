/** The built documentation in Chromium, on the demo data. */
import type { Page } from 'playwright-core'
import { PAGES } from '../../../rest-gateway/docs/pages'
import { findViolations } from '../../support/accessibility'
import { Chromium, describeInChromium } from '../../support/chromium'
import { type DemoService, startDemo } from '../../support/demo'

const DAILY = 'operations-Impressions-ReadImpressionsDaily'

/** Color schemes and viewport widths, and the rules that axe-core checks there. On narrow screens it does not judge all colors. */
const VIEWS = [
  ['light', 1280, 'all'],
  ['dark', 1280, 'color'],
  ['dark', 390, undefined],
] as const

describeInChromium('the documentation,', () => {
  let demo: DemoService
  let url: string
  let browser: Chromium
  /** The guide with the forms of the reference. */
  let guide: Page
  /** A tab without a key. */
  let page: Page

  beforeAll(async () => {
    demo = await startDemo()
    url = demo.service.url
    browser = await Chromium.launch()
    page = await browser.open(`${url}/docs/search`)
    guide = await browser.open(`${url}/docs`)
    await guide.locator('html.scripted').waitFor()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await demo?.service.stop()
  })

  const route = () => guide.locator('.operation', { has: guide.locator(`#${DAILY}`) })

  /** Enters a key, and waits until the service has said whether it may use the explorer. */
  async function authorize(key: string): Promise<void> {
    const checked = guide.waitForResponse(response => response.url().endsWith('/graphql'))
    await guide.getByLabel('API key').fill(key)
    await guide.getByRole('button', { name: 'Authorize' }).click()
    await checked
  }

  const send = () => route().getByRole('button', { name: 'Send' }).click()

  test('after "Authorize", the examples have the key, an asset with data and its last week', async () => {
    await authorize(demo.keyOf('partner'))
    await guide.getByText('now use your key').waitFor()
    const examples = await guide.locator('pre[data-tab="curl"]').first().textContent()
    const [, asset] = /ASSET=(\w+)/.exec(examples ?? '') ?? []
    const [, from, to] = /from_date=(\S+) -d to_date=(\S+)/.exec(examples ?? '') ?? []
    const { measured_to } = await demo.service.read(`/v1/partner/assets/${asset}`, demo.keyOf('partner'))
    expect(to).toBe(measured_to)
    expect(await guide.getByText(`METRICS_KEY=${demo.keyOf('partner')}`).count()).toBe(1)
    const { total } = JSON.parse((await guide.locator('#week code').textContent()) ?? '')
    expect(total).toBeGreaterThan(1000)
    expect(await route().locator('input[name="from_date"]').inputValue()).toBe(from)
  })

  test('a request can be sent from the reference, which shows the fields of the response with an example', async () => {
    await guide.locator(`.side a[href="#${DAILY}"]`).click()
    await route().getByText('Send a request').click()
    const responded = guide.waitForResponse(response => response.url().includes('/impressions/daily'))
    await send()
    const { data, total } = (await (await responded).json()) as { data: unknown[]; total: number }
    expect([data.length, total > 1000]).toEqual([7, true])
    await route().locator('output').getByText(`"total": ${total}`).waitFor()
    await route().getByText('Response', { exact: true }).click()
    await route().getByRole('cell', { name: 'data[].impressions', exact: true }).waitFor()
    expect(await route().locator('pre', { hasText: '"average"' }).first().isVisible()).toBe(true)
  })

  test('the search finds sections of all pages, and an unknown address is a page that searches for its words', async () => {
    await page.getByLabel('Search all pages').fill('how do I get webhooks?')
    const first = page.locator('.results li').first()
    await first.locator('a[href="/docs/not-offered#webhooks"]').waitFor()
    expect(await first.locator('mark').allTextContents()).toContain('webhooks')
    expect(await findViolations(page, { within: '.results' })).toEqual([])
    await page.getByLabel('Search all pages').fill('coverage')
    await page.locator('.results a[href="/docs/methodology#coverage"]').click()
    await page.getByRole('heading', { name: 'Coverage' }).waitFor()
    await page.goto(`${url}/docs/sandbox-keys`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.getByLabel('Search all pages').inputValue()).toBe('sandbox keys')
    await page.locator('.results a[href="/docs/not-offered#sandbox"]').waitFor()
    expect(browser.messages.splice(0).filter(text => !/status of 40[34]/.test(text))).toEqual([])
  })

  test('a code block can be copied', async () => {
    await page.goto(`${url}/docs`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.locator('pre', { hasText: 'export METRICS_URL' }).getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `export METRICS_URL=${url}\nexport METRICS_KEY=msk_test_…\n`,
    )
  })

  test('the menu links to the explorer if the key may use it', async () => {
    const link = guide.locator('header nav').getByRole('link', { name: 'Explorer' })
    expect(await link.count()).toBe(0)
    await authorize(demo.keyOf('analyst'))
    await link.waitFor()
  })

  test('the key stays in the tab, in nothing that outlives it, until it is forgotten', async () => {
    const stored = () =>
      guide.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, document.cookie, [...new Set(Object.values(sessionStorage))]])',
      )
    const key = demo.keyOf('analyst')
    await guide.getByText(`METRICS_KEY=${key}`).first().waitFor()
    expect(await stored()).toBe(JSON.stringify([{}, '', [key]]))
    await guide.goto(`${url}/docs/policy`)
    await guide.goto(`${url}/docs`)
    await guide.getByText('now use your key').waitFor()
    await guide.getByText(`METRICS_KEY=${key}`).first().waitFor()
    await guide.getByRole('button', { name: 'Forget the key' }).press('Enter')
    await guide.getByRole('button', { name: 'Forget the key' }).waitFor({ state: 'hidden' })
    expect(await stored()).toBe('[{},"",[]]')
    expect(await guide.getByText(`METRICS_KEY=${key}`).count()).toBe(0)
  })

  test('an invalid key shows the error response', async () => {
    await authorize('msk_test_mistyped')
    await guide.locator('.authorize').getByText('INVALID_API_KEY').waitFor()
    await route().getByText('Send a request').click()
    await send()
    const response = route()
      .locator('output')
      .getByRole('region', { name: /^Response of GET \/v1/ })
    await response.getByText('"code": "INVALID_API_KEY"').waitFor()
    // The keyboard reaches a response, which may be longer than its box.
    await route().getByRole('button', { name: 'Send' }).press('Tab')
    expect(await guide.evaluate('document.activeElement.ariaLabel')).toBe(await response.getAttribute('aria-label'))
    expect(await guide.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}')
    // Chromium logs every error response: also that to the question whether a key may use the explorer.
    const messages = browser.messages.splice(0)
    expect(messages.filter(text => !/status of 40[13]/.test(text))).toEqual([])
  })

  test('the examples contain the URL of the service, and tabs select the language', async () => {
    await guide.getByText(`export METRICS_URL=${url}`).waitFor()
    const shown = () =>
      Promise.all(
        ['curl', 'Python'].flatMap(name =>
          [0, 1].map(i => guide.locator(`pre[data-tab="${name}"]`).nth(i).isVisible()),
        ),
      )
    expect(await shown()).toEqual([true, true, false, false])
    // Each group of examples has a choice of its own.
    await guide.getByText('Python', { exact: true }).nth(1).click()
    expect(await shown()).toEqual([true, false, false, true])
    await guide.getByText('Python', { exact: true }).first().click()
    expect(await shown()).toEqual([false, false, true, true])
  })

  test.each([...PAGES.map(({ path }) => path), '/docs/search', '/'])(
    '%s is accessible and does not scroll horizontally, in either color scheme, on wide and narrow screens',
    async path => {
      await page.goto(url + path)
      for (const [colorScheme, width, rules] of VIEWS) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        const [overflow, background] = await page.evaluate<[number, string]>(
          '[document.documentElement.scrollWidth - innerWidth, getComputedStyle(document.body).backgroundColor]',
        )
        expect([overflow <= 0, background]).toEqual([
          true,
          colorScheme === 'dark' ? 'rgb(18, 22, 29)' : 'rgb(255, 255, 255)',
        ])
        if (rules) expect(await findViolations(page, { rules })).toEqual([])
      }
    },
    60_000,
  )

  test('on a narrow screen, the list of sections is collapsed until it is opened, and accessible then', async () => {
    await guide.setViewportSize({ width: 390, height: 800 })
    const errors = guide.locator('.side').getByText('Errors', { exact: true })
    expect(await errors.isVisible()).toBe(false)
    await guide.getByText('On this page').click()
    expect(await findViolations(guide, { within: '.side' })).toEqual([])
    await guide.emulateMedia({ colorScheme: 'dark' })
    expect(await findViolations(guide, { within: '.side', rules: 'color' })).toEqual([])
    await errors.click()
    expect(await errors.isVisible()).toBe(false)
    expect(new URL(guide.url()).hash).toBe('#errors')
  })

  test('without JavaScript, the guide and the reference are shown', async () => {
    const plain = await browser.openWithoutScript(`${url}/docs`)
    for (const text of ['Getting started', 'GET /v1/partner/assets/{id}/impressions/daily', 'RATE_LIMITED']) {
      expect(await plain.getByText(text).first().isVisible()).toBe(true)
    }
    await plain.context().close()
  })

  test('nothing is written to the console, and no other server is contacted', () => {
    expect(browser.messages).toEqual([])
    expect([...browser.requestedOrigins].filter(origin => origin !== url && origin !== 'null')).toEqual([])
  })
})
