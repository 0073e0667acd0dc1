import type { ImportOptions } from '../../imports/import-file'
import { stored } from '../support/outcomes'
import { World } from '../support/world'

/** Invented counts in the forms in which cities publish theirs. */
describe('counts as they are published', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(() => world.clear())

  const sensors = async (zone: string, grain: 'hour' | 'quarter_hour' | 'minute', ...serials: string[]) => {
    for (const serial of serials) {
      const asset = await world.make.asset({ name: serial, time_zone: zone })
      await world.make.sensor({ asset, grain, serial, installed_at: '2010-01-01T00:00:00Z' })
    }
  }
  /** Returns the counts that are stored, by asset, date and interval. */
  const counts = async () =>
    (await world.days()).map(
      ({ asset, date, counts: all }) =>
        `${asset} ${date}: ${[...all.entries()].flatMap(([i, count]) => (count < 0 ? [] : [`${i}=${count}`])).join(' ')}`,
    )

  test('hourly with names of months (Melbourne)', async () => {
    await sensors('Australia/Melbourne', 'hour', '34')
    const rows = [
      'ID,Date_Time,Year,Month,Mdate,Day,Time,Sensor_ID,Sensor_Name,Hourly_Counts',
      '2887628,"November 01, 2019 05:00:00 PM",2019,November,1,Friday,17,34,Flinders St-Spark La,"1,300"',
      '2887629,"November 02, 2019 12:00:00 AM",2019,November,2,Saturday,0,34,Flinders St-Spark La,604',
    ]
    const outcome = await world.import('impressions', rows, {
      map: [
        ['sensor', 'Sensor_ID'],
        ['start', 'Date_Time'],
        ['impressions', 'Hourly_Counts'],
      ],
      ignore: ['ID', 'Year', 'Month', 'Mdate', 'Day', 'Time', 'Sensor_Name'],
      timeFormat: ['MMMM dd, yyyy hh:mm:ss a'],
      thousands: ',',
    })
    expect(outcome).toEqual(stored(2))
    expect(await counts()).toEqual(['34 2019-11-01: 17=1300', '34 2019-11-02: 0=604'])
  })

  test('hourly with the hour in a column of its own (Melbourne)', async () => {
    await sensors('Australia/Melbourne', 'hour', '4')
    const rows = [
      '\ufeffID;Sensor_ID;Sensing_Date;HourDay;Direction_1;Direction_2;Total_of_Directions;Location',
      '420250313;4;2025-03-13;0;10;12;22;-37.81,144.96',
      '4920250313;4;2025-03-13;9;300;1;301;-37.81,144.96',
    ]
    const outcome = await world.import('impressions', rows, {
      map: [
        ['sensor', 'Sensor_ID'],
        ['start', 'Sensing_Date+HourDay'],
        ['impressions', 'Total_of_Directions'],
      ],
      ignore: ['ID', 'Direction_1', 'Direction_2', 'Location'],
      timeFormat: ['yyyy-MM-dd H'],
    })
    expect(outcome).toEqual(stored(2))
    expect(await counts()).toEqual(['4 2025-03-13: 0=22 9=301'])
  })

  test('hourly with three forms of dates, and joined columns of date and hour (Leeds)', async () => {
    await sensors('Europe/London', 'hour', 'Briggate')
    const rows = [
      'Location,Date,Hour,In Count',
      'Briggate,01/02/2019,00:00,9',
      'Briggate,2-Feb-19,01:00,8',
      'Briggate,2019-02-03 00:00:00,02:00,7.0',
    ]
    const outcome = await world.import('impressions', rows, {
      map: [
        ['sensor', 'Location'],
        ['start', 'Date+Hour'],
        ['impressions', 'In Count'],
      ],
      timeFormat: ['dd/MM/yyyy HH:mm', 'd-MMM-yy HH:mm', "yyyy-MM-dd '00:00:00' HH:mm"],
      interval: 'hour',
    })
    expect(outcome).toEqual(stored(3))
    expect(await counts()).toEqual(['Briggate 2019-02-01: 0=9', 'Briggate 2019-02-02: 1=8', 'Briggate 2019-02-03: 2=7'])
  })

  test('quarter hours in wide files with semicolons and lines before the header (Bonn)', async () => {
    await sensors('Europe/Berlin', 'quarter_hour', 'Kennedybrücke', 'SN-2')
    const text = [
      'Eco-Visio;;;',
      'Zählstellen Bonn, 15 Minuten;;;',
      '',
      'Zeit;Kennedybrücke;Rheinaue;',
      '29.03.2020 01:45;12;;',
      '29.03.2020 03:00;;;',
      '29.03.2020 03:00;7;0;',
      ';;;',
    ].join('\r\n')
    const outcome = await world.import('impressions', Buffer.from(text, 'latin1'), {
      wide: true,
      encoding: 'windows-1252',
      map: [['start', 'Zeit']],
      serial: [['Rheinaue', 'SN-2']],
      timeFormat: ['dd.MM.yyyy HH:mm'],
    })
    expect(outcome).toEqual({ ...stored(3), read: 6, unchanged: 3 })
    expect(await counts()).toEqual(['Kennedybrücke 2020-03-29: 7=12 8=7', 'SN-2 2020-03-29: 8=0'])
  })

  test('hourly with a column for each direction, totals, and lines behind the rows', async () => {
    await sensors('Europe/Berlin', 'hour', 'SN-1', 'Nord')
    const rows = [
      'Zeit;Ri. Beuel;Ri. Innenstadt;Nord;Nord Total;',
      '01.02.2020 00:00;12;1.005;3;3;',
      '01.02.2020 01:00;;;4;4;',
      'Summe;12;1.005;7;7;',
      'Quelle: "Stadt";;;;;',
      '',
    ]
    const options: ImportOptions = {
      wide: true,
      map: [['start', 'Zeit']],
      ignore: ['* Total'],
      sum: [['SN-1', 'Ri. Beuel+Ri. Innenstadt']],
      timeFormat: ['dd.MM.yyyy HH:mm'],
      thousands: '.',
    }
    const { errors } = await world.import('impressions', rows, { ...options, ignore: ['Nord*'] })
    expect(errors[0]).toMatch(/^4: .*"Summe", but must be .*--footer-lines N$/)
    expect(await world.import('impressions', rows, { ...options, footerLines: 2 })).toMatchObject({
      ...stored(3),
      read: 4,
      unchanged: 1,
    })
    expect(await counts()).toEqual(['Nord 2020-02-01: 0=3 1=4', 'SN-1 2020-02-01: 0=1017'])
    const incomplete = await world.import(
      'impressions',
      ['Zeit;Ri. Beuel;Ri. Innenstadt', '01.02.2020 02:00;5;'],
      options,
    )
    expect(incomplete.errors).toEqual([expect.stringMatching(/^2: sensor "SN-1": .*some of which are empty/)])
    // A file of rejected rows has no such lines.
    const rejected = ['Zeit;Ri. Beuel;Ri. Innenstadt;line;reason', '01.02.2020 03:00;5;6;9;x']
    expect(await world.import('impressions', rejected, { ...options, footerLines: 2 })).toEqual(stored(1))
  })

  test('says what is wrong with a row, without the form of times that it has', async () => {
    await sensors('Europe/Berlin', 'hour', 'S1')
    const rows = ['sensor;start;impressions;', 'S1;01.02.2009 00:00;1;', 'S1;01.02.2020 00:00;1;x']
    const { errors } = await world.import('impressions', rows, { timeFormat: ['dd.MM.yyyy HH:mm'] })
    expect(errors).toEqual([
      expect.stringMatching(/^2: start .* is before the sensor was installed.* or give --extend-installations$/),
      expect.stringMatching(/^3: has a value in column 4, which has no name .*--ignore ''.*--map start=/),
    ])
  })

  test('hourly in wide files with a clock of 12 hours (Seattle)', async () => {
    await sensors('America/Los_Angeles', 'hour', 'Fremont Bridge Total', 'East')
    const rows = [
      'Date,Fremont Bridge Total,Fremont Bridge East Sidewalk,Fremont Bridge West Sidewalk',
      '01/01/2014 12:00:00 AM,14,5,9',
      '01/01/2014 12:00:00 PM,53.0,NA,',
    ]
    const outcome = await world.import('impressions', rows, {
      wide: true,
      map: [['start', 'Date']],
      ignore: ['Fremont Bridge West Sidewalk'],
      serial: [['Fremont Bridge East Sidewalk', 'East']],
      timeFormat: ['MM/dd/yyyy hh:mm:ss a'],
      missing: ['NA'],
    })
    expect(outcome).toEqual({ ...stored(3), read: 4, unchanged: 1 })
    expect(await counts()).toEqual(['East 2014-01-01: 0=5', 'Fremont Bridge Total 2014-01-01: 0=14 12=53'])
  })

  test('of 5 minutes, added up to quarter hours, without a header (California)', async () => {
    await sensors('America/Los_Angeles', 'quarter_hour', '716010')
    const row = (minute: string, count: number) => `01/05/2024 00:${minute}:00,716010,3,ML,${count},.01\n`
    const text = ['00', '05', '10', '15', '20', '25'].map((minute, i) => row(minute, i + 1)).join('')
    const outcome = await world.import('impressions', Buffer.from(text), {
      header: ['Timestamp', 'Station', 'District', 'Type', 'Flow', 'Occupancy'],
      map: [
        ['sensor', 'Station'],
        ['start', 'Timestamp'],
        ['impressions', 'Flow'],
      ],
      ignore: ['District', 'Type', 'Occupancy'],
      timeFormat: ['MM/dd/yyyy HH:mm:ss'],
      sumToGrain: true,
    })
    expect(outcome).toMatchObject({ read: 6, rejected: 0, errors: [] })
    expect(await counts()).toEqual(['716010 2024-01-05: 0=6 1=15'])
  })
})
