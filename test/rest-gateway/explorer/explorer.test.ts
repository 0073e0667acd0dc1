/** The built explorer in Chromium, on the demo data, as an analyst uses it. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { QUESTIONS } from '../../../web/explorer/questions'
import { findViolations } from '../../support/accessibility'
import { Chromium, describeInChromium } from '../../support/chromium'
import { type DemoService, startDemo } from '../../support/demo'

const EDITOR = '.graphiql-query-editor .monaco-editor'

describeInChromium('the explorer,', () => {
  let demo: DemoService
  let browser: Chromium
  let page: Page

  beforeAll(async () => {
    ;[demo, browser] = await Promise.all([startDemo(), Chromium.launch()])
    page = await browser.open(`${demo.service.url}/explorer`)
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await demo?.service.stop()
  })

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

  const view = (name: string) => page.getByRole('button', { name, exact: true })
  const cells = (column: number) => page.locator(`.table tbody td:nth-child(${column})`).allTextContents()

  const download = async (name: string) => {
    const started = page.waitForEvent('download')
    await view(name).click()
    const file = await started
    return { name: file.suggestedFilename(), content: readFileSync(await file.path()) }
  }

  test('a key is refused with its reason, or kept in this tab alone, and answers a question at once', async () => {
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

  test('a question is answered as chart, table, JSON and files, all of one result', async () => {
    const { variables, data } = await ask('busiest-assets')
    expect(Date.parse(variables.from) - Date.parse(variables.until)).toBe(86_400_000)
    const top: { name: string }[] = data.assets.impressions.top
    expect(await page.locator('figure rect').count()).toBe(top.length)
    await view('Table').press('Enter')
    expect(await cells(1)).toEqual(top.map(({ name }) => name))
    const column = page.getByRole('columnheader', { name: /^Impressions/ })
    await column.getByRole('button').press('Enter')
    expect(await column.getAttribute('aria-sort')).toBe('descending')
    const { name, content } = await download('CSV')
    expect(name).toBe('busiest-assets.csv')
    expect(String(content).split('\r\n')).toHaveLength(top.length + 2)
    await view('JSON').click()
    expect(JSON.parse((await page.locator('pre').textContent())!).data).toEqual(data)
    await view('Chart').click()
    const picture = await download('PNG')
    expect([picture.name, picture.content.subarray(1, 4).toString()]).toEqual(['busiest-assets.png', 'PNG'])
  })

  test('values are chosen by name and range with the keyboard, and the address holds them', async () => {
    await ask('typical-week')
    await page.locator('figure').getByText('08:00').waitFor()
    const picker = page.getByLabel('Asset')
    await picker.fill('kurf')
    const [name = ''] = await page.locator('datalist option').allTextContents()
    expect(name).toMatch(/^Kurfürstendamm.*, Berlin$/)
    await answerTo(() => picker.fill(name))
    const { variables } = await answerTo(() => page.getByLabel('Days').selectOption('Last whole month'))
    expect(variables).toMatchObject({ asset: expect.any(String), from: expect.stringMatching(/-01$/) })
    await page.getByText(/^Average impressions per hour · Kurfürstendamm.*Europe\/Berlin$/).waitFor()
    await ask('missing-counts')
    await page.getByText(/^Kurfürstendamm.* · Berlin · .*Europe\/Berlin$/).waitFor()
    const opened = await browser.open(page.url())
    await enter(demo.keyOf('analyst'), opened)
    await opened.getByRole('heading', { name: titleOf('missing-counts') }).waitFor()
    await opened.getByText(/^Kurfürstendamm.* · Berlin · /).waitFor()
    await opened.context().close()
  })

  test('an error says what to do, and a lost connection is survived', async () => {
    await ask('over-time')
    await answerTo(() => page.getByLabel('From').fill('2000-01-01'))
    const error = page.locator('.errors')
    await error.getByRole('link').waitFor()
    expect(await error.getByRole('link').getAttribute('href')).toMatch(/^\/docs\/errors#[A-Z_]+$/)
    await page.context().setOffline(true)
    await page.getByLabel('Days').selectOption('Last 7 days')
    await error.getByText('The service cannot be reached.').waitFor()
    await page.context().setOffline(false)
    await answerTo(() => page.getByLabel('Days').selectOption('Last 28 days'))
    await error.waitFor({ state: 'detached' })
    browser.messages.splice(0)
  })

  test('GraphiQL opens with the query of the question, and shows the last result of the reader’s own as a chart', async () => {
    await ask('sensors-by-vendor')
    await view('GraphiQL').click()
    const editor = page.locator(EDITOR)
    await editor.getByText('SensorsByVendor').waitFor()
    const plugin = page.locator('.graphiql-plugin')
    await plugin.getByText('Tallystone').first().waitFor()
    await editor.click({ position: { x: 100, y: 200 } })
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    const lines = editor.locator('.view-lines')
    await lines.filter({ hasText: /^\s*$/ }).waitFor()
    await page.keyboard.insertText('{ assets(limit: 3) { nodes { name latitude } } }')
    await lines.filter({ hasText: /^\{.assets.*latitude.\}.\}.\}$/ }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.locator('.graphiql-response').getByText('latitude').first().waitFor()
    await plugin.getByRole('columnheader', { name: 'Latitude' }).waitFor()
    await plugin.getByRole('button', { name: 'Chart' }).click()
    await plugin.getByLabel('x', { exact: true }).selectOption('name')
    await plugin.getByLabel('y', { exact: true }).selectOption('latitude')
    await plugin.locator('figure rect').nth(2).waitFor()
    await page.waitForURL(/#query=.*latitude/)
    await editor.click({ position: { x: 100, y: 200 } })
    await page.keyboard.press('Tab')
    expect(await page.evaluate(`document.activeElement.closest('${EDITOR}') === null`)).toBe(true)
  })

  test('both views are accessible and fit on a phone, light and dark', async () => {
    const check = async () => {
      const found = await findViolations(page)
      // The tabs of GraphiQL's own queries are items of a list that is a list of tabs.
      expect(found.filter(violation => !violation.startsWith('nested-interactive'))).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    }
    // The tooltip of a button of GraphiQL that has the focus is outside of all landmarks.
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 390, height: 844 })
    await check()
    await view('Questions').click()
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const id of ['typical-week', 'age-and-gender', 'untrusted-sensors']) {
      await view('All questions').click()
      await ask(id)
      await check()
    }
    await view('GraphiQL').click()
    await page.locator(`${EDITOR}.vs-dark .view-line`).first().waitFor({ state: 'attached' })
    await check()
  })

  test('nothing is written to the console, and no other server is contacted', () => {
    expect(browser.messages).toEqual([])
    const others = [...browser.requestedOrigins].filter(origin => origin !== demo.service.url && origin !== 'null')
    expect(others).toEqual([])
  })

  test('without JavaScript, the page says that it needs it', async () => {
    const plain = await browser.openWithoutScript(`${demo.service.url}/explorer`)
    await plain.getByRole('main').getByText('needs JavaScript').waitFor()
    await plain.context().close()
  })
})
