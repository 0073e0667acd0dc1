/** The built documentation in Chromium, on the demo data. */
import type { Page } from 'playwright-core'
import { findViolations } from '../../support/accessibility'
import { Chromium, describeInChromium } from '../../support/chromium'
import { type DemoService, startDemo } from '../../support/demo'
import { DOCUMENTS } from '../../support/documents'

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
  let page: Page

  beforeAll(async () => {
    demo = await startDemo()
    url = demo.service.url
    browser = await Chromium.launch()
    page = await browser.open(`${url}/docs/search`)
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await demo?.service.stop()
  })

  test('the search lists sections of all pages, and the keyboard leads to the first one', async () => {
    const input = page.getByLabel('Search all pages')
    await input.fill('coverage')
    await page.locator('#results a[href="/docs/methodology#coverage"]').waitFor()
    expect(await findViolations(page, { within: '#results' })).toEqual([])
    await input.fill('webhooks')
    await page.locator('#results a[href="/docs/policy#not-offered"]').waitFor()
    await input.press('Enter')
    await page.getByRole('heading', { name: 'What there is not' }).waitFor()
    await page.getByRole('link', { name: 'Search' }).press('Enter')
    await page.waitForURL(`${url}/docs/search`)
    await input.fill('xyzzy')
    await page.getByText('Nothing was found').waitFor()
  })

  test('examples have the address of the service, and can be copied', async () => {
    await page.goto(`${url}/docs`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.locator('pre', { hasText: 'export METRICS_URL' }).getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      `export METRICS_URL=${url} METRICS_KEY=msk_test_…\n`,
    )
  })

  test('a request is sent from the page that tries routes, to which the reference links', async () => {
    await page.goto(`${url}/docs/reference#ReadMeta`)
    await page.locator('a[href="/docs/try#/Key/ReadMeta"]').click()
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('#api_key_value').fill(demo.keyOf('partner'))
    await page.getByRole('button', { name: 'Apply credentials' }).press('Enter')
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Try it out' }).press('Enter')
    await page.getByRole('button', { name: 'Execute' }).press('Enter')
    await page.locator('.live-responses-table').getByText('"Nordlicht Außenwerbung"').waitFor()
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).toBe('[{},{}]')
  })

  test.each([...DOCUMENTS, '/docs/search', '/'])(
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
          colorScheme === 'dark' ? 'rgb(13, 17, 23)' : 'rgb(255, 255, 255)',
        ])
        if (rules) expect(await findViolations(page, { rules })).toEqual([])
      }
    },
    60_000,
  )

  test('on a narrow screen, the list of pages is closed until it is opened', async () => {
    await page.goto(`${url}/docs`)
    const formats = page.locator('nav').getByText('Formats', { exact: true })
    expect(await formats.isVisible()).toBe(false)
    await page.getByText('Pages and sections').press('Enter')
    expect(await findViolations(page, { within: 'nav' })).toEqual([])
    await formats.click()
    expect(new URL(page.url()).hash).toBe('#formats')
  })

  test('without JavaScript, the pages and the list of them are shown', async () => {
    const plain = await browser.openWithoutScript(`${url}/docs`)
    for (const text of ['Getting started', 'Dates and time zones', 'Two programs'])
      expect(await plain.getByText(text).first().isVisible()).toBe(true)
    await plain.context().close()
  })

  test('nothing is written to the console, and no other server is contacted', () => {
    expect(browser.messages).toEqual([])
    expect([...browser.requestedOrigins].filter(origin => origin !== url && origin !== 'null')).toEqual([])
  })
})
