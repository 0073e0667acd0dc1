/** The built explorer in Chromium, on the demo data. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { READY_QUERIES } from '../../../rest-gateway/explorer/browser/queries/ready-queries'
import { findViolations } from '../../support/accessibility'
import { Chromium, describeInChromium } from '../../support/chromium'
import { type DemoService, startDemo } from '../../support/demo'

describeInChromium('the explorer,', () => {
  let demo: DemoService
  let url: string
  let browser: Chromium
  let page: Page

  beforeAll(async () => {
    demo = await startDemo()
    url = demo.service.url
    browser = await Chromium.launch()
    page = await open()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await demo?.service.stop()
  })

  const open = (scheme?: 'light' | 'dark', width?: number) => browser.open(`${url}/explorer`, scheme, width)

  async function enter(into: Page, key: string): Promise<void> {
    await into.getByLabel('API key').fill(key)
    await into.keyboard.press('Enter')
  }

  const view = (name: string) => page.getByRole('tab', { name, exact: true }).click()

  /** Runs a ready query and returns the response body. */
  async function run(title: string): Promise<Record<string, unknown>> {
    const responded = page.waitForResponse(
      response =>
        response.url().endsWith('/graphql') && !/IntrospectionQuery/.test(response.request().postData() ?? ''),
    )
    await page.locator('.ready-queries').getByText(title, { exact: true }).click()
    return (await responded).json()
  }

  async function download(name: string, within = '.downloads'): Promise<{ name: string; text: string; bytes: Buffer }> {
    const started = page.waitForEvent('download')
    if (within === '.downloads') await page.locator('.downloads summary').click()
    await page.locator(within).getByRole('button', { name, exact: true }).click()
    await page.keyboard.press('Escape')
    const file = await started
    const bytes = readFileSync(await file.path())
    return { name: file.suggestedFilename(), text: bytes.toString(), bytes }
  }

  test('asks for the key once per tab and shows the companies in scope', async () => {
    await enter(page, demo.keyOf('analyst'))
    await page.getByText(/^Data of .*Nordlicht/).waitFor()
    await page.reload()
    await page.getByText(/^Data of .*Nordlicht/).waitFor()
    const stored = await page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.cookie')
    expect(stored).not.toContain('msk_')
    const other = await open()
    await other.getByLabel('API key').waitFor()
    await other.context().close()
  })

  test.each(READY_QUERIES.map(({ title }) => [title]))('“%s” runs, as a table and as a chart', async title => {
    const { data, errors } = await run(title)
    expect(errors).toBeUndefined()
    expect(data).toBeDefined()
    await view('Table')
    await page.locator('.table-view tbody tr').first().waitFor()
    await view('Chart')
    await page.locator('.chart svg, .empty').first().waitFor()
    await view('JSON')
    await page.locator('.result-window').waitFor()
  })

  test('a table can be sorted with the keyboard', async () => {
    await run('Impressions by day')
    await view('JSON')
    await page.getByRole('tab', { name: 'JSON', exact: true }).press('ArrowRight')
    const column = page.getByRole('columnheader', { name: 'impressions' })
    await column.waitFor()
    const cells = async () => {
      const texts = await page.locator('.table-view tbody td:nth-child(2)').allTextContents()
      return texts.filter(text => text !== '–').map(text => Number(text.replaceAll(',', '')))
    }
    await column.getByRole('button').press('Enter')
    expect(await column.getAttribute('aria-sort')).toBe('descending')
    const descending = await cells()
    expect(descending).toEqual([...descending].sort((a, b) => b - a))
    await column.getByRole('button').press('Enter')
    expect(await cells()).toEqual([...descending].reverse())
  })

  test('a chart has its asset, time zone and coverage on it, and is downloaded as SVG and PNG', async () => {
    await run('Impressions by day')
    await view('Chart')
    const caption = page.locator('.chart-view figcaption')
    await caption.getByText(/impressions · .+, .+ · .+ 20\d\d · Europe\/Berlin/).waitFor()
    await caption.getByText(/^coverage \d/).waitFor()
    expect(await page.locator('.chart svg circle').count()).toBeGreaterThan(6)
    const svg = await download('SVG', '.chart-bar')
    expect(svg.name).toBe('ImpressionsByDay.svg')
    expect(svg.text).toMatch(/^<svg [\s\S]*Europe\/Berlin[\s\S]*<path/)
    const png = await download('PNG', '.chart-bar')
    expect([png.name, png.bytes.subarray(1, 4).toString()]).toEqual(['ImpressionsByDay.png', 'PNG'])
  })

  test('a month that is not over is marked and no part of the line', async () => {
    await run('The network by month and format')
    await page.getByText(/○ Not whole, and no part of the line: only/).waitFor()
    expect(await page.locator('.chart svg .partial circle').count()).toBeGreaterThan(0)
  })

  test('gaps are a matrix of assets and days, the asset with most gaps first', async () => {
    const { data } = (await run('Gaps')) as {
      data: {
        assets: { nodes: { name: string; impressions: { daily: { rows: { impressions: number | null }[] } } }[] }
      }
    }
    const gaps = data.assets.nodes.flatMap(({ impressions: { daily } }) =>
      daily.rows.filter(row => row.impressions === null),
    )
    await page.locator('.chart svg .missing').waitFor()
    expect(await page.locator('.chart svg .missing rect').count()).toBe(gaps.length)
    await view('JSON')
  })

  test('variables are chosen in a form: an asset by words of its name and city, and a range of days', async () => {
    await run('Impressions by day')
    await page.getByRole('combobox', { name: 'id' }).fill('BERLIN kurf')
    await page.getByRole('option', { name: /^Kurfürstendamm.*Berlin, DE, Nordlicht/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByLabel('Range of from and to').selectOption('Last whole month')
    const sent = page.waitForRequest(request => request.url().endsWith('/graphql'))
    await page.getByRole('button', { name: 'Run with these values' }).press('Enter')
    const { variables } = (await sent).postDataJSON()
    expect(variables).toMatchObject({ id: expect.any(String), from: expect.stringMatching(/-01$/) })
    expect(Date.parse(variables.to) - Date.parse(variables.from)).toBeGreaterThan(26 * 86_400_000)
    const asset = await fetch(`${url}/v1/partner/assets/${variables.id}`, {
      headers: { 'X-API-Key': demo.keyOf('analyst') },
    })
    expect(await asset.json()).toMatchObject({ city: 'Berlin' })
    await run('Age by country')
    const country = page.getByRole('combobox', { name: 'country' })
    expect(await country.inputValue()).toBe('DE')
    await country.press('ArrowDown')
    expect(await page.getByRole('option').allTextContents()).toContain('GB 6 assets')
    await country.press('Escape')
  })

  test('the result can be downloaded as CSV, Excel, NDJSON and JSON, with the values beside the list', async () => {
    const { data } = (await run('Age and gender')) as { data: { demographics: { total: number; ageGender: object[] } } }
    await view('Table')
    await page.locator('.facts', { hasText: 'total' }).waitFor()
    const csv = await download('CSV')
    expect(csv.name).toBe('AgeAndGender.csv')
    expect(csv.text.split('\r\n')).toHaveLength(data.demographics.ageGender.length + 2)
    expect(csv.text).toMatch(/^\ufeffageBand,gender,impressions,share,total,suppressed\r\n12-17,male,\d+,/)
    await page.locator('.downloads summary').click()
    await page.getByLabel('CSV separator').selectOption(';')
    await page.keyboard.press('Escape')
    expect((await download('CSV')).text).toMatch(/\r\n12-17;male;\d+;0,\d+;/)
    const ndjson = (await download('NDJSON')).text.trimEnd().split('\n')
    expect(ndjson.map(line => JSON.parse(line))).toEqual(
      data.demographics.ageGender.map(row => ({ ...row, total: data.demographics.total, suppressed: false })),
    )
    const workbook = await download('Excel')
    expect([workbook.name, workbook.bytes.subarray(0, 2).toString()]).toEqual(['AgeAndGender.xlsx', 'PK'])
    const json = await download('JSON')
    expect(json.name).toBe('AgeAndGender.json')
    expect(JSON.parse(json.text).data).toEqual(data)
  })

  test('the change of the total stands above the busiest assets, and the total below them', async () => {
    const { data } = (await run('Busiest assets')) as {
      data: { assets: { impressions: { compare: { change: number }; top: { impressions: number }[] } } }
    }
    const { compare, top } = data.assets.impressions
    const fact = page.locator('.facts div', { hasText: /^compare\.change(?!Rate)/ })
    expect(await fact.locator('dd').textContent()).toBe(compare.change.toLocaleString('en'))
    const sum = top.reduce((total, { impressions }) => total + impressions, 0).toLocaleString('en')
    await page.locator('tfoot').getByText(sum, { exact: true }).waitFor()
    await page.getByLabel('Filter rows').fill('no such asset')
    await page.getByRole('status').getByText('0 of 10 rows').waitFor()
    await page.getByLabel('Filter rows').fill('')
  })

  test('a list of which the result has one page can be loaded as a whole', async () => {
    const query = 'query Names($c: ID) { assets(limit: 20, after: $c) { nodes { id name } hasMore count } }'
    await page.goto(`${url}/explorer#query=${encodeURIComponent(query)}&view=table`)
    await page.getByRole('button', { name: 'Load all pages' }).click()
    await page.getByRole('status').getByText('67 rows').waitFor()
    await page.getByRole('button', { name: 'Load all pages' }).waitFor({ state: 'hidden' })
  })

  test('the REST call that is shown returns the same data', async () => {
    const { data } = (await run('Impressions by day')) as { data: { impressions: { daily: { total: number } } } }
    const shown = await page.locator('.rest-call code', { hasText: '/daily' }).textContent()
    expect(shown).toMatch(/^GET \/v1\/partner\/assets\/\w+\/impressions\/daily\?from_date=[\d-]+&to_date=[\d-]+$/)
    const response = await fetch(`${url}${shown?.slice(4)}`, { headers: { 'X-API-Key': demo.keyOf('analyst') } })
    expect(await response.json()).toMatchObject({ total: data.impressions.daily.total })
  })

  test('a copied link opens as it was sent: query, variables and view', async () => {
    await run('Impressions by day')
    await view('Table')
    const cells = page.locator('.table-view tbody td')
    const sent = await cells.allTextContents()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy link' }).click()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    await page.waitForURL(link)
    const received = await browser.open(link)
    await enter(received, demo.keyOf('analyst'))
    await received.locator('.table-view tbody td').first().waitFor()
    expect(await received.locator('.table-view tbody td').allTextContents()).toEqual(sent)
    await received.goto(
      link.replace('view=table', 'view=json').replace(/%22to%22.*?%22[\d-]+%22/, '%22to%22:%222026-01-01%22'),
    )
    await received.locator('.result-window').getByText('"INVALID_DATE_RANGE"').first().waitFor()
    await received.context().close()
  })

  test('a query can be saved in the browser, exported to a file, and imported from it', async () => {
    await run('Companies')
    await page.getByRole('tab', { name: 'Saved' }).click()
    await page.getByLabel('Name of the query').fill('Whose data?')
    await page.keyboard.press('Enter')
    await page.reload()
    await page.getByRole('tab', { name: 'Saved' }).click()
    const saved = page.locator('.saved-queries').getByRole('button', { name: 'Whose data?', exact: true })
    const exported = await download('Export', '.saved-files')
    expect(JSON.parse(exported.text).queries).toMatchObject([{ name: 'Whose data?', variables: '' }])
    await page.getByRole('button', { name: 'Delete Whose data?' }).click()
    expect(await saved.count()).toBe(0)
    const choose = (text: string) =>
      page
        .locator('[type="file"]')
        .setInputFiles({ name: 'q.json', mimeType: 'application/json', buffer: Buffer.from(text) })
    await choose('[]')
    await page.getByRole('alert').getByText('The file has no list').waitFor()
    await choose(exported.text)
    await saved.click()
    await page.locator('.table-view').getByText('Nordlicht').waitFor()
    await page.getByRole('tab', { name: 'Ready' }).click()
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
    const found = new Map<number, Set<string>>()
    for (const width of [390, 768, 1440]) {
      const explorer = await open('light', width)
      await enter(explorer, demo.keyOf('analyst'))
      await explorer.locator('.ready-queries').getByText('Impressions by day', { exact: true }).click()
      await explorer.getByRole('tab', { name: 'Table' }).click()
      await explorer.locator('.table-view tbody tr').first().waitFor()
      const names = new Set<string>()
      for (const pane of ['Queries', 'Query', 'Result']) {
        if (width < 900) await explorer.getByRole('tab', { name: pane, exact: true }).click()
        for (const name of await controls(explorer)) names.add(name)
        const overflow = await explorer.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect([width, pane, overflow]).toEqual([width, pane, 0])
      }
      found.set(width, names)
      await explorer.context().close()
    }
    const desktop = [...(found.get(1440) ?? [])].filter(name => !name.startsWith('Width of'))
    for (const names of found.values()) {
      expect([...names].filter(name => name.startsWith('outside'))).toEqual([])
      expect(desktop.filter(name => !names.has(name))).toEqual([])
    }
  })

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('axe-core finds nothing, %s at %s pixels', async (scheme, width) => {
    const explorer = await open(scheme, width)
    await explorer.getByLabel('API key').waitFor()
    expect(await findViolations(explorer)).toEqual([])
    await enter(explorer, demo.keyOf('analyst'))
    const show = async (query: string, name: string, shown: string) => {
      if (width < 900) await explorer.getByRole('tab', { name: 'Queries', exact: true }).click()
      await explorer.locator('.ready-queries').getByText(query, { exact: true }).click()
      await explorer.getByRole('tab', { name, exact: true }).click()
      await explorer.locator(shown).first().waitFor()
      expect(await findViolations(explorer)).toEqual([])
    }
    await show('Impressions by day', 'JSON', '.json .view-line')
    await show('Impressions by day', 'Table', '.table-view tbody tr')
    await show('Impressions by day', 'Chart', '.chart svg')
    await show('Typical week', 'Chart', '.chart svg')
    if (width < 900) await explorer.getByRole('tab', { name: 'Query', exact: true }).click()
    expect(await findViolations(explorer)).toEqual([])
    await explorer.context().close()
  })

  test('nothing is written to the console, and no other server is contacted', () => {
    expect(browser.messages).toEqual([])
    expect([...browser.requestedOrigins].filter(origin => origin !== url && origin !== 'null')).toEqual([])
  })

  test('without JavaScript, the page says that it needs it', async () => {
    const plain = await browser.openWithoutScript(`${url}/explorer`)
    await plain.getByRole('main').getByText('needs JavaScript').waitFor()
    expect(await plain.getByRole('heading', { level: 1 }).textContent()).toBe('Explorer')
    await plain.context().close()
  })

  test('the navigation of the documentation has a link to the explorer for those who may use it', async () => {
    const docs = await browser.open(`${url}/docs`)
    const link = docs.locator('header nav').getByRole('link', { name: 'Explorer' })
    const enterKey = async (kind: 'partner' | 'analyst') => {
      const checked = docs.waitForResponse(response => response.url().endsWith('/graphql'))
      await docs.locator('#reference-key').fill(demo.keyOf(kind))
      await docs.locator('#reference-key').blur()
      await checked
    }
    await enterKey('partner')
    expect(await link.count()).toBe(0)
    await enterKey('analyst')
    await link.waitFor()
    await docs.context().close()
    // The first page of this file opened the explorer, in another tab of which the documentation knows the key.
    await page.goto(`${url}/docs`)
    await page.locator('header nav').getByRole('link', { name: 'Explorer' }).click()
    await page.locator('.companies').waitFor()
  })

  test('an invalid key and a key without the scope are rejected with a message', async () => {
    const rejected = await open()
    for (const [key, message] of [
      ['nonsense', 'The API key is not valid.'],
      [demo.keyOf('partner'), 'lacks the scope internal:graphql:read'],
    ] as const) {
      await enter(rejected, key)
      await rejected.getByRole('alert').getByText(message).waitFor()
    }
    await rejected.context().close()
  })
})
