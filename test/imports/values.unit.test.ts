import { describeUnread, RowValues, type ValueOptions, valueOptionErrors } from '../../imports/csv/values'

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

  const NO_ROW = '; if this line is no row, --comment leaves out'
  const RANGE = '; it looks like a range of times: --time-format range'
  const NUMBERS = ' (--thousands, --decimal and --missing say how numbers are written)'

  test.each<[string, string, string]>([
    ['start', '01/13/2026 12:00 AM', ' (--time-format says how times are written)'],
    ['start', 'Summe', NO_ROW],
    ['start', '# battery 12', NO_ROW],
    ['start', '2026-02-01 0800-0900', RANGE],
    ['date', '30.02.2026', ' (--time-format'],
    ['date', '2026-02-30', ''],
    ['date', 'Total', NO_ROW],
    ['impressions', '1,000', NUMBERS],
    ['impressions', 'NA', NUMBERS],
    ['impressions', '99999999999', ''],
    ['latitude', '52,5', NUMBERS],
    ['name', '1,5', ''],
  ])('of %s, %j, is rejected with the option that says more', (column, text, expected) => {
    expect(describeUnread(column, text).slice(0, expected.length || undefined)).toBe(expected)
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
