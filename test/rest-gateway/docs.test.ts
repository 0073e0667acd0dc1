/** The documents in a real Chromium, served by the built service on the demo's data. */
import type { Page } from 'playwright-core'
import { Chromium, describeInChromium } from '../chromium'
import { Command, DataDir } from '../command'

const PAGES = ['/docs', '/docs/migration', '/docs/changelog']

describeInChromium('the documents,', () => {
  const dataDir = new DataDir()
  let service: Command
  let url: string
  let browser: Chromium

  beforeAll(async () => {
    service = new Command(['serve'], { METRICS_ENV: 'dev', DATA_DIR: dataDir.path, LOG_LEVEL: 'silent' })
    browser = await Chromium.launch()
    url = await service.url()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await service?.end('SIGTERM')
    await dataDir.dispose()
  })

  /** The guide, as soon as its reference is rendered. */
  async function openGuide(scheme?: 'light' | 'dark', width?: number, hash = ''): Promise<Page> {
    const page = await browser.open(`${url}/docs${hash}`, scheme, width)
    await page.locator('html.scripted').waitFor()
    return page
  }

  const keyOf = (label: string): string => new RegExp(`${label} +(msk_test_\\w+)`).exec(service.stdout)?.[1] ?? ''

  const DAILY = 'operations-Impressions-ReadImpressionsDaily'

  async function authorize(page: Page, key: string): Promise<void> {
    await page.locator('.auth-wrapper .authorize').click()
    await page.locator('.auth-container input').fill(key)
    await page.locator('.auth-btn-wrapper .authorize').click()
    await page.locator('.auth-btn-wrapper .btn-done').click()
  }

  test('a route can be tried: authorize, send, and read a week of numbers', async () => {
    const page = await openGuide()
    await authorize(page, keyOf('Nordlicht Außenwerbung'))
    await page.locator(`.side a[href="#${DAILY}"]`).click()
    const answered = page.waitForResponse(response => response.url().includes('/impressions/daily'))
    await page.locator(`#${DAILY} .execute`).click()
    const { data, total } = (await (await answered).json()) as { data: unknown[]; total: number }
    expect([data.length, total > 1000]).toEqual([7, true])
    const shown = page.locator(`#${DAILY} .live-responses-table .highlight-code`).first()
    await shown.getByText(`"total": ${total}`).waitFor()
    await page.context().close()
  })

  test('a wrong key is told so where the route was tried', async () => {
    const page = await openGuide('light', 1280, `#${DAILY}`)
    await authorize(page, 'msk_test_mistyped')
    await page.locator(`#${DAILY} .execute`).click()
    await page.locator(`#${DAILY} .live-responses-table`).getByText('INVALID_API_KEY').first().waitFor()
    await page.context().close()
    // Chromium itself tells of every answer that is an error.
    const told = browser.said.splice(0)
    expect(told.filter(text => !/status of 401/.test(text))).toEqual([])
  })

  test('the key is kept nowhere', async () => {
    const page = await openGuide()
    await authorize(page, keyOf('Nordlicht Außenwerbung'))
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(kept).toBe('[{},{},""]')
    await page.context().close()
  })

  test('every link beside the text leads somewhere, and to a route opens it', async () => {
    const page = await openGuide()
    const lost = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.side a')].map(a => a.hash.slice(1)).filter(id => document.querySelectorAll('#' + CSS.escape(id)).length !== 1)`,
    )
    expect(lost).toEqual([])
    const links = page.locator('.side ul ul ul a')
    expect(await links.count()).toBeGreaterThan(14)
    await links.last().click()
    await page.locator('#operations-Legacy-LegacyReadPerMinute .opblock-body').waitFor()
    await page.context().close()
  })

  test('the samples ask the service that serves the page', async () => {
    const page = await openGuide()
    await page.getByText(`export METRICS_URL=${url}`).waitFor()
    await page.getByText('Python', { exact: true }).click()
    expect(await page.locator('pre[data-sample="Python"]').isVisible()).toBe(true)
    expect(await page.locator('pre[data-sample="curl"]').isVisible()).toBe(false)
    await page.context().close()
  })

  test.each(
    PAGES.flatMap(path =>
      (['light', 'dark'] as const).flatMap(scheme => [1280, 390].map(width => [path, scheme, width] as const)),
    ),
  )('%s does not scroll sideways, %s at %s pixels', async (path, scheme, width) => {
    const page =
      path === '/docs' ? await openGuide(scheme, width, `#${DAILY}`) : await browser.open(url + path, scheme, width)
    const [sideways, back] = await page.evaluate<[number, string]>(
      '[document.documentElement.scrollWidth - innerWidth, getComputedStyle(document.body).backgroundColor]',
    )
    expect([sideways <= 0, back]).toEqual([true, scheme === 'dark' ? 'rgb(18, 22, 29)' : 'rgb(255, 255, 255)'])
    await page.context().close()
  })

  test('on a narrow screen the sections are put away until they are asked for', async () => {
    const page = await openGuide('light', 390)
    const errors = page.locator('.side').getByText('Errors', { exact: true })
    expect(await errors.isVisible()).toBe(false)
    await page.getByText('On this page').click()
    await errors.click()
    expect(await errors.isVisible()).toBe(false)
    expect(new URL(page.url()).hash).toBe('#errors')
    await page.context().close()
  })

  test('without JavaScript the guide and the routes read as well', async () => {
    const page = await browser.openWithoutScript(`${url}/docs`)
    for (const text of [
      'From a key to first numbers',
      'GET /v1/partner/assets/{id}/impressions/daily',
      'RANGE_TOO_LARGE',
    ]) {
      expect(await page.getByText(text).first().isVisible()).toBe(true)
    }
    await page.context().close()
  })

  test('the console stays clean, and nobody else was asked', () => {
    expect(browser.said).toEqual([])
    expect([...browser.asked].filter(origin => origin !== url && origin !== 'null')).toEqual([])
  })
})
