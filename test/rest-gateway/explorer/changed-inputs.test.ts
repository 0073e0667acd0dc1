/** Results in the explorer, in Chromium: each shows the request that produced it, and no errors are hidden by a view. */
import type { Page } from 'playwright-core'
import { findViolations } from '../../support/accessibility'
import { describeInChromium } from '../../support/chromium'
import { Explorer } from '../../support/explorer'

const linkTo = (query: string, variables: object = {}, view = 'table') =>
  `/explorer#${new URLSearchParams({ query, variables: JSON.stringify(variables), view })}`

describeInChromium('a result in the explorer,', () => {
  let explorer: Explorer
  let page: Page

  beforeAll(async () => {
    explorer = await Explorer.start()
    page = explorer.page
    await explorer.enter(page, explorer.demo.keyOf('analyst'))
    await page.getByText(/^Data of /).waitFor()
  }, 120_000)
  afterAll(() => explorer?.stop())

  const notRun = () => page.getByRole('status').getByText('Not run yet')
  const caption = () => page.locator('.chart-view figcaption div').first()
  const restCall = () => page.locator('.rest-call code')
  const result = () => page.locator('#result-view')

  const chooseAsset = async (city: string) => {
    await page.getByRole('combobox', { name: 'id' }).fill(city)
    await page.getByRole('option', { name: city }).first().waitFor()
    await page.keyboard.press('Enter')
  }

  /** Replaces the text of the query without running it. */
  const write = async (query: string) => {
    await page.locator('.graphiql-query-editor .view-lines').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(query)
  }

  /** Runs a ready query, whose request waits until the returned function lets it go. */
  const runHeld = async (title: string) => {
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route('**/graphql', route => released.then(() => route.continue()), { times: 1 })
    await page.locator('.ready-queries').getByText(title, { exact: true }).click()
    await result().getByText('The query is running').waitFor()
    return release
  }

  test('keeps its name, time zone, picture and REST call when another asset is chosen, until that is run', async () => {
    await explorer.run('Impressions by day')
    await explorer.view('Chart')
    await caption().getByText('Europe/Berlin').waitFor()
    const before = await Promise.all([caption().textContent(), restCall().textContent()])
    await chooseAsset('London')
    await notRun().waitFor()
    expect(await Promise.all([caption().textContent(), restCall().textContent()])).toEqual(before)
    const svg = await explorer.download('SVG', '.chart-bar')
    expect(svg.text).toContain('Europe/Berlin')
    expect(svg.text).not.toContain('Europe/London')
    await page.locator('.notice').getByRole('button', { name: 'Run', exact: true }).click()
    await caption().getByText('Europe/London').waitFor()
    await notRun().waitFor({ state: 'detached' })
    expect(await restCall().textContent()).not.toBe(before[1])
  })

  test('has a link of its own while the inputs are other ones', async () => {
    await explorer.run('Impressions by day')
    await explorer.view('Chart')
    // The caption has the name of the asset once the assets in scope have been read.
    await caption().getByText('Europe/Berlin').waitFor()
    const before = await caption().textContent()
    await chooseAsset('London')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy link to this result' }).click()
    const received = await explorer.browser.open(await page.evaluate<string>('navigator.clipboard.readText()'))
    await explorer.enter(received, explorer.demo.keyOf('analyst'))
    await received
      .locator('.chart-view figcaption')
      .getByText(before ?? '', { exact: true })
      .waitFor()
    await received.context().close()
  })

  test('keeps its file name when the query is rewritten, and a change of its layout is none', async () => {
    const query = '{ meta { version companies { id name } } }'
    await page.goto(explorer.url + linkTo(`query First ${query}`))
    await page.locator('.table-view tbody tr').first().waitFor()
    await write(`query Second ${query}`)
    await notRun().waitFor()
    expect((await explorer.download('CSV')).name).toBe('First.csv')
    await write(`query First\n${query}`)
    await notRun().waitFor({ state: 'detached' })
  })

  test('is that of a query that runs as soon as it is written, whatever the name of the one before', async () => {
    await explorer.run('Companies')
    await explorer.view('JSON')
    await write('{ meta { version } }')
    await page.keyboard.press('Control+Enter')
    await page.locator('.result-window').getByText('"v1"').waitFor()
    await page.locator('.result-window').getByText('companies').waitFor({ state: 'detached' })
    expect((await explorer.download('JSON')).name).toBe('result.json')
    await explorer.view('Table')
  })

  test('is completed with pages of its own query', async () => {
    await page.goto(explorer.url + linkTo('query Pages { assets(limit: 40) { nodes { id name } hasMore } }'))
    await page.getByRole('button', { name: 'Load all pages' }).waitFor()
    await write('{ sensors(limit: 2) { nodes { id } hasMore } }')
    await notRun().waitFor()
    await page.getByRole('button', { name: 'Load all pages' }).click()
    await page.getByRole('status').getByText('67 rows').waitFor()
    await notRun().waitFor()
  })

  test('gives its range to the query of assets that are chosen on its map', async () => {
    const { data } = await explorer.run('Busiest assets')
    expect(data).toBeDefined()
    await explorer.view('Map')
    await page.locator('.map svg circle').nth(9).waitFor()
    await page.getByLabel('Range of from and to').selectOption('Last day')
    await page.getByRole('combobox', { name: 'Choose assets' }).fill('times square north')
    await page.keyboard.press('Enter')
    const sent = page.waitForRequest(request => request.url().endsWith('/graphql'))
    await page.getByRole('button', { name: 'Query them' }).click()
    const { from, to } = (await sent).postDataJSON().variables
    expect(Date.parse(to) - Date.parse(from)).toBe(27 * 86_400_000)
    await page.locator('.map svg circle').first().waitFor()
    expect(await page.getByRole('button', { name: 'Query them' }).count()).toBe(0)
  })

  test('that arrives after the tab was changed is not shown in the other tab', async () => {
    await explorer.view('Table')
    const release = await runHeld('Companies')
    await page.getByRole('button', { name: 'New query' }).click()
    release()
    await result().getByText('Run a query to see its result.').waitFor()
    await page.getByRole('tablist', { name: 'Open queries' }).getByRole('tab', { name: 'Companies' }).click()
    await result().getByText('The query was stopped before it had a result.').waitFor()
  })

  test('is that of the last run, whichever response is the first', async () => {
    const release = await runHeld('Companies')
    await explorer.run('Assets')
    await page.getByRole('status').getByText('67 rows').waitFor()
    release()
    await page.getByLabel('Filter rows').fill('no such asset')
    await page.getByRole('status').getByText('0 of 67 rows').waitFor()
    expect((await explorer.download('CSV')).name).toBe('Assets.csv')
  })

  test('that is older than its inputs is marked in a way that all can read, light and dark, wide and narrow', async () => {
    await explorer.run('Impressions by day')
    await chooseAsset('London')
    await notRun().waitFor()
    for (const [colorScheme, width] of [
      ['dark', 390],
      ['light', 1280],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      if (width < 900) await page.getByRole('tab', { name: 'Result', exact: true }).click()
      expect(await findViolations(page, { within: '.result-pane' })).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    }
  })

  test('nothing is written to the console', () => {
    expect(explorer.browser.messages).toEqual([])
  })
})
