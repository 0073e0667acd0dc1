/** Errors in the explorer, in Chromium: above every view, with a link to their remedy, and without loss of the key. */
import type { Page } from 'playwright-core'
import { findViolations } from '../../support/accessibility'
import { describeInChromium } from '../../support/chromium'
import { Explorer } from '../../support/explorer'

const RANGE = { from: '2026-01-01', to: '2026-01-31' }

const SERIES = `query Series($from: Date!, $to: Date!) {
  assets(limit: 500) { nodes { name impressions(fromDate: $from, toDate: $to) { daily { rows { date } } } } } }`

const MINUTES = `query Minutes($from: Date!, $to: Date!) {
  assets(limit: 60) { nodes { id name impressions(fromDate: $from, toDate: $to) { timeseries(grain: minute) { total } } } } }`

describeInChromium('errors in the explorer,', () => {
  let explorer: Explorer
  let page: Page

  beforeAll(async () => {
    explorer = await Explorer.start()
    page = explorer.page
    await explorer.enter(page, explorer.demo.keyOf('analyst'))
    await page.getByText(/^Data of /).waitFor()
  }, 120_000)
  afterAll(() => explorer?.stop())

  const open = (query: string, variables: object = RANGE) =>
    page.goto(
      `${explorer.url}/explorer#${new URLSearchParams({ query, variables: JSON.stringify(variables), view: 'table' })}`,
    )

  /** Checks that each view shows an error with the code, and none says that the result is empty. */
  const expectError = async (message: string, code?: string) => {
    for (const view of ['JSON', 'Table', 'Chart', 'Map']) {
      await explorer.view(view)
      await page.locator('.errors[role="alert"]').getByText(message).waitFor()
      if (code) {
        const link = page.getByRole('alert').getByRole('link', { name: code }).first()
        expect(await link.getAttribute('href')).toBe(`/docs/errors#${code}`)
      }
      expect(await page.getByText('The result is empty.').count()).toBe(0)
    }
  }

  const KEY = '$from: Date!, $to: Date!'
  test.each([
    ['an unknown field', `query Unknown { nothing }`, {}, 'GRAPHQL_VALIDATION_FAILED', 'Cannot query field'],
    ['a bracket that is missing', `query Open { meta { version }`, {}, 'GRAPHQL_PARSE_FAILED', 'Syntax Error'],
    ['a variable that is missing', SERIES, {}, 'BAD_USER_INPUT', '$from'],
    [
      'a range that ends before it begins',
      `query Range(${KEY}) { assets { impressions(fromDate: $from, toDate: $to) { total } } }`,
      { from: RANGE.to, to: RANGE.from },
      'INVALID_DATE_RANGE',
      'must not be after',
    ],
    ['a costly query', SERIES, { from: '2016-01-01', to: '2025-12-31' }, 'QUERY_TOO_COSTLY', 'lower limit to'],
  ])('%s is an error in every view', async (_, query, variables, code, message) => {
    await open(query, variables)
    await expectError(message, code)
    await page.getByText('There is no result because of the error above.').waitFor()
  })

  test('a result with errors says that it is incomplete', async () => {
    await open(MINUTES, { from: RANGE.from, to: RANGE.from })
    await expectError('The result is incomplete.', 'GRAIN_NOT_AVAILABLE')
    await explorer.view('Table')
    await page.locator('.table-view tbody tr').first().waitFor()
    await page
      .getByRole('alert')
      .getByText(/and \d+ more fields/)
      .first()
      .waitFor()
    for (const [colorScheme, width] of [
      ['dark', 390],
      ['light', 1280],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      expect(await findViolations(page, { within: '.result-pane' })).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    }
  })

  test('variables that are not JSON are an error in every view', async () => {
    await explorer.run('Companies')
    await page.getByRole('tab', { name: 'As JSON' }).click()
    await page.locator('.variable-editor .view-lines').click()
    await page.keyboard.insertText('x')
    await page.locator('.notice').getByRole('button', { name: 'Run', exact: true }).click()
    await expectError('Request not sent. Variables')
    await page.getByRole('tab', { name: 'Form', exact: true }).click()
  })

  test('a lost connection is an error in every view, and the query runs when it is back', async () => {
    await page.context().setOffline(true)
    await page.locator('.ready-queries').getByText('Companies', { exact: true }).click()
    await expectError('The service cannot be reached.')
    await page.context().setOffline(false)
    await explorer.run('Companies')
    await page.locator('.errors').waitFor({ state: 'detached' })
  })

  test('a key that has been deactivated is an error in every view', async () => {
    const key = await explorer.demo.service.make.key([], { all_companies: true, scopes: ['internal:graphql:read'] })
    const keys = page
    await keys.getByRole('button', { name: 'Change key' }).click()
    await explorer.enter(keys, key)
    await keys.getByText(/^Data of /).waitFor()
    await explorer.run('Companies')
    await explorer.demo.service.owner.query(
      `UPDATE api_keys SET deactivated_at = now() WHERE hash = sha256(convert_to($1, 'UTF8'))`,
      [key],
    )
    await page.locator('.ready-queries').getByText('Companies', { exact: true }).click()
    await expectError('The API key is not valid.', 'INVALID_API_KEY')
    await page.reload()
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor()
    await page.reload()
    expect(await page.getByLabel('API key').inputValue()).toBe('')
  })

  test('a service that cannot be reached does not cost the key, which opens the page when it can', async () => {
    const opened = await explorer.open()
    await explorer.enter(opened, explorer.demo.keyOf('analyst'))
    await opened.getByText(/^Data of /).waitFor()
    await opened.route('**/graphql', route => route.abort())
    await opened.reload()
    await opened.getByRole('alert').getByText('The service cannot be reached.').waitFor()
    await opened.unroute('**/graphql')
    await opened.getByRole('button', { name: 'Open' }).click()
    await opened.getByText(/^Data of /).waitFor()
    await opened.context().close()
  })

  test('an exhausted rate does not cost the key', async () => {
    const key = await explorer.demo.service.make.key([], {
      ...{ all_companies: true, scopes: ['internal:graphql:read'] },
      ...{ rate_requests: 1, rate_seconds: 3600 },
    })
    const opened = await explorer.open()
    await explorer.enter(opened, key)
    await opened.getByText(/^Data of /).waitFor()
    await opened.getByRole('tab', { name: 'Map' }).click()
    await opened.getByRole('alert').getByText('The schema could not be read.').waitFor()
    await opened.getByRole('alert').getByRole('link', { name: 'RATE_LIMITED' }).first().waitFor()
    await opened.reload()
    await opened.getByRole('alert').getByText('Too many requests').waitFor()
    await opened.reload()
    await opened.getByRole('alert').getByText('Too many requests').waitFor()
    await opened.context().close()
  })
})
