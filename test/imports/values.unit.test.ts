import { Hints } from '../../imports/csv/hints'
import { RowValues, type ValueOptions, valueOptionErrors } from '../../imports/csv/values'

const read = (column: string, text: string, options: ValueOptions = {}) => {
  const rows = new RowValues([column], options)
  const values = rows.readRow([text])
  return typeof values === 'string' ? values : values[0]
}

describe('a value', () => {
  test.each<[string, string, string, ValueOptions?]>([
    ['impressions', '12', '12'],
    ['impressions', ' 12\u00a0', '12'],
    ['impressions', '12.0', '12'],
    ['impressions', '1234.000', '1234'],
    ['impressions', '12.5', '12.5'],
    ['impressions', '12,0', '12', { decimal: ',' }],
    ['impressions', '1,000', '1', { decimal: ',' }],
    ['impressions', '1.000', '1', { decimal: '.' }],
    ['impressions', '1,234', '1234', { thousands: ',' }],
    ['impressions', '1,234,567.0', '1234567', { thousands: ',' }],
    ['impressions', '12', '12', { thousands: ',' }],
    ['impressions', '12,34', '12,34', { thousands: ',' }],
    ['impressions', '1,2345', '1,2345', { thousands: ',' }],
    ['impressions', '0,123', '0,123', { thousands: ',' }],
    ['impressions', '1.000', '1000', { thousands: '.' }],
    ['impressions', '1.234,0', '1234', { thousands: '.' }],
    ['impressions', "1'234", '1234', { thousands: "'" }],
    ['impressions', '1’234', '1234', { thousands: "'" }],
    ['impressions', '1\u202f234', '1234', { thousands: ' ' }],
    ['impressions', 'NA', '', { missing: ['NA', '-'] }],
    ['impressions', ' - ', '', { missing: ['NA', '-'] }],
    ['impressions', 'NA', 'NA'],
    // One or a thousand: the column refuses it.
    ['impressions', '1.000', '1.000'],
    ['latitude', '52,5069', '52.5069', { decimal: ',' }],
    ['latitude', '52,5069', '52,5069'],
    ['name', ' 1,234 ', '1,234', { thousands: ',', decimal: ',' }],
    ['date', '01.02.2026', '2026-02-01', { timeFormat: ['dd.MM.yyyy'] }],
    ['date', '01.02.2026 00:00', '2026-02-01', { timeFormat: ['dd.MM.yyyy HH:mm'] }],
    ['start', '01.02.2026', '2026-02-01', { timeFormat: ['dd.MM.yyyy'] }],
  ])('of %s, %j, is read as %j with %j', (column, text, value, options = {}) => {
    expect(read(column, text, options)).toBe(value)
  })

  test.each<[string, string, RegExp, ValueOptions?]>([
    ['latitude', '52.506', /^latitude is "52.506", but must be a number with the decimal comma$/, { decimal: ',' }],
    ['date', '01.02.2026 08:00', /^date is .* a date of the form dd/, { timeFormat: ['dd.MM.yyyy HH:mm'] }],
    ['start', '2026-02-01', /but must be of the form dd.MM.yyyy HH:mm/, { timeFormat: ['dd.MM.yyyy HH:mm'] }],
  ])('of %s, %j, is not guessed', (column, text, reason, options = {}) => {
    expect(read(column, text, options)).toMatch(reason)
  })

  const EXPECTED = '; expected: 2026-03-01T08:00:00+01:00 or 2026-03-01 08:00, or another form with --time-format'
  const NOTE = '; if this line is a sum or a note at the end of the file, give --footer-lines N'

  test.each<[string, string, string, ValueOptions?]>([
    ['start', '01/13/2026 12:00 AM', EXPECTED],
    ['start', 'Summe', `${EXPECTED}${NOTE}`],
    ['start', 'Summe', NOTE, { timeFormat: ['dd.MM.yyyy'] }],
    ['start', '2026-02-01 0800-0900', '; it looks like a range of times'],
    ['start', '2026-02-01', ''],
    ['date', '2026-02-30', ''],
    ['date', '01.02.2026', ''],
    ['impressions', '1,000', ''],
    ['name', '1,5', ''],
  ])('of %s, %j, is rejected with what is expected, and no more', (column, text, expected, options = {}) => {
    expect(new Hints([column], options, new RowValues([column], options)).reject(`${column} is wrong`, [text])).toBe(
      `${column} is wrong${expected}`,
    )
  })
})

test('options of values are checked', () => {
  expect(valueOptionErrors({ timeFormat: ['dd.MM.yyyy'], thousands: '.', decimal: ',' })).toEqual([])
  expect(valueOptionErrors({ timeFormat: ['yyyy'] }, ['installed_at'])).toEqual([])
  expect(valueOptionErrors({ timeFormat: ['yyyy'] }, ['start'])).toEqual([expect.stringContaining('has no month')])
  expect(valueOptionErrors({ timeFormat: ['YYYY'], thousands: ',', decimal: ',' })).toEqual([
    expect.stringMatching(/^--time-format "YYYY" has tokens of another tool/),
    '--thousands and --decimal are the same character',
  ])
})
