import { withHint } from '../../../db/import/csv/hints'
import { RowValues, type ValueOptions, valueOptionErrors } from '../../../db/import/csv/values'

const read = (column: string, text: string, options: ValueOptions = {}) => {
  const rows = new RowValues([column], options)
  const values = rows.read([text])
  return rows.reason ?? values?.[0]
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
    ['impressions', '1.000', '1000', { thousands: '.' }],
    ['impressions', '1.234,0', '1234', { thousands: '.' }],
    ['impressions', "1'234", '1234', { thousands: "'" }],
    ['impressions', '1’234', '1234', { thousands: "'" }],
    ['impressions', '1\u202f234', '1234', { thousands: ' ' }],
    ['impressions', 'NA', '', { missing: ['NA', '-'] }],
    ['impressions', ' - ', '', { missing: ['NA', '-'] }],
    ['impressions', 'NA', 'NA'],
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
    ['impressions', '1.000', /^impressions is "1.000", but must be a whole number$/],
    ['latitude', '52.506', /^latitude is "52.506", but must be a number with the decimal comma$/, { decimal: ',' }],
    ['date', '01.02.2026 08:00', /^date is .* a date of the form dd/, { timeFormat: ['dd.MM.yyyy HH:mm'] }],
    ['start', '2026-02-01', /but must be of the form dd.MM.yyyy HH:mm/, { timeFormat: ['dd.MM.yyyy HH:mm'] }],
  ])('of %s, %j, is not guessed', (column, text, reason, options = {}) => {
    expect(read(column, text, options)).toMatch(reason)
  })

  test.each<[string, string, string | RegExp, ValueOptions?]>([
    ['start', '01/13/2026 12:00 AM', "; give --time-format 'MM/dd/yyyy hh:mm a'"],
    ['start', '13/01/2026 00:00', "; give --time-format 'dd/MM/yyyy HH:mm'"],
    [
      'start',
      '01/02/2026 12:00 AM',
      "; give --time-format 'MM/dd/yyyy hh:mm a' if the month comes first, 'dd/MM/yyyy hh:mm a' if the day does",
    ],
    [
      'start',
      '1/2/2026 1:00',
      "; give --time-format 'M/d/yyyy H:mm' if the month comes first, 'd/M/yyyy H:mm' if the day does",
    ],
    ['start', '01.02.2026 00:15', "; give --time-format 'dd.MM.yyyy HH:mm'"],
    ['start', 'November 01, 2019 05:00:00 PM', "; give --time-format 'MMMM d, yyyy hh:mm:ss a'"],
    ['start', '2026-02-01 5', "; give --time-format 'yyyy-MM-dd H'"],
    ['start', '2026-02-01 00:15', "; give --time-format 'yyyy-MM-dd HH:mm' as well", { timeFormat: ['dd.MM.yyyy'] }],
    ['start', 'soon', /; expected: 2026-03-01T08:00:00\+01:00 or 2026-03-01 08:00, or the form that --time-format/],
    ['start', '2015-03-25-00-00-00', "; give --time-format 'yyyy-MM-dd-HH-mm-ss'"],
    ['start', '1. 01. 2015 00:00', "; give --time-format 'd. MM. yyyy HH:mm'"],
    ['start', '01.02.2026, 03:04 Uhr', `; give --time-format "dd.MM.yyyy, HH:mm 'Uhr'"`],
    // It would be read as local time of the asset, wherever that is.
    ['start', '2026-02-01 03:04 Europe/Berlin', /; expected: 2026-03-01T08:00:00/],
    ['start', '202403050706', "; give --time-format 'yyyyMMddHHmm'"],
    ['start', 'Summe', /; if this line is a sum or a note at the end of the file, give --footer-lines N$/],
    ['start', 'Summe', /--footer-lines N$/, { timeFormat: ['dd.MM.yyyy'] }],
    ['start', '2026-02-01', ''],
    ['date', '2026-02-30', ''],
    ['date', '01.02.2026', "; give --time-format 'dd.MM.yyyy'"],
    ['latitude', '52,5069', '; if its comma is a decimal comma, give --decimal ,'],
    [
      'impressions',
      '1,000',
      '; if these are groups of three digits, give --thousands ","; if these are decimals, --decimal ,',
    ],
    ['impressions', '1,234', '; if these are groups of three digits, give --thousands ","'],
    ['impressions', '1’234', '; if these are groups of three digits, give --thousands "\'"'],
    ['impressions', '1,23', ''],
    ['impressions', '12,0', '; if its comma is a decimal comma, give --decimal ,'],
    ['impressions', '1 234 567', '; if these are groups of three digits, give --thousands " "'],
    ['impressions', 'n/a', '; if n/a stands for no value, give --missing n/a'],
    ['impressions', '-1', ''],
    ['name', '1,5', ''],
  ])('of %s, %j, is rejected with a hint on the option that would read it', (column, text, hint, options = {}) => {
    const reason = withHint(`${column} is wrong`, [column], [text], options)
    if (typeof hint === 'string') expect(reason).toBe(`${column} is wrong${hint}`)
    else expect(reason).toMatch(hint)
  })

  test('has no hint on another column than the one that the reason names', () => {
    const values = ['01.02.2026', '1.5']
    expect(withHint('impressions is wrong', ['start', 'impressions'], values, {})).toBe('impressions is wrong')
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
