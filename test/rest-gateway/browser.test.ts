/** The built pages in Chromium, on the demo data: the documentation, and the explorer as an analyst uses it. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { QUESTIONS } from '../../web/explorer/questions'
import { Chromium, describeInChromium, findViolations } from '../support/chromium'
import { type DemoService, startDemo } from '../support/demo'
import { DOCUMENTS } from '../support/documents'

const EDITOR = '.graphiql-query-editor .monaco-editor'

describeInChromium('the pages,', () => {
  let demo: DemoService
  let url: string
  let browser: Chromium
  let page: Page

  beforeAll(async () => {
    ;[demo, browser] = await Promise.all([startDemo(), Chromium.launch()])
    url = demo.service.url
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
    await input.fill('webhooks')
    await page.locator('#results a[href="/docs/policy#not-offered"]').waitFor()
    await input.press('Enter')
    await page.getByRole('heading', { name: 'What there is not' }).waitFor()
    await page.getByRole('link', { name: 'Search' }).press('Enter')
    await page.waitForURL(`${url}/docs/search`)
    await input.fill('xyzzy')
    await page.getByText('Nothing was found').waitFor()
  })

  test('a request is sent from the page that tries routes, to which the reference links', async () => {
    await page.goto(`${url}/docs/reference#ReadMeta`)
    await page.locator('a[href="/docs/try#/Key/ReadMeta"]').click()
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('#api_key_value').fill(demo.keyOf('partner'))
    await page.getByRole('button', { name: 'Apply credentials' }).press('Enter')
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Try it out' }).press('Enter')
    await page.goto(`${url}/docs/try#/Assets/ListAssets`)
    await page.locator('#operations-Assets-ListAssets select').first().waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Execute' }).press('Enter')
    await page.locator('.live-responses-table').getByText('"Nordlicht Außenwerbung"').waitFor()
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).toBe('[{},{}]')
  })

  test('code is copied with a button, and a response stands beside its request where there is room', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${url}/docs`)
    const block = page.locator('.code').first()
    await block.getByRole('button', { name: 'Copy' }).press('Enter')
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await block.locator('pre').innerText())
    await page.setViewportSize({ width: 1200, height: 800 })
    await page.goto(`${url}/docs/reference`)
    const [request, response] = await page.locator('.operation').first().locator('> div').all()
    const [left, right] = [await request!.boundingBox(), await response!.boundingBox()]
    expect([right!.y, right!.x >= left!.x + left!.width]).toEqual([left!.y, true])
  })

  const fitsOnPhone = async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    return (await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0
  }

  test.each([...DOCUMENTS, '/docs/search', '/docs/try', '/'])(
    '%s is accessible, cuts no code, and fits on a phone',
    async path => {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(url + path)
      if (path === '/docs/try') await page.locator('.opblock-tag').first().waitFor()
      expect(await findViolations(page)).toEqual([])
      const cut =
        "[...document.querySelectorAll('pre')].filter(pre => pre.scrollWidth > pre.clientWidth).map(pre => pre.innerText)"
      expect(await page.evaluate(cut)).toEqual([])
      expect(await fitsOnPhone()).toBe(true)
      await page.setViewportSize({ width: 1280, height: 800 })
    },
  )

  const enter = async (key: string, into = page) => {
    await into.getByLabel('API key').fill(key)
    await into.keyboard.press('Enter')
  }

  const titleOf = (id: string) => QUESTIONS.find(question => question.id === id)!.title

  /** Waits for the answer to a question, which an action asks. @returns the variables and the data */
  const answerTo = async (action: () => Promise<unknown>) => {
    const responded = page.waitForResponse(response => response.url().endsWith('/graphql'))
    await action()
    const response = await responded
    // Chromium forgets a body before long.
    const body = await response.json()
    await page.locator('main[aria-busy="false"] .result').waitFor()
    return { ...response.request().postDataJSON(), ...body }
  }

  const ask = (id: string) =>
    answerTo(() => page.getByRole('navigation', { name: 'Questions' }).getByText(titleOf(id), { exact: true }).click())

  const days = () => page.getByRole('combobox', { name: 'Days' })
  const view = (name: string) => page.getByRole('button', { name, exact: true })
  const cells = (column: number) => page.locator(`.table tbody td:nth-child(${column})`).allTextContents()

  test('the explorer refuses a key with its reason, or keeps it in this tab alone, and answers a question at once', async () => {
    page = await browser.open(`${url}/explorer`)
    for (const [key, message] of [
      ['nonsense', 'The API key is not valid.'],
      [demo.keyOf('partner'), 'needs a key with the scope internal:graphql:read'],
    ] as const) {
      await enter(key)
      await page.getByRole('alert').getByText(message).waitFor()
    }
    await enter(demo.keyOf('analyst'))
    await page.getByText(/^Data of .*Nordlicht/).waitFor()
    await page.locator('figure svg').waitFor()
    await page.reload()
    await page.locator('figure svg').waitFor()
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.cookie')).not.toContain('msk_')
    // Chromium logs every error response.
    expect(browser.messages.splice(0).filter(text => !/status of 40[13]/.test(text))).toEqual([])
  })

  test('a question is answered as chart, table and CSV, all of one result', async () => {
    const { variables, data } = await ask('busiest-assets')
    expect(Date.parse(variables.from) - Date.parse(variables.until)).toBe(86_400_000)
    const top: { name: string }[] = data.assets.impressions.top
    const bars = page.locator('figure rect')
    await bars.nth(top.length - 1).waitFor({ state: 'attached' })
    expect(await bars.count()).toBe(top.length)
    await view('Table').press('Enter')
    expect(await cells(1)).toEqual(top.map(({ name }) => name))
    const column = page.getByRole('columnheader', { name: /^Impressions/ })
    await column.getByRole('button').press('Enter')
    expect(await column.getAttribute('aria-sort')).toBe('descending')
    const started = page.waitForEvent('download')
    await view('CSV').click()
    const file = await started
    expect(file.suggestedFilename()).toBe('busiest-assets.csv')
    expect(readFileSync(await file.path(), 'utf8').split('\r\n')).toHaveLength(top.length + 2)
  })

  test('values are chosen by name and range with the keyboard, and the address holds them', async () => {
    await ask('typical-week')
    await page.locator('figure').getByText('08:00').waitFor()
    const picker = page.getByRole('combobox', { name: 'Asset' })
    await picker.fill('kurf')
    const [name = ''] = await page.locator('datalist option').allTextContents()
    expect(name).toMatch(/^Kurfürstendamm.*, Berlin$/)
    await answerTo(() => picker.fill(name))
    const { variables } = await answerTo(() => days().selectOption('Last whole month'))
    expect(variables).toMatchObject({ asset: expect.any(String), from: expect.stringMatching(/-01$/) })
    await page.getByText(/^Average impressions per hour · Kurfürstendamm.*Europe\/Berlin$/).waitFor()
    await ask('over-time')
    await page.getByText(/^Impressions · Kurfürstendamm.* · Berlin · .*Europe\/Berlin$/).waitFor()
    const opened = await browser.open(page.url())
    await enter(demo.keyOf('analyst'), opened)
    await opened.getByRole('heading', { name: titleOf('over-time') }).waitFor()
    await opened.getByText(/^Impressions · Kurfürstendamm.* · Berlin · /).waitFor()
    await opened.context().close()
  })

  test('an error says what to do, and a lost connection is survived', async () => {
    await ask('over-time')
    await answerTo(() => page.getByLabel('From').fill('2000-01-01'))
    const error = page.locator('.errors')
    await error.getByRole('link').waitFor()
    expect(await error.getByRole('link').getAttribute('href')).toMatch(/^\/docs\/errors#[A-Z_]+$/)
    await page.context().setOffline(true)
    await days().selectOption('Last 7 days')
    await error.getByText('The service cannot be reached.').waitFor()
    await page.context().setOffline(false)
    await answerTo(() => days().selectOption('Last 28 days'))
    await error.waitFor({ state: 'detached' })
    browser.messages.splice(0)
  })

  test('GraphiQL opens with the query of the question, and runs it', async () => {
    await ask('busiest-assets')
    await view('GraphiQL').click()
    await page.locator(EDITOR).getByText('BusiestAssets').waitFor()
    await page.locator(EDITOR).click()
    await page.keyboard.press('Control+Enter')
    await page.locator('.graphiql-response').getByText('coverage').first().waitFor()
  })

  test('questions are accessible and fit on a phone', async () => {
    await fitsOnPhone()
    await view('Questions').click()
    for (const id of ['typical-week', 'changed-most', 'days-without-data', 'missing-counts']) {
      await view('All questions').click()
      await ask(id)
      expect([await findViolations(page), await fitsOnPhone()]).toEqual([[], true])
    }
  })

  test('nothing is written to the console, and no other server is contacted', () => {
    expect(browser.messages).toEqual([])
    expect([...browser.requestedOrigins].filter(origin => origin !== url && origin !== 'null')).toEqual([])
  })
})
