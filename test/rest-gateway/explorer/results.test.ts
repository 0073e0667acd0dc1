/** Queries and their results in the built explorer, in Chromium, on the demo data. */
import { parse as parseCsv } from 'csv-parse/sync'
import { recordDiagnosis } from '../../../db/doctor/record'
import { READY_QUERIES } from '../../../web/explorer/queries/ready-queries'
import { describeInChromium } from '../../support/chromium'
import { Explorer } from '../../support/explorer'

/** One ready query for each kind of result: a list, a series, a matrix, groups with their total, and assets with figures. */
const AS_JSON = ['Assets', 'Impressions by day', 'Typical week', 'Age and gender', 'Busiest assets']

describeInChromium('results in the explorer,', () => {
  let explorer: Explorer

  beforeAll(async () => {
    explorer = await Explorer.start()
    const { owner } = explorer.demo.service
    const { rows } = await owner.query(
      `SELECT s.serial AS sensor, a.id AS asset_id, 'stuck' AS fault, '2026-01-01' AS "from", '2026-01-02' AS "to",
         'the same count 12 times' AS evidence, 'partner-metrics set-aside' AS remedy
       FROM sensors s JOIN assets a ON a.number = s.asset LIMIT 2`,
    )
    await recordDiagnosis(owner, { rows, not_judged: [], judged: 60 })
    await explorer.enter(explorer.page, explorer.demo.keyOf('analyst'))
  }, 120_000)
  afterAll(() => explorer?.stop())

  test.each(READY_QUERIES.map(({ title }) => [title]))('“%s” runs, as a table and as a chart', async title => {
    const { data, errors } = await explorer.run(title)
    expect(errors).toBeUndefined()
    expect(data).toBeDefined()
    await explorer.view('Table')
    await explorer.page.locator('.table-view tbody tr').first().waitFor()
    await explorer.view('Chart')
    await explorer.page.locator('.chart svg, .empty').first().waitFor()
    if (AS_JSON.includes(title)) {
      await explorer.view('JSON')
      await explorer.page.locator('.result-window').waitFor()
    }
  })

  test('the notes on an asset, and where final days end, are marks on its chart by day', async () => {
    const { demo, page } = explorer
    await demo.service.owner.query(`
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
    const caption = page.locator('.chart-view figcaption')
    await caption.getByText(/^┆ Break on 20..-..-..: A new model$/).waitFor()
    await caption.getByText(/^▒ Unusable 20..-..-.. to 20..-..-..: A bus parked before it$/).waitFor()
    await caption.getByText(/^│ Provisional from 20..-..-..: totals up to 20..-..-.. are final/).waitFor()
    for (const kind of ['break', 'provisional']) {
      expect([kind, await page.locator(`.chart .note.${kind} line`).count()]).toEqual([kind, 1])
    }
    const width = await page.locator('.chart .note.unusable rect').getAttribute('width')
    expect(Number(width)).toBeGreaterThan(20)
    await demo.service.owner.query(
      'DELETE FROM set_asides; DELETE FROM notes; UPDATE companies SET final_through = NULL',
    )
  })

  test('a table can be sorted with the keyboard', async () => {
    await explorer.run('Impressions by day')
    await explorer.view('JSON')
    await explorer.page.getByRole('tab', { name: 'JSON', exact: true }).press('ArrowRight')
    const column = explorer.page.getByRole('columnheader', { name: 'impressions' })
    await column.waitFor()
    const cells = async () => {
      const texts = await explorer.page.locator('.table-view tbody td:nth-child(2)').allTextContents()
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
    await explorer.run('Impressions by day')
    await explorer.view('Chart')
    const caption = explorer.page.locator('.chart-view figcaption')
    await caption.getByText(/impressions · .+, .+ · .+ 20\d\d · Europe\/Berlin/).waitFor()
    await caption.getByText(/^coverage \d/).waitFor()
    expect(await explorer.page.locator('.chart svg circle').count()).toBeGreaterThan(6)
    const svg = await explorer.download('SVG', '.chart-bar')
    expect(svg.name).toBe('ImpressionsByDay.svg')
    expect(svg.text).toMatch(/^<svg [\s\S]*Europe\/Berlin[\s\S]*<path/)
    const png = await explorer.download('PNG', '.chart-bar')
    expect([png.name, png.bytes.subarray(1, 4).toString()]).toEqual(['ImpressionsByDay.png', 'PNG'])
  })

  test('a month that is not over is marked and no part of the line', async () => {
    await explorer.run('The network by month and format')
    await explorer.page.getByText(/○ Not whole, and no part of the line: only/).waitFor()
    expect(await explorer.page.locator('.chart svg .partial circle').count()).toBeGreaterThan(0)
  })

  test('gaps are a matrix of assets and days, the asset with most gaps first', async () => {
    const { data } = (await explorer.run('Gaps')) as {
      data: {
        assets: { nodes: { name: string; impressions: { daily: { rows: { impressions: number | null }[] } } }[] }
      }
    }
    const gaps = data.assets.nodes.flatMap(({ impressions: { daily } }) =>
      daily.rows.filter(row => row.impressions === null),
    )
    await explorer.page.locator('.chart svg .missing').waitFor()
    expect(await explorer.page.locator('.chart svg .missing rect').count()).toBe(gaps.length)
    await explorer.view('JSON')
  })

  test('a day without counts leads to the reasons, from the table and from the chart', async () => {
    const ask = async (name: string) => {
      const sent = explorer.page.waitForRequest(request => request.url().endsWith('/graphql'))
      await explorer.page.getByRole('button', { name }).first().press('Enter')
      const { query, variables } = (await sent).postDataJSON()
      expect(query).toContain('gaps {')
      await explorer.page
        .getByRole('cell', { name: /^(no_sensor|not_delivered|unknown)$/ })
        .first()
        .waitFor()
      return variables
    }
    const { data } = (await explorer.run('Impressions by day')) as {
      data: { impressions: { daily: { rows: { date: string; impressions: number | null }[] } } }
    }
    const missing = data.impressions.daily.rows.filter(row => row.impressions === null).map(({ date }) => date)
    await explorer.view('Table')
    expect(await ask('No count: why?')).toMatchObject({ from: missing[0], to: missing[0] })
    await explorer.run('Impressions by day')
    await explorer.view('Chart')
    await explorer.page.getByText(`${missing.length} without counts`).waitFor()
    const sent = explorer.page.waitForRequest(request => request.url().endsWith('/graphql'))
    await explorer.page.getByRole('button', { name: 'Why?' }).press('Enter')
    expect((await sent).postDataJSON().variables).toMatchObject({ from: missing[0], to: missing.at(-1) })
  })

  test('assets chosen on the map, with the keyboard or as a rectangle, become a query', async () => {
    await explorer.run('Busiest assets')
    await explorer.view('Map')
    const circles = explorer.page.locator('.map svg circle')
    await explorer.page.getByText('10 assets of the result').waitFor()
    await circles.nth(9).waitFor()
    expect(await circles.count()).toBe(10)
    const sizes = await explorer.page.evaluate<number>(
      "new Set([...document.querySelectorAll('.map svg circle')].map(circle => circle.getAttribute('r'))).size",
    )
    expect(sizes).toBeGreaterThan(5)
    await explorer.page.getByRole('combobox', { name: 'Choose assets' }).fill('times square north')
    await explorer.page.keyboard.press('Enter')
    await explorer.page.getByRole('status').getByText('1 chosen').waitFor()
    const { x, y, width, height } = (await explorer.page.locator('.map').boundingBox()) as Record<
      'x' | 'y' | 'width' | 'height',
      number
    >
    await explorer.page.mouse.move(x + 2, y + 2)
    await explorer.page.mouse.down()
    await explorer.page.mouse.move(x + width - 2, y + height - 2, { steps: 3 })
    await explorer.page.mouse.up()
    await explorer.page.getByRole('status').getByText('10 chosen').waitFor()
    const sent = explorer.page.waitForRequest(request => request.url().endsWith('/graphql'))
    await explorer.page.getByRole('button', { name: 'Query them' }).press('Enter')
    const { query, variables } = (await sent).postDataJSON()
    expect(query).toContain('filter: { id: $ids }')
    expect(variables.ids).toHaveLength(10)
    await circles.nth(9).waitFor()
    await explorer.view('JSON')
  })

  test('variables are chosen in a form: an asset by words of its name and city, and a range of days', async () => {
    await explorer.run('Impressions by day')
    await explorer.page.getByRole('combobox', { name: 'id' }).fill('BERLIN kurf')
    await explorer.page.getByRole('option', { name: /^Kurfürstendamm.*Berlin, DE, Nordlicht/ }).waitFor()
    await explorer.page.keyboard.press('Enter')
    await explorer.page.getByLabel('Range of from and to').selectOption('Last whole month')
    const sent = explorer.page.waitForRequest(request => request.url().endsWith('/graphql'))
    await explorer.page.getByRole('button', { name: 'Run with these values' }).press('Enter')
    const { variables } = (await sent).postDataJSON()
    expect(variables).toMatchObject({ id: expect.any(String), from: expect.stringMatching(/-01$/) })
    expect(Date.parse(variables.to) - Date.parse(variables.from)).toBeGreaterThan(26 * 86_400_000)
    const asset = await fetch(`${explorer.url}/v1/partner/assets/${variables.id}`, {
      headers: { 'X-API-Key': explorer.demo.keyOf('analyst') },
    })
    expect(await asset.json()).toMatchObject({ city: 'Berlin' })
    await explorer.run('Age by country')
    const country = explorer.page.getByRole('combobox', { name: 'country' })
    expect(await country.inputValue()).toBe('DE')
    await country.press('ArrowDown')
    expect(await explorer.page.getByRole('option').allTextContents()).toContain('GB 6 assets')
    await country.press('Escape')
  })

  test('the result can be downloaded as CSV, Excel, NDJSON and JSON, with the values beside the list', async () => {
    const { data } = (await explorer.run('Age and gender')) as {
      data: { demographics: { total: number; ageGender: object[] } }
    }
    await explorer.view('Table')
    await explorer.page.locator('.facts', { hasText: 'total' }).waitFor()
    const csv = await explorer.download('CSV')
    expect(csv.name).toBe('AgeAndGender.csv')
    expect(csv.text.split('\r\n')).toHaveLength(data.demographics.ageGender.length + 2)
    expect(csv.text).toMatch(/^\ufeffageBand,gender,impressions,share,total,suppressed\r\n12-17,male,\d+,/)
    await explorer.page.locator('.downloads summary').click()
    await explorer.page.getByLabel('CSV separator').selectOption(';')
    await explorer.page.keyboard.press('Escape')
    expect((await explorer.download('CSV')).text).toMatch(/\r\n12-17;male;\d+;0,\d+;/)
    const ndjson = (await explorer.download('NDJSON')).text.trimEnd().split('\n')
    expect(ndjson.map(line => JSON.parse(line))).toEqual(
      data.demographics.ageGender.map(row => ({ ...row, total: data.demographics.total, suppressed: false })),
    )
    const workbook = await explorer.download('Excel')
    expect([workbook.name, workbook.bytes.subarray(0, 2).toString()]).toEqual(['AgeAndGender.xlsx', 'PK'])
    const json = await explorer.download('JSON')
    expect(json.name).toBe('AgeAndGender.json')
    expect(JSON.parse(json.text).data).toEqual(data)
  })

  /** Presses "Copy as CSV", and returns what the page says and the clipboard has. */
  async function copyCsv(): Promise<[message: string, rows: string[][]]> {
    const { page } = explorer
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as CSV' }).press('Enter')
    const message = await page.getByRole('status').getByText('copied as CSV').textContent()
    return [
      message ?? '',
      parseCsv(await page.evaluate<string>('navigator.clipboard.readText()'), { delimiter: [',', ';'] }),
    ]
  }

  const openQuery = (query: string, view: string) =>
    explorer.page.goto(`${explorer.url}/explorer#query=${encodeURIComponent(query)}&view=${view}`)

  test('a table shows the names of assets beside their ids, and is copied as CSV without formulas', async () => {
    const { demo, page } = explorer
    await demo.service.owner.query(
      `UPDATE assets SET name = '=1+1' WHERE number = (SELECT min(asset) FROM installations)`,
    )
    await openQuery('{ sensors(limit: 500) { nodes { serial assetId } } }', 'table')
    await page.reload()
    await page.getByRole('columnheader', { name: 'assetName' }).waitFor()
    const { data } = (await demo.service.read('/v1/partner/assets?limit=500', demo.keyOf('analyst'))) as {
      data: { id: string; name: string }[]
    }
    const names = new Map(data.map(({ id, name }) => [id, name]))
    const cells = await page.locator('.table-view tbody td').allTextContents()
    for (let i = 0; i < cells.length; i += 3)
      expect([cells[i], cells[i + 2]]).toEqual([cells[i], names.get(cells[i + 1]!) ?? '–'])
    const [message, [header, ...rows]] = await copyCsv()
    expect([message, header]).toEqual([`${rows.length} rows copied as CSV`, ['serial', 'assetId', 'assetName']])
    expect(rows.flat().map(text => text.replace(/^'=1/, '=1'))).toEqual(cells.map(text => (text === '–' ? '' : text)))
    expect(rows.flat().filter(text => text.startsWith('='))).toEqual([])
    expect(rows.filter(row => row[2] === "'=1+1").length).toBeGreaterThan(0)
  })

  test('a matrix names assets of which the query has the ids, and is copied as CSV with a column for each day', async () => {
    const { demo, page } = explorer
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    const [from, to] = [day(3), day(2)]
    await openQuery(
      `{ assets(limit: 40) { nodes { id impressions(fromDate: "${from}", toDate: "${to}") { daily { rows { date impressions } } } } } }`,
      'chart',
    )
    const { data } = (await demo.service.read(
      `/v1/partner/impressions?limit=40&from_date=${from}&to_date=${to}`,
      demo.keyOf('analyst'),
    )) as { data: { asset_id: string; data: { impressions: number | null }[] }[] }
    const [message, [header, ...rows]] = await copyCsv()
    expect([message, header]).toEqual(['40 rows copied as CSV', ['assets.name', 'assets.id', from, to]])
    const counts = new Map(data.map(entry => [entry.asset_id, entry.data.map(row => String(row.impressions ?? ''))]))
    expect(new Map(rows.map(([, id = '', ...values]) => [id, values]))).toEqual(counts)
    for (const [name = '', id] of rows)
      expect(await page.locator('.chart svg').textContent()).toContain(`${name.replace(/^'/, '')} · ${id}`.slice(0, 33))
    await explorer.view('Table')
  })

  test('the change of the total stands above the busiest assets, and the total below them', async () => {
    const { data } = (await explorer.run('Busiest assets')) as {
      data: { assets: { impressions: { compare: { change: number }; top: { impressions: number }[] } } }
    }
    const { compare, top } = data.assets.impressions
    const fact = explorer.page.locator('.facts div', { hasText: /^compare\.change(?!Rate)/ })
    expect(await fact.locator('dd').textContent()).toBe(compare.change.toLocaleString('en'))
    const sum = top.reduce((total, { impressions }) => total + impressions, 0).toLocaleString('en')
    await explorer.page.locator('tfoot').getByText(sum, { exact: true }).waitFor()
    await explorer.page.getByLabel('Filter rows').fill('no such asset')
    await explorer.page.getByRole('status').getByText('0 of 10 rows').waitFor()
    await explorer.page.getByLabel('Filter rows').fill('')
  })

  test('a list of which the result has one page can be loaded as a whole', async () => {
    const query = '{ assets(limit: 20) { nodes { id name } hasMore count } }'
    await explorer.page.goto(`${explorer.url}/explorer#query=${encodeURIComponent(query)}&view=table`)
    await explorer.page.getByRole('button', { name: 'Load all pages' }).click()
    await explorer.page.getByRole('status').getByText('67 rows').waitFor()
    await explorer.page.getByRole('button', { name: 'Load all pages' }).waitFor({ state: 'hidden' })
  })

  test('the REST call that is shown returns the same data', async () => {
    const { data } = (await explorer.run('Impressions by day')) as {
      data: { impressions: { daily: { total: number } } }
    }
    const shown = await explorer.page.locator('.rest-call code', { hasText: '/daily' }).textContent()
    expect(shown).toMatch(/^GET \/v1\/partner\/assets\/\w+\/impressions\/daily\?from_date=[\d-]+&to_date=[\d-]+$/)
    const response = await fetch(`${explorer.url}${shown?.slice(4)}`, {
      headers: { 'X-API-Key': explorer.demo.keyOf('analyst') },
    })
    expect(await response.json()).toMatchObject({ total: data.impressions.daily.total })
  })

  test('nothing is written to the console, and no other server is contacted', () => {
    expect(explorer.browser.messages).toEqual([])
    expect(
      [...explorer.browser.requestedOrigins].filter(origin => origin !== explorer.url && origin !== 'null'),
    ).toEqual([])
  })
})
