import { TimestampParser } from '../../db/calendar/timestamp-parser'

const parse = (text: string) => {
  const parser = new TimestampParser()
  if (!parser.parse(text)) return undefined
  const { day, second, millisecond, offset } = parser
  return { day, second, millisecond, offset }
}

const DAY = Date.UTC(2026, 2, 1) / 86_400_000
const NOON = 12 * 3600

describe('a timestamp', () => {
  test.each([
    ['2026-03-01T12:00', 0, undefined],
    ['2026-03-01 12:00', 0, undefined],
    ['2026-03-01t12:00:00', 0, undefined],
    ['2026-03-01T12:00:00.25', 250, undefined],
    ['2026-03-01T12:00:00.000000001', 1, undefined],
    ['2026-03-01T12:00Z', 0, 0],
    ['2026-03-01T12:00:00z', 0, 0],
    ['2026-03-01T12:00+01:00', 0, 3600],
    ['2026-03-01T12:00:00.5-0530', 500, -19_800],
    ['2026-03-01 12:00:00 +0000', 0, 0],
    ['2026-03-01 12:00 -05:00', 0, -18_000],
    ['2026-03-01 12:00:00+00', 0, 0],
    ['2026-03-01 12:00:00.25 +01', 250, 3600],
    ['2026-03-01 12:00 Z', 0, 0],
  ])('may be written as %s', (text, millisecond, offset) => {
    expect(parse(text)).toEqual({ day: DAY, second: NOON, millisecond, offset })
  })

  test.each([
    '',
    '2026-03-01',
    '2026-03-01T12',
    '2026-02-29T00:00',
    '2026-13-01T00:00',
    '2026-00-01T00:00',
    '2026-03-00T00:00',
    '0000-03-01T00:00',
    '2026-03-01T24:01',
    '2026-03-01T24:00:00.1',
    '2026-03-01T00:60',
    '2026-03-01T00:00:60',
    '2026-03-01T00:00:00.',
    '2026-03-01T00:00:00.1234567890',
    '2026-03-01T00:00+25:00',
    '2026-03-01T00:00+01:60',
    '2026-03-01T00:00+1',
    '2026-03-01T00:00 CET',
    '2026-03-01T00:00  +01:00',
    '2026-03-01T00:00 01:00',
    '2026-03-01T00:00 ',
    '2026-03-01T00:00+01:',
    '2026-03-01T00:00+25',
    '2026/03/01T00:00',
    '2026-03-01X00:00',
    '٢٠٢٦-03-01T00:00',
  ])('is not %j', text => {
    expect(parse(text)).toBeUndefined()
  })

  test('of 29 February exists in leap years', () => {
    expect(parse('2028-02-29T00:00')).toMatchObject({ day: Date.UTC(2028, 1, 29) / 86_400_000, second: 0 })
  })
})
