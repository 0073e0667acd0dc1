/** The built pages in Chromium: the documentation, and the explorer, which shows what REST returns. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { Chromium, describeInChromium, findViolations } from '../support/chromium'
import { DOCUMENTS } from '../support/documents'
import type { Factory, MadeAsset } from '../support/factories'
import { World } from '../support/world'

jest.setTimeout(180_000)

const EDITOR = '.graphiql-query-editor .monaco-editor'

const CITIES = 'Aachen Berlin Celle Dresden Erfurt Freiburg Gotha Hamm Jena Kiel Zwickau'.split(' ')

const AUGUST = 'from_date=2026-08-01&to_date=2026-08-31'
const SEPTEMBER = 'from_date=2026-09-01&to_date=2026-09-30'
const QUARTER = 'from_date=2026-07-01&to_date=2026-09-30'
const WEEK = 'from_date=2026-09-21&to_date=2026-09-27'
const WEEK_BEFORE = 'from_date=2026-09-14&to_date=2026-09-20'
const FOUR_WEEKS = 'from_date=2026-08-31&to_date=2026-09-27'

const dayAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

interface Figures {
  asset_id: string
  impressions: number | null
  days_with_data: number
}

describeInChromium('the pages,', () => {
  let world: World
  let browser: Chromium
  let page: Page
  /** Keys of the explorer, and of REST. */
  let [analyst, partner]: string[] = []
  let assets: MadeAsset[]

  beforeAll(async () => {
    ;[world, browser] = await Promise.all([World.open(), Chromium.launch()])
    await world.make.together(prepare)
    page = await browser.open(`${world.url}/docs/search`)
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await world?.stop()
  })

  /**
   * An asset in each of eleven cities, with counts of a quarter: the last city is the largest; the first lost days of September, but no
   * impressions; the second lost impressions.
   */
  async function prepare(make: Factory): Promise<void> {
    const company = await make.company('Acme')
    analyst = await make.key([company], { scopes: ['internal:graphql:read'] })
    partner = await make.key([company])
    assets = []
    for (const [i, city] of CITIES.entries()) {
      const place = { city, region: i < 6 ? 'DE-NW' : 'DE-BE', format: i % 2 ? 'transit' : 'billboard' }
      const asset = await make.asset({ company, name: `Face ${city}`, ...place })
      assets.push(asset)
      const sensor = await make.sensor({ asset, grain: i === 2 ? 'hour' : 'day' })
      for (let date = '2026-07-01'; date <= '2026-09-30'; date = dayAfter(date, 1)) {
        if (i === 0 && date > '2026-09-20') continue
        const size = i === 1 && date > '2026-08-31' ? 90 : 100 + i
        await make.counts(sensor, date, hour => (size + hour) * (i === 10 ? 50 : 1))
      }
    }
  }

  const read = (path: string) => world.read(`/v1/partner/${path}`, partner!)
  const settled = () => page.locator('main[aria-busy="false"] .result').waitFor()
  /** Waits for a title of the page, which scripts of its own must not read: its policy forbids them. */
  const until = async (title: string) => {
    while ((await page.title()) !== title) await page.waitForTimeout(20)
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  /** Asks a question from the first screen. */
  async function ask(title: string): Promise<void> {
    await page.goto(`${world.url}/explorer`)
    await page.getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { name: title, exact: true }).waitFor()
    await settled()
  }

  async function choose(label: string, option: string | RegExp): Promise<void> {
    const select = page.getByRole('combobox', { name: label, exact: true })
    const names = await select.locator('option').allTextContents()
    await select.selectOption(names.find(name => (typeof option === 'string' ? name === option : option.test(name)))!)
    await settled()
  }

  async function pickAsset(typed: string): Promise<void> {
    const picker = page.getByRole('combobox', { name: 'Asset', exact: true })
    await picker.fill(typed)
    await picker.press('Enter')
    await settled()
  }

  /** Returns the columns of the table by their titles. */
  async function readTable(...titles: string[]): Promise<string[][]> {
    if ((await page.locator('.table').count()) === 0) await button('Table').click()
    const heads = await page.locator('.table th').allTextContents()
    const columns = titles.map(title => heads.findIndex(head => head.trim() === title))
    expect(columns).not.toContain(-1)
    const rows: string[][] = []
    for (const row of await page.locator('.table tbody tr').all()) {
      const cells = await row.locator('td').allTextContents()
      rows.push(columns.map(column => cells[column]!))
    }
    return rows
  }

  const caption = () => page.locator('.result > .soft').innerText()
  const number = (value: number | null) => (value === null ? '–' : value.toLocaleString('en'))
  const nameOf = ({ asset_id }: { asset_id: string }) => `Face ${CITIES[assets.findIndex(({ id }) => id === asset_id)]}`

  test('the search lists sections of all pages, and the keyboard leads to the first one', async () => {
    const input = page.getByLabel('Search all pages')
    await input.fill('coverage')
    await page.locator('#results a[href="/docs/methodology#coverage"]').waitFor()
    await input.fill('webhooks')
    await page.locator('#results a[href="/docs/policy#not-offered"]').waitFor()
    await input.press('Enter')
    await page.getByRole('heading', { name: 'What there is not' }).waitFor()
    await page.getByRole('link', { name: 'Search' }).press('Enter')
    await page.waitForURL(`${world.url}/docs/search`)
    await input.fill('xyzzy')
    await page.getByText('Nothing was found').waitFor()
  })

  test('a request is sent from the page that tries routes, to which the reference links', async () => {
    await page.goto(`${world.url}/docs/reference#ReadMeta`)
    await page.locator('a[href="/docs/try#/Key/ReadMeta"]').click()
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('#api_key_value').fill(partner!)
    await page.getByRole('button', { name: 'Apply credentials' }).press('Enter')
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Try it out' }).press('Enter')
    await page.getByRole('button', { name: 'Execute' }).press('Enter')
    await page.locator('.live-responses-table').getByText('"Acme"').waitFor()
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).toBe('[{},{}]')
  })

  test('an opened operation is accessible on the page that tries routes', async () => {
    await page.goto(`${world.url}/docs/search`)
    await page.goto(`${world.url}/docs/try#/Assets/ListAssets`)
    await page.locator('#operations-Assets-ListAssets select').first().waitFor()
    expect(await findViolations(page)).toEqual([])
  })

  test('code is copied with a button, and a response stands beside its request where there is room', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${world.url}/docs`)
    const block = page.locator('.code').first()
    await block.getByRole('button', { name: 'Copy' }).press('Enter')
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await block.locator('pre').innerText())
    await page.setViewportSize({ width: 1200, height: 800 })
    await page.goto(`${world.url}/docs/reference`)
    const [request, response] = await page.locator('.operation').first().locator('> div').all()
    const [left, right] = [await request!.boundingBox(), await response!.boundingBox()]
    expect([right!.y, right!.x >= left!.x + left!.width]).toEqual([left!.y, true])
  })

  const fitsOnPhone = async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    return (await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0
  }

  test('no page cuts code, and all fit on a phone', async () => {
    for (const path of [...DOCUMENTS, '/docs/search', '/docs/try', '/']) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(world.url + path)
      const cut =
        "[...document.querySelectorAll('pre')].filter(pre => pre.scrollWidth > pre.clientWidth).map(pre => pre.innerText)"
      expect([path, await page.evaluate(cut), await fitsOnPhone()]).toEqual([path, [], true])
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test.each(['/docs', '/docs/reference', '/docs/search', '/docs/try', '/'])('%s is accessible', async path => {
    await page.goto(world.url + path)
    if (path === '/docs/try') await page.locator('.opblock-tag').first().waitFor()
    expect(await findViolations(page)).toEqual([])
  })

  const enter = async (key: string) => {
    await page.getByLabel('API key').fill(key)
    await page.keyboard.press('Enter')
  }

  test('the explorer refuses a key with its reason, or keeps it in this tab alone, and answers a question at once', async () => {
    page = await browser.open(`${world.url}/explorer`)
    for (const [key, message] of [
      ['nonsense', 'The API key is not valid.'],
      [partner!, 'needs a key with the scope internal:graphql:read'],
    ] as const) {
      await enter(key)
      await page.getByRole('alert').getByText(message).waitFor()
    }
    await enter(analyst!)
    await page.getByText(/^Data of Acme/).waitFor()
    await settled()
    await page.reload()
    await settled()
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.cookie')).not.toContain('msk_')
    // Chromium logs every error response.
    expect(browser.messages.splice(0).filter(text => !/status of 40[13]/.test(text))).toEqual([])
  })

  test('lists the top of a region in a quarter as chart, table and CSV, all of one result', async () => {
    await ask('Busiest assets')
    await choose('Region', /^DE-NW/)
    await choose('Days', 'Quarter so far')
    const { data } = await read(`impressions/aggregate?group_by=asset&region=DE-NW&${QUARTER}`)
    expect(await page.locator('figure rect').count()).toBe(data.length)
    expect(await readTable('Name', 'Impressions')).toEqual(
      data.map((row: Figures) => [nameOf(row), number(row.impressions)]),
    )
    const column = page.getByRole('columnheader', { name: /^Impressions/ })
    await column.getByRole('button').press('Enter')
    expect(await column.getAttribute('aria-sort')).toBe('descending')
    const started = page.waitForEvent('download')
    await button('CSV').click()
    const file = await started
    expect(file.suggestedFilename()).toBe('busiest-assets.csv')
    expect(readFileSync(await file.path(), 'utf8').split('\r\n')).toHaveLength(data.length + 2)
  })

  test('says which faces lost impressions, month on month, and takes no missing day for it', async () => {
    await ask('Assets that changed most')
    await choose('Days', 'Last whole month')
    const [own, other] = await Promise.all(
      [SEPTEMBER, AUGUST].map(async range => (await read(`impressions/aggregate?group_by=asset&${range}`)).data),
    )
    const perDay = ({ impressions, days_with_data }: Figures) => impressions! / days_with_data
    const expected = own
      .map((row: Figures) => {
        const before = other.find(({ asset_id }: Figures) => asset_id === row.asset_id)
        return [nameOf(row), perDay(row) / perDay(before) - 1] as const
      })
      .sort(([, a]: [string, number], [, b]: [string, number]) => a - b)
      .map(([name, rate]: [string, number]) => [name, `${rate > 0 ? '+' : ''}${(rate * 100).toFixed(1)}%`])
    expect(expected[0]).toEqual(['Face Berlin', '-10.9%'])
    expect(await page.locator('figure svg').getByText('◐').count()).toBe(1)
    const shown = await readTable('Name', 'Relative change per day', 'Coverage')
    expect(shown.map(([name, rate]) => [name, rate])[0]).toEqual(expected[0])
    expect(shown.map(([name, rate]) => [name, rate]).sort()).toEqual(expected.sort())
    expect(shown.filter(row => row[2]!.includes('◐')).map(([name]) => name)).toEqual(['Face Aachen'])
    expect(await caption()).toMatch(/^Change of the average per day with data · .*Sept? 2026 against .*Aug 2026/)
  })

  test('shows the hours of a face last week beside the week before', async () => {
    await ask('An asset beside the days before')
    await pickAsset('face ce')
    await choose('By', 'hour')
    const [own, other] = await Promise.all(
      [WEEK, WEEK_BEFORE].map(range => read(`assets/${assets[2]!.id}/impressions/timeseries?grain=hour&${range}`)),
    )
    const expected = [...own.data, ...other.data].map(({ impressions }: Figures) => number(impressions))
    expect(expected).toHaveLength(336)
    expect((await readTable('Impressions')).flat()).toEqual(expected)
    expect(await caption()).toContain(`Total ${number(own.total)} · Total before ${number(other.total)}`)
  })

  test('says which days of a city are missing, and why', async () => {
    await ask('Why counts are missing')
    await choose('City', /^Aachen/)
    const { data } = await read(`gaps?city=Aachen&${FOUR_WEEKS}`)
    const time = (text: string) => text.replace(/T(\d\d:\d\d):\d\d/, ' $1 ')
    const expected = data.map((row: Record<string, string>) => [
      'Face Aachen',
      row.reason!.replaceAll('_', ' '),
      time(row.from!),
      time(row.to!),
      number(Number(row.missing)),
    ])
    expect(expected).toHaveLength(1)
    expect(await readTable('Asset', 'Reason', 'From', 'To', 'Missing intervals')).toEqual(expected)
  })

  test('draws the largest of many groups, and says so', async () => {
    await ask('Cities over time')
    expect(await caption()).toContain('The 10 largest of 11; the table has all.')
    const drawn = await page.locator('.legend li').allTextContents()
    expect(drawn.sort()).toEqual(CITIES.slice(1))
  })

  test('paints what is missing of a day, and its cells lead to the reasons', async () => {
    await ask('Days without data')
    const cells = page.locator('figure svg a')
    await cells.first().waitFor({ state: 'attached' })
    expect(await cells.count()).toBe(7)
    await cells.first().click({ force: true })
    await page.getByRole('heading', { name: 'Why counts are missing' }).waitFor()
    await settled()
    expect((await readTable('Asset')).flat()).toEqual(['Face Aachen'])
    expect(await page.title()).toBe('Why counts are missing · Face Aachen · Explorer')
    await page.goBack()
    await page.getByRole('heading', { name: 'Days without data' }).waitFor()
  })

  test('each question and change of a value is a step of the history, and has a title', async () => {
    await ask('Impressions of an asset')
    await pickAsset('celle')
    await pickAsset('zwick')
    expect(await page.title()).toBe('Impressions of an asset · Face Zwickau · Explorer')
    await choose('By', 'week')
    await page.goBack()
    await page.getByRole('combobox', { name: 'By', exact: true }).waitFor()
    await settled()
    expect(await page.getByRole('combobox', { name: 'By', exact: true }).inputValue()).toBe('day')
    await page.goBack()
    await until('Impressions of an asset · Face Celle · Explorer')
    await page.goForward()
    await until('Impressions of an asset · Face Zwickau · Explorer')
  })

  test('says by name what an address asks for in vain', async () => {
    for (const [fragment, message] of [
      ['question=over-time&variables={"asset":"nothing"}', 'This key reads no asset with this id: nothing.'],
      ['question=missing-counts&variables={"filter":{"id":["nothing"]}}', 'This key reads no asset with this id'],
    ]) {
      await page.goto(`${world.url}/explorer#${fragment}`)
      await page.getByRole('alert').getByText(message!).waitFor()
    }
  })

  test('an error says what to do, and a lost connection is survived', async () => {
    await ask('Impressions of an asset')
    await page.getByLabel('From').fill('2000-01-01')
    const error = page.locator('.errors')
    await error.getByRole('link').waitFor()
    expect(await error.getByRole('link').getAttribute('href')).toMatch(/^\/docs\/errors#[A-Z_]+$/)
    await page.context().setOffline(true)
    const days = page.getByRole('combobox', { name: 'Days', exact: true })
    await days.selectOption('Last 7 days')
    await error.getByText('The service cannot be reached.').waitFor()
    await page.context().setOffline(false)
    await days.selectOption('Last 28 days')
    await error.waitFor({ state: 'detached' })
    browser.messages.splice(0)
  })

  test('GraphiQL opens with the query of the question, and runs it', async () => {
    await ask('Busiest assets')
    await button('GraphiQL').click()
    await page.locator(EDITOR).getByText('BusiestAssets').waitFor()
    await page.locator(EDITOR).click()
    await page.keyboard.press('Control+Enter')
    await page.locator('.graphiql-response').getByText('coverage').first().waitFor()
  })

  test.each(['light', 'dark'] as const)(
    'a chart is labelled, saved as a picture, and accessible in the %s scheme',
    async scheme => {
      await page.emulateMedia({ colorScheme: scheme })
      for (const title of ['Assets that changed most', 'Days without data']) {
        await ask(title)
        expect(await page.locator('figure svg').getAttribute('aria-label')).toMatch(new RegExp(`^${title}\\. `))
        expect([await findViolations(page), await fitsOnPhone()]).toEqual([[], true])
        await page.setViewportSize({ width: 1280, height: 800 })
      }
      const started = page.waitForEvent('download')
      await button('PNG').click()
      const file = await started
      expect(file.suggestedFilename()).toBe('days-without-data.png')
      expect(
        readFileSync(await file.path())
          .subarray(1, 4)
          .toString(),
      ).toBe('PNG')
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      expect(background).toBe(scheme === 'dark' ? 'rgb(13, 17, 23)' : 'rgb(255, 255, 255)')
    },
  )

  test('nothing is written to the console, and no other server is contacted', () => {
    expect(browser.messages).toEqual([])
    expect([...browser.requestedOrigins].filter(origin => origin !== world.url && origin !== 'null')).toEqual([])
  })
})
