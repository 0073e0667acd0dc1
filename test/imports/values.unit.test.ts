/** Values of files in the notations that options name: numbers, times, and timestamps without any option. */
import { compileTimeFormats } from '../../imports/csv/times/time-format'
import { describeUnread, RowValues, type ValueOptions, valueOptionErrors } from '../../imports/csv/values'
import { guardFormula } from '../../schema/spreadsheet-cells'

const read = (column: string, text: string, options: ValueOptions = {}) => {
  const values = new RowValues([column], options).readRow([text])
  return typeof values === 'string' ? values : values[0]
}

test.each<[column: string, text: string, value: string, options?: ValueOptions]>([
  ['impressions', ' 12\u00a0', '12'],
  ['impressions', '1234.000', '1234'],
  ['impressions', '12.5', '12.5'],
  ['impressions', '12,0', '12', { decimal: ',' }],
  ['impressions', '1,000', '1', { decimal: ',' }],
  ['impressions', '1.000', '1', { decimal: '.' }],
  ['impressions', '12,34', '12,34', { thousands: ',' }],
  ['impressions', '0,123', '0,123', { thousands: ',' }],
  ['impressions', "1'234", '1234', { thousands: "'" }],
  ['impressions', '1\u202f234', '1234', { thousands: ' ' }],
  ['impressions', ' - ', '', { missing: ['NA', '-'] }],
  // One or a thousand: the column refuses it.
  ['impressions', '1.000', '1.000'],
  ['latitude', '52,5069', '52.5069', { decimal: ',' }],
  ['name', ' 1,234 ', '1,234', { thousands: ',', decimal: ',' }],
  ['date', '01.02.2026 00:00', '2026-02-01', { timeFormat: ['dd.MM.yyyy HH:mm'] }],
  ['start', '01.02.2026', '2026-02-01', { timeFormat: ['dd.MM.yyyy'] }],
])('of %s, %j is read as %j with %j', (column, text, value, options = {}) => {
  expect(read(column, text, options)).toBe(value)
})

test('values that an option leaves ambiguous are not guessed, and options that contradict one another are refused', () => {
  expect(read('latitude', '52.506', { decimal: ',' })).toMatch(/^latitude is "52.506".*with the decimal comma$/)
  const timeFormat = ['dd.MM.yyyy HH:mm']
  expect(read('date', '01.02.2026 08:00', { timeFormat })).toMatch(/^date is .* a date of the form dd/)
  expect(read('start', '2026-02-01', { timeFormat })).toMatch(/of the form dd.MM.yyyy HH:mm/)
  expect(valueOptionErrors({ timeFormat, thousands: '.', decimal: ',' })).toEqual([])
  expect(valueOptionErrors({ timeFormat: ['yyyy'] }, ['installed_at'])).toEqual([])
  expect(valueOptionErrors({ timeFormat: ['yyyy'] }, ['start'])).toEqual([expect.stringContaining('--time-format')])
  expect(valueOptionErrors({ timeFormat: ['YYYY'], thousands: ',', decimal: ',' })).toEqual([
    expect.stringMatching(/^--time-format "YYYY"/),
    expect.stringMatching(/^--thousands and --decimal/),
  ])
})

test.each<[column: string, text: string, option: string | undefined]>([
  ['start', '01/13/2026 12:00 AM', '--time-format'],
  ['start', 'Summe', '--comment'],
  ['start', '2026-02-01 0800-0900', '--time-format range'],
  ['date', '30.02.2026', '--time-format'],
  ['date', '2026-02-30', undefined],
  ['date', 'Total', '--comment'],
  ['impressions', '1,000', '--thousands'],
  ['impressions', '99999999999', undefined],
  ['latitude', '52,5', '--thousands'],
  ['name', '1,5', undefined],
])('of %s, %j is rejected with the option %s', (column, text, option) => {
  expect(/--[a-z-]+( range)?/.exec(describeUnread(column, text))?.[0]).toBe(option)
})

/** Times that a format reads, or does not read, beside those in the tables of files. */
test.each<[format: string, text: string, time: string | undefined, language?: string]>([
  ['H:mm XXX, EEE dd.MM.yyyy', '24:00 +01:00, Wed 28.02.2024', '2024-02-28T24:00:00+01:00'],
  ['h a, M/d/yyyy', '12 AM, 3/5/2024', '2024-03-05T00:00:00'],
  ["HHmmss yyyy'W'MM-dd", '070605 2024W03-05', '2024-03-05T07:06:05'],
  ['EEE, dd MMM yy H:m:s', 'Tue, 05 Mar 24 7:6:5', '2024-03-05T07:06:05'],
  ['yyyyDDD hh:mm:ss a', '2024065 07:06:05 PM', '2024-03-05T19:06:05'],
  ['yyyyMMdd HH:mm:ss.SSS', '20240305 07:06:05.250', '2024-03-05T07:06:05.250'],
  ['excel', '46063,9999999999', '2026-02-11T00:00:00'],
  ['excel', '61', '1900-03-01'],
  ['excel', '60', undefined],
  ["dd.MM.yyyy, HH:mm 'Uhr'", '01.02.2026, 03:04 Uhr', '2026-02-01T03:04:00'],
  ['yyyy/MM/ddTHH:mm:ss.SSSXXX', '2024/03/05T07:06:05.250-05:30', '2024-03-05T07:06:05.250-05:30'],
  ['dd.MM.yyyy HH:mm XX', '05.03.2024 07:06 +0100', '2024-03-05T07:06:00+01:00'],
  ['dd.MM.yyyy HH:mmX', '05.03.2024 07:06Z', '2024-03-05T07:06:00+00:00'],
  ['MM/dd/yyyy hh:mm a', '03/05/2024 12:06 p.m.', '2024-03-05T12:06:00'],
  ['MM/dd/yyyy hh:mm a', '03/05/2024 12:06\u202fa. m.', '2024-03-05T00:06:00'],
  ['MM/dd/yyyy hh:mm a', '01/02/2026 13:00 AM', undefined],
  ['range', '2024-03-05 8:00–9:00', '2024-03-05T08:00:00/3600'],
  ['range', '2024-03-05 23:45-00:00', '2024-03-05T23:45:00/900'],
  ['range', '2024-03-05 8-9', '2024-03-05T08:00:00/3600'],
  ['range', '2024-03-05 8:00 to 8:14', '2024-03-05T08:00:00/900'],
  ['range', '2024-03-05 08:00-08:01', '2024-03-05T08:00:00/60'],
  ['d.M.yyyy range', '5.3.2024 8:00-9:00', '2024-03-05T08:00:00/3600'],
  ['range', '2024-03-05 09:00-08:00', undefined],
  ['range', '2024-03-05 08:00-24:01', undefined],
  ['range', '2024-03-05 08:00', undefined],
  ['dd.MM.yyyy', '31.02.2026', undefined],
  ['dd.MM.yyyy HH:mm', '01.02.2026 24:01', undefined],
  ['dd.MM.yyyy HH:mm', 'x01.02.2026 03:04', undefined],
  ['EEE dd.MM.yyyy', 'Mon 01.02.2026', undefined],
  ['d. MMM. yyyy', '10. Sept. 2026', '2026-09-10', 'de'],
  ['d. MMMM yyyy', '10. March 2026', undefined, 'de'],
  ['d MMM yyyy', '10 KAS 2026', '2026-11-10', 'tr'],
])('%s, given %s, reads %s', (format, text, time, ...[language]) => {
  const readTime = compileTimeFormats([format], language)
  expect([readTime(text), readTime(text)]).toEqual([time, time])
})

test('a format reads what those before it do not', () => {
  const readTime = compileTimeFormats(['dd/MM/yyyy HH:mm', 'MM/dd/yyyy HH:mm'])
  expect(['03/04/2026 00:00', '04/13/2026 00:00', '2026'].map(readTime)).toEqual([
    ...['2026-04-03T00:00:00', '2026-04-13T00:00:00', undefined],
  ])
})

test.each([
  ['DD.MM.YYYY', /the year is yyyy/],
  ['%d.%m.%Y', /has %/],
  ['yyyy-mm-dd', /has no month/],
  ['dd.MM. HH:mm', /has no year/],
  ['dd.MM.yyyy hh:mm', /needs both hh and a/],
  ['dd.MM.yyyy HH:mm a', /has HH/],
  ['dd.MM.yyyy mm', /has no hour/],
  ['dd.MM.yyyy d', /has the day twice/],
  ['dd.MM.yyyy QQ', /has QQ/],
  ['dd.MM.yyyy HH Uhr', /has U, .* is quoted/],
])('the format %s is refused', (format, message) => {
  expect(() => compileTimeFormats([format])).toThrow(message)
})

test('text that a spreadsheet would evaluate begins with an apostrophe, and numbers do not', () => {
  const guarded = ['=1+1', '+cmd', '-1+1', '@SUM(A1)', '\tx', '\rx', '-', "'=1", '=', '-1,5x', '＝1']
  expect(guarded.map(guardFormula)).toEqual(guarded.map(text => `'${text}`))
  const plain = ['-5', '+5', '-1.25', '-1,5', '-1e-7', '12', '', 'a=b', "'a", '2026-03-01']
  expect(plain.map(guardFormula)).toEqual(plain)
})
