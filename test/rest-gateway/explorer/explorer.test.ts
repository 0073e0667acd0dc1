/** The built explorer in Chromium, on the demo data: one journey through the form for the key, the query view and the results. */
import { parse as parseCsv } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { findViolations, type Rules } from '../../support/accessibility'
import { describeInChromium } from '../../support/chromium'
import { Explorer } from '../../support/explorer'

const ANALYST = { all_companies: true, scopes: ['internal:graphql:read'] }

const RANGE = { from: '2026-01-01', to: '2026-01-31' }

const SERIES = `query Series($from: Date!, $to: Date!) {
  assets(limit: 500) { nodes { name impressions(fromDate: $from, toDate: $to) { daily { rows { date } } } } } }`

const MINUTES = `query Minutes($from: Date!, $to: Date!) {
  assets(limit: 60) { nodes { id name impressions(fromDate: $from, toDate: $to) { timeseries(grain: minute) { total } } } } }`

interface Series {
  data: { impressions: { daily: { total: number; rows: { date: string; impressions: number | null }[] } } }
}

describeInChromium('the explorer,', () => {
  let explorer: Explorer
  let page: Page

  beforeAll(async () => {
    explorer = await Explorer.start()
    page = explorer.page
  }, 120_000)
  afterAll(() => explorer?.stop())

  const check = async (within = 'html', rules: Rules = 'all') =>
    expect(await findViolations(page, { within, rules })).toEqual([])

  /** Opens a query, which runs at once. */
  const open = (query: string, variables: object = {}, view = 'table', into = page) =>
    into.goto(`${explorer.url}/explorer#${new URLSearchParams({ query, variables: JSON.stringify(variables), view })}`)

  const readClipboard = async (button: string): Promise<string> => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: button, exact: true }).press('Enter')
    await page
      .getByText(/copied/i)
      .first()
      .waitFor()
    return page.evaluate<string>('navigator.clipboard.readText()')
  }

  const chooseAsset = async (words: string, name: RegExp | string = words) => {
    await page.getByRole('combobox', { name: 'id' }).fill(words)
    await page.getByRole('option', { name }).first().waitFor()
    await page.keyboard.press('Enter')
  }

  /** Returns the variables of the next request. */
  const sentVariables = async (action: () => Promise<unknown>) => {
    const sent = page.waitForRequest(request => request.url().endsWith('/graphql'))
    await action()
    return (await sent).postDataJSON().variables
  }

  const notRun = () => page.getByRole('status').getByText('Not run yet')
  const caption = () => page.locator('.chart-view figcaption')

  describe('the form for the key,', () => {
    test('is accessible, light and dark', async () => {
      await page.getByLabel('API key').waitFor()
      await check()
      await page.emulateMedia({ colorScheme: 'dark' })
      await check('html', 'color')
      await page.emulateMedia({ colorScheme: 'light' })
    })

    test('says why a key is refused, and keeps one that is valid in this tab alone', async () => {
      for (const [key, message] of [
        ['nonsense', 'The API key is not valid.'],
        [explorer.demo.keyOf('partner'), 'lacks the scope internal:graphql:read'],
      ] as const) {
        await explorer.enter(page, key)
        await page.getByRole('alert').getByText(message).waitFor()
      }
      await explorer.enter(page, explorer.demo.keyOf('analyst'))
      await page.getByText(/^Data of .*Nordlicht/).waitFor()
      await page.reload()
      await page.getByText(/^Data of .*Nordlicht/).waitFor()
      const stored = await page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.cookie')
      expect(stored).not.toContain('msk_')
      const other = await page.context().newPage()
      await other.goto(page.url())
      await other.getByLabel('API key').waitFor()
      await other.close()
      // Chromium logs every error response.
      expect(explorer.browser.messages.splice(0).filter(text => !/status of 40[13]/.test(text))).toEqual([])
    })
  })

  describe('the query view,', () => {
    test('is written in and left with the keyboard alone', async () => {
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

    test('has a form for variables: an asset by words of its name and city, a range, a country', async () => {
      await explorer.run('Impressions by day')
      await chooseAsset('BERLIN kurf', /^Kurfürstendamm.*Berlin, DE, Nordlicht/)
      await page.getByLabel('Range of from and to').selectOption('Last whole month')
      const variables = await sentVariables(() =>
        page.getByRole('button', { name: 'Run with these values' }).press('Enter'),
      )
      expect(variables).toMatchObject({ id: expect.any(String), from: expect.stringMatching(/-01$/) })
      expect(Date.parse(variables.to) - Date.parse(variables.from)).toBeGreaterThan(26 * 86_400_000)
      const { demo } = explorer
      const asset = await demo.service.read(`/v1/partner/assets/${variables.id}`, demo.keyOf('analyst'))
      expect(asset.city).toBe('Berlin')
      await explorer.run('Age by country')
      const country = page.getByRole('combobox', { name: 'country' })
      expect(await country.inputValue()).toBe('DE')
      await country.press('ArrowDown')
      expect(await page.getByRole('option').allTextContents()).toContain('GB 6 assets')
      await country.press('Escape')
    })

    test('has a link that opens as it was sent: query, variables and view', async () => {
      await explorer.run('Impressions by day')
      await explorer.view('Table')
      const cells = (of: Page) => of.locator('.table-view tbody td')
      const sent = await cells(page).allTextContents()
      const link = await readClipboard('Copy link')
      await page.waitForURL(link)
      const received = await explorer.browser.open(link)
      await explorer.enter(received, explorer.demo.keyOf('analyst'))
      await cells(received).first().waitFor()
      expect(await cells(received).allTextContents()).toEqual(sent)
      await received.context().close()
    })

    test.each([
      ['an unknown field', '{ nothing }', {}, 'GRAPHQL_VALIDATION_FAILED', 'Cannot query field'],
      ['a variable that is missing', SERIES, {}, 'BAD_USER_INPUT', '$from'],
      ['a costly query', SERIES, { ...RANGE, from: '2016-01-01' }, 'QUERY_TOO_COSTLY', 'the maximum is 200000'],
    ])('shows %s as an error with a link to its remedy, in every view', async (_, query, variables, code, message) => {
      await open(query, variables)
      const alert = page.locator('.errors[role="alert"]')
      for (const view of ['JSON', 'Table', 'Chart']) {
        await explorer.view(view)
        await alert.getByText(message).waitFor()
        expect(await alert.getByRole('link', { name: code }).first().getAttribute('href')).toBe(`/docs/errors#${code}`)
        expect(await page.getByText('The result is empty.').count()).toBe(0)
      }
      await page.getByText('There is no result because of the error above.').waitFor()
    })

    test('says of a result with errors that it is incomplete', async () => {
      await open(MINUTES, { from: RANGE.from, to: RANGE.from })
      const alert = page.locator('.errors[role="alert"]')
      await alert.getByText('The result is incomplete.').waitFor()
      await alert.getByRole('link', { name: 'GRAIN_NOT_AVAILABLE' }).first().waitFor()
      await page.locator('.table-view tbody tr').first().waitFor()
      await check('.result-pane')
    })

    test('runs queries again after a lost connection, and keeps the key', async () => {
      const alert = page.getByRole('alert')
      await page.context().setOffline(true)
      await page.locator('.ready-queries').getByText('Companies', { exact: true }).click()
      await alert.getByText('The service cannot be reached.').waitFor()
      await page.context().setOffline(false)
      await explorer.run('Companies')
      await page.locator('.errors').waitFor({ state: 'detached' })
      await page.route('**/graphql', route => route.abort())
      await page.reload()
      await alert.getByText('The service cannot be reached.').waitFor()
      await page.unroute('**/graphql')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText(/^Data of /).waitFor()
    })

    test('keeps a key whose rate is exhausted, and forgets one that was deactivated', async () => {
      const { make, owner } = explorer.demo.service
      const limited = await make.key([], { ...ANALYST, rate_requests: 1, rate_seconds: 3600 })
      await page.getByRole('button', { name: 'Change key' }).click()
      await explorer.enter(page, limited)
      await page.getByText(/^Data of /).waitFor()
      for (const _ of ['first', 'second']) {
        await page.reload()
        await page.getByRole('alert').getByText('Too many requests').waitFor()
      }
      await owner.query(`UPDATE api_keys SET deactivated_at = now() WHERE hash = sha256(convert_to($1, 'UTF8'))`, [
        limited,
      ])
      await page.reload()
      await page.getByRole('alert').getByText('The API key is not valid.').waitFor()
      await page.reload()
      expect(await page.getByLabel('API key').inputValue()).toBe('')
      await explorer.enter(page, explorer.demo.keyOf('analyst'))
      await page.getByText(/^Data of /).waitFor()
      explorer.browser.messages.splice(0)
    })
  })

  describe('a result,', () => {
    test('is a table that can be sorted with the keyboard, and a CSV file with the values beside the list', async () => {
      const { data } = (await explorer.run('Age and gender')) as {
        data: { demographics: { ageGender: { impressions: number }[] } }
      }
      await explorer.view('JSON')
      await page.getByRole('tab', { name: 'JSON', exact: true }).press('ArrowRight')
      const column = page.getByRole('columnheader', { name: 'impressions' })
      await column.getByRole('button').press('Enter')
      expect(await column.getAttribute('aria-sort')).toBe('descending')
      const cells = await page.locator('.table-view tbody td:nth-child(3)').allTextContents()
      const counts = data.demographics.ageGender.map(({ impressions }) => impressions)
      expect(cells.map(text => Number(text.replaceAll(',', '')))).toEqual(counts.sort((a, b) => b - a))
      await page.locator('.facts', { hasText: 'total' }).waitFor()
      const csv = await explorer.download('CSV')
      expect(csv.name).toBe('AgeAndGender.csv')
      expect(csv.text.split('\r\n')).toHaveLength(counts.length + 2)
      expect(csv.text).toMatch(/^\ufeffageBand,gender,impressions,share,total,suppressed\r\n/)
    })

    test('shows the names of assets beside their ids, and is copied as CSV without formulas', async () => {
      const { service, keyOf } = explorer.demo
      await service.owner.query(`UPDATE assets SET name = '=1+1' WHERE number = (SELECT min(asset) FROM installations)`)
      // The names are read when the page is loaded.
      await page.goto('about:blank')
      await open('{ sensors(limit: 500) { nodes { serial assetId } } }')
      await page.getByRole('columnheader', { name: 'assetName' }).waitFor()
      const { data } = await service.read('/v1/partner/assets?limit=500', keyOf('analyst'))
      const names = new Map(data.map(({ id, name }: { id: string; name: string }) => [id, name]))
      const [header, ...rows] = parseCsv(await readClipboard('Copy as CSV')) as string[][]
      expect(header).toEqual(['serial', 'assetId', 'assetName'])
      for (const [, id, name] of rows) expect(name).toBe(`${names.get(id) ?? ''}`.replace(/^=/, "'="))
      expect(rows.filter(row => row[2] === "'=1+1").length).toBeGreaterThan(0)
      expect(await page.locator('.table-view tbody td').allTextContents()).toContain('=1+1')
    })

    test('is a chart with its asset, time zone and coverage, on which notes and provisional days are marked', async () => {
      const { owner } = explorer.demo.service
      await owner.query(`
        INSERT INTO notes (id, asset, from_date, kind, text, is_internal)
          SELECT 'breakof' || number, number, measured_to - 2, 'break', 'A new model', true FROM assets JOIN asset_versions ON asset = number
          WHERE measured_to IS NOT NULL;
        INSERT INTO set_asides (sensor, from_time, to_time, reason, is_public)
          SELECT i.sensor, v.measured_to - 4, v.measured_to - 3, 'A bus parked before it', true
          FROM (SELECT asset, min(sensor) AS sensor FROM installations WHERE removed_at IS NULL GROUP BY asset) i
            JOIN asset_versions v USING (asset) WHERE measured_to IS NOT NULL;
        UPDATE companies c SET final_through = (SELECT max(measured_to) - 6 FROM asset_versions WHERE company = c.number)`)
      await explorer.run('Impressions by day')
      await explorer.view('Chart')
      for (const text of [
        /impressions · .+, .+ · .+ 20\d\d · Europe\/Berlin/,
        /^coverage \d/,
        /^┆ Break on 20..-..-..: A new model$/,
        /^▒ Unusable 20..-..-.. to 20..-..-..: A bus parked before it$/,
        /^│ Provisional from 20..-..-..: totals up to 20..-..-.. are final/,
      ])
        await caption().getByText(text).waitFor()
      for (const kind of ['break', 'provisional'])
        expect([kind, await page.locator(`.chart .note.${kind} line`).count()]).toEqual([kind, 1])
      expect(Number(await page.locator('.chart .note.unusable rect').getAttribute('width'))).toBeGreaterThan(20)
      await owner.query('DELETE FROM set_asides; DELETE FROM notes; UPDATE companies SET final_through = NULL')
    })

    test('marks a month that is not over', async () => {
      await explorer.run('The network by month and format')
      await page.getByText(/○ Not whole, and no part of the line: only/).waitFor()
      expect(await page.locator('.chart svg .partial circle').count()).toBeGreaterThan(0)
    })

    test('shows gaps as a matrix of assets and days', async () => {
      const { data } = (await explorer.run('Gaps')) as { data: { assets: { nodes: Series['data'][] } } }
      const gaps = data.assets.nodes.flatMap(({ impressions: { daily } }) =>
        daily.rows.filter(row => row.impressions === null),
      )
      await page.locator('.chart svg .missing').waitFor()
      expect(await page.locator('.chart svg .missing rect').count()).toBe(gaps.length)
    })

    test('leads from a day without counts to the reasons', async () => {
      const { data } = (await explorer.run('Impressions by day')) as unknown as Series
      const missing = data.impressions.daily.rows.filter(row => row.impressions === null).map(({ date }) => date)
      await explorer.view('Table')
      const button = page.getByRole('button', { name: 'No count: why?' }).first()
      expect(await sentVariables(() => button.press('Enter'))).toMatchObject({ from: missing[0], to: missing[0] })
      await page
        .getByRole('cell', { name: /^(no_sensor|not_delivered|unknown)$/ })
        .first()
        .waitFor()
    })

    test('keeps its name and picture when another asset is chosen, until that is run', async () => {
      await explorer.run('Impressions by day')
      await explorer.view('Chart')
      await caption().getByText('Europe/Berlin').waitFor()
      await chooseAsset('London')
      await notRun().waitFor()
      expect(await caption().textContent()).toContain('Europe/Berlin')
      await page.locator('.notice').getByRole('button', { name: 'Run', exact: true }).click()
      await caption().getByText('Europe/London').waitFor()
      await notRun().waitFor({ state: 'detached' })
    })

    test('is that of the last run, whichever response is the first', async () => {
      let release = () => {}
      const released = new Promise<void>(resolve => {
        release = resolve
      })
      await explorer.view('Table')
      await page.route('**/graphql', route => released.then(() => route.continue()), { times: 1 })
      await page.locator('.ready-queries').getByText('Companies', { exact: true }).click()
      await page.locator('#result-view').getByText('The query is running').waitFor()
      await explorer.run('Assets')
      await page.getByRole('status').getByText('67 rows').waitFor()
      release()
      await page.getByLabel('Filter rows').fill('no such asset')
      await page.getByRole('status').getByText('0 of 67 rows').waitFor()
    })

    test('is accessible as JSON, table and chart, light and dark', async () => {
      for (const [query, view, shown] of [
        ['Typical week', 'Chart', '.chart svg'],
        ['Busiest assets', 'Table', '.table-view tfoot'],
        ['Companies', 'JSON', '.json .view-line'],
      ] as const) {
        await explorer.run(query)
        await explorer.view(view)
        await page.locator(shown).first().waitFor()
        await setScheme('dark')
        await check('#result-view', 'color')
        await setScheme('light')
        await check('#result-view', 'other')
      }
    })
  })

  const EDITOR = '.graphiql-query-editor .monaco-editor'

  /** Changes the color scheme of the system, and waits until the editors have followed. */
  const setScheme = async (colorScheme: 'dark' | 'light') => {
    const theme = { dark: 'vs-dark', light: 'vs' }[colorScheme]
    await page.emulateMedia({ colorScheme })
    await page.locator(`${EDITOR}.${theme} .view-line`).first().waitFor({ state: 'attached' })
  }

  /** Returns the names of the visible controls; those outside of the window are marked. */
  const controls = () =>
    page.evaluate<string[]>(`
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
    await explorer.run('Impressions by day')
    await explorer.view('Table')
    await page.locator('.table-view tbody tr').first().waitFor()
    await check()
    await setScheme('dark')
    const found = new Map<number, Set<string>>()
    for (const width of [390, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      const names = new Set<string>()
      for (const pane of ['Queries', 'Query', 'Result']) {
        if (width < 900) await page.getByRole('tab', { name: pane, exact: true }).click()
        for (const name of await controls()) names.add(name)
        // The editors follow the width of the window a moment later.
        await page.waitForFunction('document.documentElement.scrollWidth <= innerWidth')
        if (width === 390) await check()
      }
      found.set(width, names)
    }
    const desktop = [...(found.get(1440) ?? [])].filter(name => !name.startsWith('Width of'))
    for (const names of found.values()) {
      expect([...names].filter(name => name.startsWith('outside'))).toEqual([])
      expect(desktop.filter(name => !names.has(name))).toEqual([])
    }
  })

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
    await page.goto(`${explorer.url}/docs/analysts#ReadImpressionsDaily`)
    await page.locator('header nav').getByRole('link', { name: 'Explorer' }).waitFor()
    const query = page.locator('#ReadImpressionsDaily ~ details').first()
    await query.getByText('GraphQL query').click()
    expect(await query.locator('code').textContent()).toMatch(/^query ReadImpressionsDaily\(/)
    await query.getByRole('link').click()
    await page.locator('.graphiql-query-editor').getByText('ReadImpressionsDaily').first().waitFor()
  })
})
