/** The built explorer in Chromium, on the demo data: the key, the panes, links, and who can use it. */
import type { Page } from 'playwright-core'
import { findViolations, type Rules } from '../../support/accessibility'
import { describeInChromium } from '../../support/chromium'
import { Explorer } from '../../support/explorer'

describeInChromium('the explorer,', () => {
  let explorer: Explorer

  beforeAll(async () => {
    explorer = await Explorer.start()
  }, 120_000)
  afterAll(() => explorer?.stop())

  const check = async (page: Page, within = 'html', rules: Rules = 'all') =>
    expect(await findViolations(page, { within, rules })).toEqual([])

  test('axe-core finds nothing in the form for the key, light and dark', async () => {
    await explorer.page.getByLabel('API key').waitFor()
    await check(explorer.page)
    await explorer.page.emulateMedia({ colorScheme: 'dark' })
    await check(explorer.page, 'html', 'color')
    await explorer.page.emulateMedia({ colorScheme: 'light' })
  })

  test('asks for the key once per tab and shows the companies in scope', async () => {
    await explorer.enter(explorer.page, explorer.demo.keyOf('analyst'))
    await explorer.page.getByText(/^Data of .*Nordlicht/).waitFor()
    await explorer.page.reload()
    await explorer.page.getByText(/^Data of .*Nordlicht/).waitFor()
    const stored = await explorer.page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.cookie')
    expect(stored).not.toContain('msk_')
    const other = await explorer.page.context().newPage()
    await other.goto(explorer.page.url())
    await other.getByLabel('API key').waitFor()
    await other.close()
  })

  test('the keyboard alone writes and runs a query, and leaves the editor', async () => {
    const { page } = explorer
    const editor = page.locator('.graphiql-query-editor')
    const lines = editor.locator('.view-lines')
    // The tabs are out of reach until the editors have been loaded.
    await page.locator(':not([inert]) > [aria-label="New query"]').press('Enter')
    await lines.filter({ hasText: /^\s*$/ }).waitFor()
    await page.getByRole('button', { name: 'Copy link' }).press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.insertText('{ meta { version } }')
    await lines.filter({ hasText: /^\{.meta.\{.version.\}.\}$/ }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.locator('.result-window').getByText('"v1"').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate("document.activeElement.closest('.graphiql-query-editor') === null")).toBe(true)
    await page.getByRole('button', { name: 'Close' }).press('Enter')
  })

  test('a copied link opens as it was sent: query, variables and view', async () => {
    await explorer.run('Impressions by day')
    await explorer.view('Table')
    const cells = explorer.page.locator('.table-view tbody td')
    const sent = await cells.allTextContents()
    await explorer.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await explorer.page.getByRole('button', { name: 'Copy link' }).click()
    const link = await explorer.page.evaluate<string>('navigator.clipboard.readText()')
    await explorer.page.waitForURL(link)
    const received = await explorer.browser.open(link)
    await explorer.enter(received, explorer.demo.keyOf('analyst'))
    await received.locator('.table-view tbody td').first().waitFor()
    expect(await received.locator('.table-view tbody td').allTextContents()).toEqual(sent)
    await received.goto(
      link.replace('view=table', 'view=json').replace(/%22to%22.*?%22[\d-]+%22/, '%22to%22:%222026-01-01%22'),
    )
    await received.locator('.result-window').getByText('"INVALID_DATE_RANGE"').first().waitFor()
    await received.context().close()
  })

  test('a query can be saved in the browser, exported to a file, and imported from it', async () => {
    await explorer.run('Companies')
    await explorer.page.getByRole('tab', { name: 'Saved' }).click()
    await explorer.page.getByLabel('Name of the query').fill('Whose data?')
    await explorer.page.keyboard.press('Enter')
    await explorer.page.reload()
    await explorer.page.getByRole('tab', { name: 'Saved' }).click()
    const saved = explorer.page.locator('.saved-queries').getByRole('button', { name: 'Whose data?', exact: true })
    const exported = await explorer.download('Export', '.saved-files')
    expect(JSON.parse(exported.text).queries).toMatchObject([{ name: 'Whose data?', variables: '' }])
    await explorer.page.getByRole('button', { name: 'Delete Whose data?' }).click()
    expect(await saved.count()).toBe(0)
    const choose = (text: string) =>
      explorer.page
        .locator('[type="file"]')
        .setInputFiles({ name: 'q.json', mimeType: 'application/json', buffer: Buffer.from(text) })
    await choose('[]')
    await explorer.page.getByRole('alert').getByText('The file has no list').waitFor()
    await choose(exported.text)
    await saved.click()
    await explorer.page.locator('.table-view').getByText('Nordlicht').waitFor()
    await explorer.page.getByRole('tab', { name: 'Ready' }).click()
  })

  /** Returns the names of the visible controls; those outside of the window are marked. */
  const controls = (of: Page) =>
    of.evaluate<string[]>(`
      [...document.querySelectorAll('button, a, select, input, textarea, [tabindex="0"]')]
        .filter(element => element.checkVisibility() && !element.closest('.monaco-editor'))
        .map(element => {
          element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
          const { left, top, right, bottom } = element.getBoundingClientRect()
          const isInside = left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1
          const name = element.querySelector('.monaco-editor') ? 'editor' : (element.ariaLabel ?? element.textContent)
          return (isInside ? '' : 'outside: ') + name
        })
    `)

  test('on a phone and a tablet one pane is shown at a time, and every control of the desktop is in reach', async () => {
    const { page } = explorer
    await explorer.run('Impressions by day')
    await explorer.view('Table')
    await page.locator('.table-view tbody tr').first().waitFor()
    const found = new Map<number, Set<string>>()
    for (const width of [390, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      const names = new Set<string>()
      for (const pane of ['Queries', 'Query', 'Result']) {
        if (width < 900) await page.getByRole('tab', { name: pane, exact: true }).click()
        for (const name of await controls(page)) names.add(name)
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect([width, pane, overflow]).toEqual([width, pane, 0])
      }
      found.set(width, names)
    }
    const desktop = [...(found.get(1440) ?? [])].filter(name => !name.startsWith('Width of'))
    for (const names of found.values()) {
      expect([...names].filter(name => name.startsWith('outside'))).toEqual([])
      expect(desktop.filter(name => !names.has(name))).toEqual([])
    }
  })

  const EDITOR = '.graphiql-query-editor .monaco-editor'

  /** Changes the color scheme of the system, and waits until the editors have followed. */
  const setScheme = async (colorScheme: 'dark' | 'light') => {
    const theme = { dark: 'vs-dark', light: 'vs' }[colorScheme]
    await explorer.page.emulateMedia({ colorScheme })
    await explorer.page.locator(`${EDITOR}.${theme} .view-line`).first().waitFor({ state: 'attached' })
  }

  test('the editor is readable after the color scheme of the system has changed', async () => {
    for (const scheme of ['dark', 'light'] as const) {
      await setScheme(scheme)
      await check(explorer.page, EDITOR, 'color')
    }
  })

  test('axe-core finds nothing in any view, dark and light, at 390 and 1440 pixels', async () => {
    const { page } = explorer
    const choose = (name: string) => page.getByRole('tab', { name, exact: true }).click()
    await page.setViewportSize({ width: 1440, height: 800 })
    // The elements of a view are the same in both color schemes and widths. The last one is short: the page is checked with it.
    for (const [query, view, shown] of [
      ['Busiest assets', 'Map', '.map svg'],
      ['Typical week', 'Chart', '.chart svg'],
      ['Impressions by day', 'Chart', '.chart svg'],
      ['Busiest assets', 'Table', '.table-view tfoot'],
      ['Companies', 'JSON', '.json .view-line'],
    ] as const) {
      await explorer.run(query)
      await choose(view)
      await page.locator(shown).first().waitFor()
      await setScheme('dark')
      await check(page, '#result-view', 'color')
      await setScheme('light')
      await check(page, '#result-view')
    }
    await check(page)
    await setScheme('dark')
    await page.setViewportSize({ width: 390, height: 800 })
    for (const pane of ['Queries', 'Query', 'Result']) {
      await choose(pane)
      await check(page)
    }
    await setScheme('light')
    await page.setViewportSize({ width: 1280, height: 800 })
  }, 60_000)

  test('nothing is written to the console, and no other server is contacted', () => {
    expect(explorer.browser.messages).toEqual([])
    expect(
      [...explorer.browser.requestedOrigins].filter(origin => origin !== explorer.url && origin !== 'null'),
    ).toEqual([])
  })

  test('without JavaScript, the page says that it needs it', async () => {
    const plain = await explorer.browser.openWithoutScript(`${explorer.url}/explorer`)
    await plain.getByRole('main').getByText('needs JavaScript').waitFor()
    expect(await plain.getByRole('heading', { level: 1 }).textContent()).toBe('Explorer')
    await plain.context().close()
  })

  test('the documentation links to the explorer, which opens the query of a route', async () => {
    const { page } = explorer
    await page.goto(`${explorer.url}/docs/analysts#ReadImpressionsDaily`)
    await page.locator('header nav').getByRole('link', { name: 'Explorer' }).waitFor()
    const query = page.locator('#ReadImpressionsDaily ~ details').first()
    await query.getByText('GraphQL query').click()
    expect(await query.locator('code').textContent()).toMatch(/^query ReadImpressionsDaily\(/)
    await query.getByRole('link').click()
    await page.locator('.graphiql-query-editor').getByText('ReadImpressionsDaily').first().waitFor()
  })

  test('an invalid key and a key without the scope are rejected with a message', async () => {
    const { page } = explorer
    await page.getByRole('button', { name: 'Change key' }).click()
    for (const [key, message] of [
      ['nonsense', 'The API key is not valid.'],
      [explorer.demo.keyOf('partner'), 'lacks the scope internal:graphql:read'],
    ] as const) {
      await explorer.enter(page, key)
      await page.getByRole('alert').getByText(message).waitFor()
    }
  })
})
