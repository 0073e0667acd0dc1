import { compileTimeFormats } from '../../imports/csv/times/time-format'

/** It has no types of its own. */
const { DateTime } = require('luxon')

describe('a time format', () => {
  test.each([
    ['MMMM dd, yyyy hh:mm:ss a', 'November 01, 2019 05:00:00\u202fPM', '2019-11-01T17:00:00'],
    ['yyyy-MM-dd H', '2024-03-05 7', '2024-03-05T07:00:00'],
    ['yyyy-MM-dd HH:mm', '2024-02-28 24:00', '2024-02-28T24:00:00'],
    ['H:mm XXX, EEE dd.MM.yyyy', '24:00 +01:00, Wed 28.02.2024', '2024-02-28T24:00:00+01:00'],
    ['dd.MM.yyyy k', '28.02.2024 24', '2024-02-28T24:00:00'],
    ['dd.MM.yyyy kk:mm', '28.02.2024 01:30', '2024-02-28T01:30:00'],
    ['epoch', '1783987200', '2026-07-14T00:00:00Z'],
    ['epoch', '1783987200.0', '2026-07-14T00:00:00.0Z'],
    ['epoch-ms', '1783987200123', '2026-07-14T00:00:00.123Z'],
    ['excel', '46063.0416666667', '2026-02-10T01:00:00'],
    ['excel', '46063,9999999999', '2026-02-11T00:00:00'],
    ['excel', '61', '1900-03-01T00:00:00'],
    ["dd.MM.yyyy, HH:mm 'Uhr'", '01.02.2026, 03:04 Uhr', '2026-02-01T03:04:00'],
    ['yyyy/MM/ddTHH:mm:ss.SSSXXX', '2024/03/05T07:06:05.250-05:30', '2024-03-05T07:06:05.250-05:30'],
    ['dd.MM.yyyy HH:mm XX', '05.03.2024 07:06 +0100', '2024-03-05T07:06:00+01:00'],
    ['MM/dd/yyyy hh:mm a', '03/05/2024 12:06 p.m.', '2024-03-05T12:06:00'],
    ['MM/dd/yyyy hh:mm a', '03/05/2024 12:06\u202fa. m.', '2024-03-05T00:06:00'],
    ['range', '2024-03-05 08:00-09:00', '2024-03-05T08:00:00/3600'],
    ['range', '2024-03-05T0800-0900', '2024-03-05T08:00:00/3600'],
    ['range', '2024-03-05 08:00 - 09:00', '2024-03-05T08:00:00/3600'],
    ['range', '2024-03-05 8:00–9:00', '2024-03-05T08:00:00/3600'],
    ['range', '2024-03-05 23:00:00-24:00:00', '2024-03-05T23:00:00/3600'],
    ['range', '2024-03-05 23:45-00:00', '2024-03-05T23:45:00/900'],
    ['range', '2024-03-05 8-9', '2024-03-05T08:00:00/3600'],
    ['range', '2024-03-05 8:00 to 8:14', '2024-03-05T08:00:00/900'],
    ['range', '2024-03-05 08:00:00-08:59:59', '2024-03-05T08:00:00/3600'],
    ['range', '2024-03-05 08:00-08:01', '2024-03-05T08:00:00/60'],
    ['d.M.yyyy range', '5.3.2024 8:00-9:00', '2024-03-05T08:00:00/3600'],
    ['dd.MM.yyyy HH:mmX', '05.03.2024 07:06Z', '2024-03-05T07:06:00+00:00'],
  ])('%s reads %s', (format, text, expected) => {
    const read = compileTimeFormats([format])
    expect([read(text), read(text)]).toEqual([expected, expected])
  })

  test.each([
    ['dd.MM.yyyy', '31.02.2026'],
    ['dd.MM.yyyy', '1.2.2026'],
    ['dd.MM.yyyy HH:mm', '01.02.2026 25:00'],
    ['dd.MM.yyyy HH:mm', '01.02.2026'],
    ['dd.MM.yyyy HH:mm', 'x01.02.2026 03:04'],
    ['MM/dd/yyyy hh:mm a', '01/02/2026 13:00 AM'],
    ['EEE dd.MM.yyyy', 'Mon 01.02.2026'],
    ['range', '2024-03-05 09:00-08:00'],
    ['range', '2024-03-05 08:00-08:00'],
    ['range', '2024-03-05 08:00-24:01'],
    ['range', '2024-03-05 08:60-09:00'],
    ['range', '2024-02-30 08:00-09:00'],
    ['range', '2024-03-05 08:00'],
    ['range', '05.03.2024 08:00-09:00'],
    ['dd.MM.yyyy HH:mm', '01.02.2026 24:01'],
    ['dd.MM.yyyy k', '01.02.2026 0'],
    ['epoch', '1783987200000'],
    ['epoch-ms', '1783987200'],
    ['excel', '60'],
    ['excel', '1783987200'],
  ])('%s does not read %s', (format, text) => {
    expect(compileTimeFormats([format])(text)).toBeUndefined()
  })

  test.each([
    ['de', 'dd. MMMM yyyy HH:mm', '10. März 2026 08:00', '2026-03-10T08:00:00'],
    ['de', 'd. MMM. yyyy', '10. Sept. 2026', '2026-09-10'],
    ['de', 'd. MMM yyyy', '10. SEP 2026', '2026-09-10'],
    ['de', 'EE, d. MMM yyyy', 'Di., 10. Mär 2026', '2026-03-10'],
    ['es', 'EEE d MMM yyyy', 'mar 10 mar 2026', '2026-03-10'],
    ['cs', 'd. MMMM yyyy', '10. března 2026', '2026-03-10'],
    ['cs', 'MMMM yyyy d', 'Březen 2026 10', '2026-03-10'],
    ['tr', 'd MMM yyyy', '10 KAS 2026', '2026-11-10'],
    ['pt', 'EEEE, d MMMM yyyy', 'terça-feira, 10 março 2026', '2026-03-10'],
    ['vi', 'd MMMM yyyy', '10 tháng 12 2026', '2026-12-10'],
    ['de', 'd. MMMM yyyy', '10. Mrz 2026', undefined],
    ['de', 'd. MMMM yyyy', '10. March 2026', undefined],
  ])('reads names in %s: %s reads %s', (language, format, text, expected) => {
    expect(compileTimeFormats([format], language)(text)).toBe(expected)
  })

  test('reads what those before it do not', () => {
    const read = compileTimeFormats(['dd/MM/yyyy HH:mm', 'MM/dd/yyyy HH:mm', 'yyyy-MM-dd HH:mm'])
    expect(['03/04/2026 00:00', '04/13/2026 00:00', '2026-04-13 01:00', '2026'].map(read)).toEqual([
      '2026-04-03T00:00:00',
      '2026-04-13T00:00:00',
      '2026-04-13T01:00:00',
      undefined,
    ])
  })

  test.each([
    ['DD.MM.YYYY', /the year is yyyy, the day of the month is dd/],
    ['%d.%m.%Y', /has %: the tokens are those of Unicode/],
    ['yyyy-mm-dd', /has no month \(MM; mm are minutes\)/],
    ['dd.MM. HH:mm', /has no year \(yyyy\)/],
    ['dd.MM.yyyy hh:mm', /needs both hh and a/],
    ['dd.MM.yyyy HH:mm a', /has HH \(24 hours\) beside hh or a/],
    ['dd.MM.yyyy mm', /has no hour/],
    ['dd.MM.yyyy d', /has the day twice/],
    ['dd.MM.yyyy QQ', /has QQ, which is not a known token/],
    ['dd.MM.yyyy HH Uhr', /has U, which is not a known token; .* other text is quoted: '…'/],
  ])('%s is refused', (format, message) => {
    expect(() => compileTimeFormats([format])).toThrow(message)
  })
})

const DATES = ['dd.MM.yyyy', 'M/d/yyyy', 'yyyyMMdd', 'd MMMM yyyy', 'EEE, dd MMM yy', "yyyy'W'MM-dd", 'yyyyDDD']
const TIMES = ['HH:mm', 'H:m:s', 'hh:mm:ss a', 'h a', 'HHmmss', 'HH:mm:ss.SSS', 'HH:mm XXX']

/** Returns the tokens of luxon where they differ. */
const luxonFormat = (format: string) => format.replace('DDD', 'ooo').replace('XXX', 'ZZ')

test('times are read as luxon reads and writes them, in any order of their parts', () => {
  for (const date of DATES) {
    for (const time of TIMES) {
      for (const format of [`${date} ${time}`, `${time}, ${date}`, `${time}${date.replace('yyyy', "' in 'yyyy")}`]) {
        const read = compileTimeFormats([format])
        for (let i = 0; i < 12; i++) {
          // All seven dates and eleven times, in different combinations.
          const instant = DateTime.fromMillis(1.7e12 + (i % 7) * 86_400_000 * 53 + ((i * 17) % 11) * 7_511_250, {
            zone: 'UTC+5:30',
            locale: 'en-US',
          })
          const text = instant.toFormat(luxonFormat(format))
          const again = DateTime.fromFormat(text, luxonFormat(format), { zone: 'utc', locale: 'en-US', setZone: true })
          const expected = again.toFormat(`yyyy-MM-dd'T'HH:mm:ss.SSS${format.includes('XXX') ? 'ZZ' : ''}`)
          expect([format, text, read(text)]).toEqual([format, text, expected.replace('.000', '')])
        }
      }
    }
  }
})
