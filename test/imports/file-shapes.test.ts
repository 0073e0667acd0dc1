import type { ImportOptions } from '../../imports/import-file'
import { stored } from '../support/outcomes'
import { World } from '../support/world'

type Pair = readonly [string, string]

const map = (text: string): Pair[] => text.split(' ').map(pair => pair.split(/=(.*)/s).slice(0, 2) as [string, string])

/** Files whose rows and columns have another shape than one count for each sensor and start. */
describe('the shape of a file of counts', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.clear()
    const asset = await world.make.asset({ time_zone: 'Europe/Berlin' })
    for (const serial of ['S-1', 'S-2', '1']) {
      await world.make.sensor({ asset, grain: 'hour', serial, installed_at: '2017-01-01T00:00:00Z' })
    }
    await world.make.sensor({ asset, grain: 'quarter_hour', serial: 'Q', installed_at: '2017-01-01T00:00:00Z' })
  })

  const counts = async () =>
    (await world.days()).map(
      ({ serial, date, counts: all }) =>
        `${serial} ${date.slice(5)}: ${[...all.entries()].flatMap(([i, n]) => (n < 0 ? [] : [`${i}=${n}`])).join(' ')}`,
    )

  const ACROSS: ImportOptions = { across: true, map: map('sensor=Site start=Date') }
  const LONG: ImportOptions = { set: [['sensor', 'S-1']], map: map('start=ts impressions=Count') }
  const NYC = ['12:00-1:00 AM', '1:00-2:00AM', '2:00-3:00AM', '11:00-12:00PM', '12:00-1:00PM', '11:00-12:00AM']

  test.each<[string, string[], ImportOptions, string[]]>([
    [
      'hours across, with empty cells',
      ['Site,Date,00:00,1:00,02:00:00', 'S-1,2026-02-10,23,,41', 'S-2,2026-02-11,,,', 'S-1,2026-02-11,1,2,3'],
      ACROSS,
      ['S-1 02-10: 0=23 2=41', 'S-1 02-11: 0=1 1=2 2=3'],
    ],
    [
      'quarter hours across, of dates in another form, and a column that is left out',
      ['Date,00:00,00:15,00:30,00:45,Total', '10.02.2026,1,2,3,4,10'],
      {
        across: true,
        map: map('start=Date'),
        set: [['sensor', 'Q']],
        ignore: ['Total'],
        timeFormat: ['dd.MM.yyyy'],
      },
      ['Q 02-10: 0=1 1=2 2=3 3=4'],
    ],
    [
      'ranges of hours with the half of the day at their end',
      [`Site,Date,${NYC.join(',')}`, 'S-1,2026-02-10,1,2,3,4,5,6'],
      ACROSS,
      ['S-1 02-10: 0=1 1=2 2=3 11=4 12=5 23=6'],
    ],
    [
      'ranges of hours that name their last minute',
      ['Site,Date,00:00-00:59,01:00-01:59,02:00 - 02:59', 'S-1,2026-02-10,1,2,3'],
      ACROSS,
      ['S-1 02-10: 0=1 1=2 2=3'],
    ],
    [
      'hours of twelve across',
      ['Site,Date,12 AM,1 AM,11 a.m.,12 PM,1:00pm', 'S-1,2026-02-10,1,2,3,4,5'],
      ACROSS,
      ['S-1 02-10: 0=1 1=2 11=3 12=4 13=5'],
    ],
    [
      'ends of hours across, the last one as midnight',
      ['Site,Date,01:00,02:00,23:00,00:00', 'S-1,2026-02-10,1,2,3,4'],
      { ...ACROSS, stamps: 'end' },
      ['S-1 02-10: 0=1 1=2 22=3 23=4'],
    ],
    ['numbers of hours from 0', ['Site,Date,H0,H1,H23', 'S-1,2026-02-10,1,2,3'], ACROSS, ['S-1 02-10: 0=1 1=2 23=3']],
    [
      'the hour that the clock skips, which is empty',
      ['Site,Date,01:00,02:00,03:00', 'S-1,2026-03-29,1,,3'],
      ACROSS,
      ['S-1 03-29: 1=1 2=3'],
    ],
    [
      'several columns of counts',
      ['ts,In,Out', '2026-02-10 08:00,7,123', '2026-02-10 09:00,9,"1,130"', '2026-02-10 10:00,,'],
      { set: [['sensor', 'S-1']], map: map('start=ts'), sum: map('impressions=In+Out'), thousands: ',' },
      ['S-1 02-10: 8=130 9=1139'],
    ],
    [
      'empty parts that count as nothing',
      ['ts,In,Out', '2026-02-10 08:00,7,', '2026-02-10 09:00,,NA', '2026-02-10 10:00,NA,5'],
      { set: [['sensor', 'S-1']], map: map('start=ts'), sum: map('impressions=In+Out'), missing: ['', 'NA'] },
      ['S-1 02-10: 8=7 10=5'],
    ],
    [
      'empty parts of a wide file that count as nothing',
      ['start,In,Out,S-2', '2026-02-10 08:00,7,,1'],
      { wide: true, sum: map('S-1=In+Out'), missing: [''] },
      ['S-1 02-10: 8=7', 'S-2 02-10: 8=1'],
    ],
    [
      'stations with numbers, of another city than the sensors with the same ones',
      ['Station,ts,Count', '1,2026-02-10 08:00,23', ' 2 ,2026-02-10 09:00,32', 'Nord,2026-02-10 10:00,41'],
      { map: map('sensor=Station start=ts impressions=Count'), serial: map('Nord=S-1 *=S-*') },
      ['S-1 02-10: 8=23 10=41', 'S-2 02-10: 9=32'],
    ],
    [
      'other names of some sensors only',
      ['Station,ts,Count', '1,2026-02-10 08:00,23', 'Süd,2026-02-10 09:00,32'],
      { map: map('sensor=Station start=ts impressions=Count'), serial: map('Süd=S-2') },
      ['1 02-10: 8=23', 'S-2 02-10: 9=32'],
    ],
    [
      'rows without their last cells',
      ['start;S-1;S-2', '2026-02-10 08:00;23;123', '2026-02-10 09:00;32', '2026-02-10 10:00'],
      { wide: true, shortRows: true },
      ['S-1 02-10: 8=23 9=32', 'S-2 02-10: 8=123'],
    ],
    [
      'lines of comments anywhere, with quotes and delimiters',
      [
        '# x',
        '# "a',
        'ts,Count',
        '2026-02-10 08:00,23',
        '#,"',
        '"2026-02-10 09:00",32',
        '# "',
        '"2026-02-10 10:00",41',
        '#',
      ],
      { ...LONG, comment: '#' },
      ['S-1 02-10: 8=23 9=32 10=41'],
    ],
    [
      'more comments before the header than lines in which it is looked for',
      [...Array(40).fill('// note, with commas'), 'ts,Count', '2026-02-10 08:00,23'],
      { ...LONG, comment: '//' },
      ['S-1 02-10: 8=23'],
    ],
    [
      'a month that no column has',
      ['Time,Day,Count', '11:00:00 AM,9,23', '12:00:00 PM, 10 ,32', ',,'],
      {
        set: [['sensor', 'S-1']],
        map: map("start='2026-02-'+Day+Time impressions=Count"),
        timeFormat: ['yyyy-MM-d h:mm:ss a'],
      },
      ['S-1 02-09: 11=23', 'S-1 02-10: 12=32'],
    ],
    [
      'constants between and behind columns',
      ['Date+x,Hour,Count', '2026-02-10,08,23'],
      { set: [['sensor', 'S-1']], map: map("start=Date+x+'T'+Hour+':00+01:00' impressions=Count") },
      ['S-1 02-10: 8=23'],
    ],
    [
      'names of columns with line breaks',
      ['Zählstelle', '"Date\n(local)",Count', '2026-02-10 08:00,23'],
      { set: [['sensor', 'S-1']], map: map('start=Date* impressions=Count') },
      ['S-1 02-10: 8=23'],
    ],
  ])('may have %s', async (_, rows, options, expected) => {
    const outcome = await world.import('impressions', rows, options)
    expect(outcome).toMatchObject({ rejected: 0, not_stored: 0, errors: [] })
    expect(await counts()).toEqual(expected)
  })

  const IN_OUT: ImportOptions = { set: [['sensor', 'S-1']], map: map('start=ts') }
  test.each<[string, string[], ImportOptions, RegExp]>([
    [
      'hours across without --across',
      ['Site,Date,00:00,01:00,Weather', 'S-1,2026-02-10,23,32,dry'],
      { map: map('sensor=Site start=Date') },
      /^1: has columns that are times: "00:00", "01:00"\. If .*--across.*--ignore.* the others: "Weather"$/,
    ],
    [
      'hours across that are read as sensors',
      [`Date,${NYC.join(',')}`, '2026-02-10,1,2,3,4,5,6'],
      { wide: true, map: map('start=Date') },
      /^1: has columns that are times: "12:00-1:00 AM", .* and 3 more\. .*--across/,
    ],
    [
      'a column that is no time',
      ['Site,Date,00:00,Sum', 'S-1,2026-02-10,1,2'],
      ACROSS,
      /"Sum", which is not a time .*--ignore "Sum"$/,
    ],
    ['numbers of hours from 1', ['Site,Date,H1,H2', 'S-1,2026-02-10,1,2'], ACROSS, /"H1", which is not a time/],
    ['a time twice', ['Site,Date,0:00,00:00', 'S-1,2026-02-10,1,2'], ACROSS, /"00:00" behind "0:00": .* ascend/],
    ['midnight behind the day', ['Site,Date,23:00,00:00', 'S-1,2026-02-10,1,2'], ACROSS, /"00:00" behind "23:00"/],
    ['hours to 24', ['Site,Date,23:00,24:00', 'S-1,2026-02-10,1,2'], ACROSS, /"24:00": give --stamps end/],
    [
      'ranges with --stamps end',
      ['Site,Date,00:00-01:00', 'S-1,2026-02-10,1'],
      { ...ACROSS, stamps: 'end' },
      /range "00:00-01:00", .*: leave out --stamps end$/,
    ],
    [
      'a sum among times',
      ['Site,Date,07:00-08:00,08:00-20:00', 'S-1,2026-02-10,1,2'],
      ACROSS,
      /not times of the same length/,
    ],
    [
      'ranges that overlap',
      ['Site,Date,07:00-08:00,07:15-08:15', 'S-1,2026-02-10,1,2'],
      ACROSS,
      /ranges of 60 minutes .* 15 minutes apart/,
    ],
    [
      'a time of day in the date of a row',
      ['Site,Date,00:00', 'S-1,2026-02-10 08:00,1'],
      ACROSS,
      /^2: start is "2026-02-10 08:00", but must be the date of the times .*--across/,
    ],
    [
      'an invalid count under a time',
      ['Site,Date,00:00,01:00', 'S-1,2026-02-10,1,x'],
      ACROSS,
      /^2: column "01:00": impressions is not a whole number .*: "x"$/,
    ],
    [
      'counts that are joined',
      ['ts,In,Out', '2026-02-10 08:00,7,123'],
      { set: [['sensor', 'S-1']], map: map('start=ts impressions=In+Out') },
      /^1: --map impressions=In\+Out joins the digits .* give --sum impressions=In\+Out$/,
    ],
    [
      'an empty part of a sum',
      ['ts,In,Out', '2026-02-10 08:00,7,'],
      { ...IN_OUT, sum: map('impressions=In+Out') },
      /^2: .* some of which are empty: "7\+"; .*give --missing ''/,
    ],
    [
      'an invalid part of a sum',
      ['ts,In,Out', '2026-02-10 08:00,7,1.5'],
      { ...IN_OUT, sum: map('impressions=In+Out') },
      /^2: .*: "1\.5"$/,
    ],
    [
      'a sum of columns that are absent',
      ['ts,In', '2026-02-10 08:00,7'],
      { ...IN_OUT, sum: map('impressions=In+Out') },
      /^1: has no column In\+Out, which/,
    ],
    [
      'shorter rows',
      ['ts,Count,Weather', '2026-02-10 08:00,7'],
      { ...LONG, ignore: ['Weather'] },
      /^2: has 2 values where the header has 3; --short-rows reads .*$/,
    ],
    [
      'a constant alone',
      ['ts,Count', '2026-02-10 08:00,7'],
      { ...LONG, map: map("start='2026' impressions=Count") },
      /names no column: give .* --set/,
    ],
    [
      'an average',
      ['ts,Count', '2026-02-10 11:00,38.5'],
      LONG,
      /^2: impressions is not a whole number from 0 to 2147483647: "38\.5"$/,
    ],
    ['a comment', ['ts,Count', '# battery'], LONG, /^2: has 1 values .* --comment '#'$/],
    ['a comment with a delimiter', ['ts,Count', '# battery, 8'], LONG, /^2: start .* --comment '#'$/],
    [
      'a second header',
      ['ts,Count', '2026-02-10 08:00,7', 'ts,Count'],
      LONG,
      /^3: is the header again: .*--skip-faulty$/,
    ],
    [
      'a second line of the header',
      ['ts,Count', '[local],[persons]', '2026-02-10 08:00,7'],
      LONG,
      /^2: start .*leave it out with --comment '\[local\],\[persons\]'$/,
    ],
    ['a stray quote in the header', ['ts,Co"unt', '2026-02-10 08:00,7'], LONG, /stray quote: .*--header-line$/],
    ['JSON', ['[', '{"ts": "2026-02-10 08:00", "Count": 7}]'], LONG, /^file: is JSON, not CSV/],
    ['a web page', ['<!DOCTYPE html>', '<html>'], LONG, /^file: is HTML or XML, not CSV/],
  ])('is refused for %s', async (_, rows, options, expected) => {
    const { errors } = await world.import('impressions', rows, options)
    expect(errors).toEqual([expect.stringMatching(expected)])
    expect(await counts()).toEqual([])
  })

  test('has a second line of a header that the proposed comment leaves out', async () => {
    const rows = ['ts,Count', '[local],[persons]', '2026-02-10 08:00,7']
    expect(await world.import('impressions', rows, { ...LONG, comment: '[local],[persons]' })).toEqual(stored(1))
  })

  test('keeps the lines of errors behind comments, with and without quotes', async () => {
    for (const start of ['2026-02-10 08:00', '"2026-02-10 08:00"']) {
      const rows = ['# one', 'ts,Count', '# two', `${start},x`, '', '# three', '# "four"', `${start},y`]
      const { errors } = await world.import('impressions', rows, { ...LONG, comment: '#' })
      expect(errors).toEqual([expect.stringMatching(/^4: /), expect.stringMatching(/^8: /)])
    }
  })
})
