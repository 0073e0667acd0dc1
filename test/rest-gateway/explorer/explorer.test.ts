/** The explorer as it was built, in a real Chromium, on the demo's data. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { READY_QUERIES } from '../../../rest-gateway/explorer/browser/ready-queries'
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

  /** Runs a query of the shelf and waits for its answer. */
  async function run(title: string): Promise<Record<string, unknown>> {
    const answered = page.waitForResponse(
      response =>
        response.url().endsWith('/graphql') && !/IntrospectionQuery/.test(response.request().postData() ?? ''),
    )
    await page.locator('.shelf').getByText(title, { exact: true }).click()
    return (await answered).json()
  }

  async function taken(name: 'CSV' | 'JSON'): Promise<{ file: string; text: string }> {
    const downloading = page.waitForEvent('download')
    await page.locator('.take').getByRole('button', { name }).click()
    const download = await downloading
    return { file: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
  }

  test('asks for the key once, keeps it for the tab alone, and shows whose data it sees', async () => {
    await enter(page, demo.keyOf('analyst'))
    await page.getByText(/^Data of .*Nordlicht/).waitFor()
    await page.reload()
    await page.getByText(/^Data of .*Nordlicht/).waitFor()
    const kept = await page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.cookie')
    expect(kept).not.toContain('msk_')
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
    await page.locator('.chart-view canvas, .empty').first().waitFor()
    await view('JSON')
    await page.locator('.result-window').waitFor()
  })

  test('a table sorts by a column, with the keyboard too', async () => {
    await run('Days of an asset')
    await view('JSON')
    await page.getByRole('tab', { name: 'JSON' }).press('ArrowRight')
    const column = page.getByRole('columnheader', { name: 'impressions' })
    await column.waitFor()
    const cells = async () => {
      const texts = await page.locator('.table-view tbody td:nth-child(2)').allTextContents()
      return texts.filter(text => text !== '–').map(text => Number(text.replaceAll(',', '')))
    }
    await column.getByRole('button').press('Enter')
    expect(await column.getAttribute('aria-sort')).toBe('descending')
    const falling = await cells()
    expect(falling).toEqual([...falling].sort((a, b) => b - a))
    await column.getByRole('button').press('Enter')
    expect(await cells()).toEqual([...falling].reverse())
  })

  test('a chart is drawn: a canvas that is not blank', async () => {
    await run('Where the audience lives')
    await view('Chart')
    await page.locator('.chart-view canvas').waitFor()
    const colours = await page.evaluate<number>(`
      const canvas = document.querySelector('.chart-view canvas')
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      ;new Set(new Uint32Array(data.buffer)).size
    `)
    expect(colours).toBeGreaterThan(10)
  })

  test('the answer can be taken away as CSV and as JSON', async () => {
    const { data } = (await run('Age and gender')) as { data: { demographics: { ageGender: object[] } } }
    await view('Table')
    await page.locator('.table-view tbody tr').first().waitFor()
    const csv = await taken('CSV')
    expect(csv.file).toBe('AgeAndGender.csv')
    expect(csv.text.split('\r\n')).toHaveLength(data.demographics.ageGender.length + 2)
    expect(csv.text).toMatch(/^ageBand,gender,impressions,share\r\n12-17,male,\d+,/)
    const json = await taken('JSON')
    expect(json.file).toBe('AgeAndGender.json')
    expect(JSON.parse(json.text).data).toEqual(data)
  })

  test('where a fixed route answers the same, its call is shown, and it does', async () => {
    const { data } = (await run('Days of an asset')) as { data: { impressions: { daily: { total: number } } } }
    const shown = await page.locator('.rest code', { hasText: '/daily' }).textContent()
    expect(shown).toMatch(/^GET \/v1\/partner\/assets\/\w+\/impressions\/daily\?from_date=[\d-]+&to_date=[\d-]+$/)
    const answer = await fetch(`${url}${shown?.slice(4)}`, { headers: { 'X-API-Key': demo.keyOf('analyst') } })
    expect(await answer.json()).toMatchObject({ total: data.impressions.daily.total })
  })

  test.each([
    ['light', 1280],
    ['dark', 1920],
  ] as const)('fits the window, %s at %s pixels', async (scheme, width) => {
    const fitting = await open(scheme, width)
    await enter(fitting, demo.keyOf('analyst'))
    await fitting.locator('.shelf').getByText('Assets', { exact: true }).click()
    await fitting.getByRole('tab', { name: 'Table' }).click()
    await fitting.locator('.table-view tbody tr').first().waitFor()
    const overflow = await fitting.evaluate<number[]>(`
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement
      const panes = [...document.querySelectorAll('.graphiql-editors, .result-view')]
      const below = panes.map(pane => Number(pane.getBoundingClientRect().bottom > innerHeight))
      ;[scrollWidth - clientWidth, scrollHeight - clientHeight, ...below]
    `)
    expect(overflow).toEqual([0, 0, 0, 0])
    await fitting.context().close()
  })

  test('the console stays clean, and nobody else was asked', () => {
    expect(browser.said).toEqual([])
    expect([...browser.asked].filter(origin => origin !== url && origin !== 'null')).toEqual([])
  })

  test('a key that must not ask is told so', async () => {
    const refused = await open()
    for (const [key, told] of [
      ['nonsense', 'The API key is not valid.'],
      [demo.keyOf('partner'), 'The API key lacks the scope'],
    ] as const) {
      await enter(refused, key)
      await refused.getByRole('alert').getByText(told).waitFor()
    }
    await refused.context().close()
  })
})
