import type { Kind } from '../../imports/kind-names'
import type { MadeAsset } from '../support/factories'
import { ORIGINS } from '../support/origins'
import { refused, stored, unchanged } from '../support/outcomes'
import { World } from '../support/world'

describe('health, origins and demographics', () => {
  let world: World
  let asset: MadeAsset
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.clear()
    asset = await world.make.asset({ legacy_id: 11 })
  })

  /** Expects each row to be rejected for its reason. */
  const expectReasons = async (
    kind: Kind,
    header: string,
    reasons: readonly [row: string, reason: string | RegExp][],
  ) => {
    for (const [row, reason] of reasons) {
      const expected = typeof reason === 'string' ? `2: ${reason}` : reason
      expect(await world.import(kind, [header, row])).toEqual(refused(1, [expected]))
    }
  }

  describe('a health check', () => {
    const HEADER = 'sensor,checked_at,status,last_seen_at,reason'
    const health = () =>
      world.rows(`SELECT health_status AS status, health_checked_at AS checked_at, health_last_seen_at AS last_seen_at,
        health_reason AS reason FROM sensors ORDER BY serial`)
    beforeEach(async () => {
      await world.make.sensor({ asset, serial: 'S1' })
      await world.make.sensor({ asset: null, serial: 'S2' })
    })

    test('is stored if it is the latest one', async () => {
      const file = [
        HEADER,
        'S1,2026-03-01T08:00:00Z,offline,,no power',
        'S1,2026-03-01T07:45:00Z,healthy,2026-03-01T07:44:00Z,',
        'S2,2026-03-01T08:00,unknown,,',
      ]
      expect(await world.import('health', file)).toEqual(stored(3))
      const last = [
        { status: 'offline', checked_at: '2026-03-01T08:00:00Z', last_seen_at: null, reason: 'no power' },
        { status: 'unknown', checked_at: '2026-03-01T08:00:00Z', last_seen_at: null, reason: null },
      ]
      expect(await health()).toEqual(last)
      expect(await world.import('health', file)).toEqual(unchanged(3))
      expect(await world.import('health', [HEADER, 'S1,2026-03-01T07:00:00Z,healthy,,'])).toEqual(stored(1))
      expect(await health()).toEqual(last)
    })

    const history = async () =>
      (await world.rows('SELECT from_time, to_time, status FROM sensor_health ORDER BY sensor, from_time')).map(
        ({ from_time, to_time, status }) => `${from_time} ${to_time} ${status}`.replaceAll(/2026-03-01T|:00Z/g, ''),
      )
    const check = (text: string) => {
      const [time, status] = text.split(' ')
      return `S1,2026-03-01T${time}:00Z,${status},,`
    }

    test.each<[string, string[][], string[]]>([
      [
        'a period that a later file divides',
        [['07:00 healthy', '07:15 healthy', '08:00 healthy'], ['07:30 offline'], ['07:30 offline', '07:45 healthy']],
        ['07:00 07:29:59.999Z healthy', '07:30 07:30 offline', '07:30:00.001Z 08:00 healthy'],
      ],
      [
        'the new status of a check that is corrected, at either end of a period',
        [['07:00 healthy', '07:15 healthy', '07:30 healthy'], ['07:00 offline', '07:30 unknown'], ['07:00 degraded']],
        ['07:00 07:00 degraded', '07:00:00.001Z 07:29:59.999Z healthy', '07:30 07:30 unknown'],
      ],
    ])('leaves in the history %s', async (_, files, expected) => {
      for (const file of files) await world.import('health', [HEADER, ...file.map(check)])
      expect(await history()).toEqual(expected)
      const last = files.at(-1)!
      expect(await world.import('health', [HEADER, ...last.map(check)])).toEqual(unchanged(last.length))
      expect(await history()).toEqual(expected)
    })

    test('stays in the history, whatever checks come in whatever order', async () => {
      let seed = 7
      const random = (n: number) => {
        seed = (seed * 48_271) % 2_147_483_647
        return seed % n
      }
      const checks = Array.from({ length: 60 }, (_, i) => ({
        time: Date.UTC(2026, 2, 1, 0, 15 * i),
        status: ['healthy', 'offline', 'degraded'][random(3)],
        order: random(1_000),
      })).sort((a, b) => a.order - b.order)
      const lines = checks.map(({ time, status }) => `S1,${new Date(time).toISOString()},${status},,`)
      for (const line of lines.slice(0, 20)) await world.import('health', [HEADER, line])
      await world.import('health', [HEADER, ...lines.slice(10)])
      expect(await world.import('health', [HEADER, ...lines])).toEqual(unchanged(60))
      const rows = await world.rows('SELECT from_time, to_time, status FROM sensor_health ORDER BY from_time')
      const statusesAt = (time: number) =>
        rows.flatMap(row =>
          Date.parse(`${row.from_time}`) <= time && time <= Date.parse(`${row.to_time}`) ? row.status : [],
        )
      expect(checks.map(({ time }) => statusesAt(time))).toEqual(checks.map(({ status }) => [status]))
      expect(rows.every((row, i) => row.status !== rows[i + 1]?.status)).toBe(true)
    })

    test('without a reason deletes the reason of the check before, and has local times of the asset', async () => {
      await world.import('health', [HEADER, 'S1,2026-03-01T08:00:00Z,degraded,2026-03-01T07:00:00Z,dirty lens'])
      expect(await world.import('health', ['sensor,checked_at,status', 'S1,2026-03-01T09:15:00,healthy'])).toEqual(
        stored(1),
      )
      expect((await health())[0]).toEqual({
        status: 'healthy',
        checked_at: '2026-03-01T08:15:00Z',
        last_seen_at: '2026-03-01T07:00:00Z',
        reason: null,
      })
      const tokyo = ['sensor,checked_at,status', 'S1,2026-03-02T09:15,healthy']
      expect(await world.import('health', tokyo, { timeZone: 'Asia/Tokyo' })).toEqual(stored(1))
      expect((await health())[0]).toMatchObject({ checked_at: '2026-03-02T00:15:00Z' })
    })

    test('is rejected with the reason', async () => {
      await expectReasons('health', HEADER, [
        ['S9,2026-03-01T08:00:00Z,healthy,,', 'sensor "S9" is unknown'],
        ['S1,,healthy,,', 'checked_at is required'],
        ['S1,2026-02-30T08:00:00Z,healthy,,', /checked_at is "2026-02-30T08:00:00Z"/],
        ['S1,2026-03-01T08:00:00Z,fine,,', /status is "fine", but must be one of healthy, degraded, offline, unknown/],
        [`S1,2026-03-01T08:00:00Z,healthy,,${'x'.repeat(501)}`, /reason is .* at most 500 characters/],
      ])
    })

    test('is rejected if the file has other values for the same key before', async () => {
      const row = 'S1,2026-03-01T08:00:00Z,healthy,,'
      expect(await world.import('health', [HEADER, row, row, row.replace('healthy', 'offline')])).toMatchObject({
        errors: ['4: this check of the sensor has other values on line 2'],
      })
    })
  })

  describe('origins', () => {
    const HEADER = 'asset_id,date,country,region,city,impressions'

    test('have names and numbers of any kind, and are ordered by their impressions, then by the bytes of their names', async () => {
      const cities = [
        'a "quoted", one',
        "d'Or",
        '{NULL}',
        '\\\\x41',
        'Köln',
        '東京',
        '\uffee',
        '🙂',
        'x '.repeat(90).trim(),
      ]
      const rows = cities.map(city => `11,2026-03-01,DE,DE-BE,"${city.replaceAll('"', '""')}",5`)
      const numbers = [0, 255, 256, 65_535, 65_536, 2_147_483_647].map(
        (n, i) => `11,2026-03-01,US,US-NY,City ${i},${n}`,
      )
      const file = [HEADER, ...rows, ...numbers]
      expect(await world.import('origins', file)).toEqual(stored(15))
      expect(await world.import('origins', file)).toEqual(unchanged(15))
      const key = await world.make.key([{ id: '', number: asset.company }])
      const range = 'from_date=2026-03-01&to_date=2026-03-01'
      const { data, total } = await world.read(`/v1/partner/assets/${asset.id}/impressions/by-city?${range}`, key)
      const bytes = cities.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect(data.map(({ city }: { city: string }) => city)).toEqual([
        ...['City 5', 'City 4', 'City 3', 'City 2', 'City 1'],
        ...[...bytes, 'City 0'],
      ])
      expect(total).toBe(9 * 5 + 255 + 256 + 65_535 + 65_536 + 2_147_483_647)
    })

    test('add up in any order of rows and files, and go when they are erased', async () => {
      const row = (city: string, n: number | '') => `11,2026-03-01,DE,DE-BE,${city},${n}`
      const days = () => world.rows('SELECT places, impressions FROM origin_days')
      const origins = () => world.rows(`SELECT city, impressions FROM ${ORIGINS} AS o ORDER BY city`)
      expect(await world.import('origins', [HEADER, row('C', 3), row('A', 1)])).toEqual(stored(2))
      expect(await world.import('origins', [HEADER, row('D', 4), row('B', 2), row('A', 5)])).toEqual(stored(3))
      expect(await origins()).toEqual(
        Object.entries({ A: 5, B: 2, C: 3, D: 4 }).map(([city, impressions]) => ({ city, impressions })),
      )
      const [{ places }] = (await days()) as [{ places: number[] }]
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      const erasing = [HEADER, row('E', ''), row('B', ''), row('A', 5)]
      expect(await world.import('origins', erasing, { erase: true })).toMatchObject({ erased: 1, unchanged: 2 })
      expect(await origins()).toMatchObject([{ city: 'A' }, { city: 'C' }, { city: 'D' }])
      const all = [HEADER, row('D', ''), row('C', ''), row('A', '')]
      expect(await world.import('origins', all, { erase: true })).toMatchObject({ erased: 3 })
      expect(await days()).toEqual([])
    })

    test.each([
      ['{1,1}', '{5,6}'],
      ['{2,1}', '{5,6}'],
      ['{1,2}', '{5}'],
      ['[0:1]={1,2}', '[0:1]={5,6}'],
      ['{1,NULL}', '{5,6}'],
      ['{1,2}', '{5,NULL}'],
      ['{1,2}', '{5,-6}'],
      ['{}', '{}'],
    ])('are refused by the database as %s and %s', async (places, impressions) => {
      const insert = `INSERT INTO origin_days VALUES ($1, $2, '2026-03-01', $3, $4)`
      const inserting = world.rows(insert, [asset.number, asset.company, places, impressions])
      await expect(inserting).rejects.toThrow('violates check constraint')
    })

    test('conflict with others of the file, and those that are empty with --erase', async () => {
      const [full, empty] = ['11,2026-03-01,DE,DE-BE,Berlin,10', '11,2026-03-01,DE,DE-BE,Berlin,']
      const other = `${asset.id},2026-03-01,DE,DE-BE,Berlin,11`
      const reason = '3: this origin has other values on line 2'
      expect(await world.import('origins', [HEADER, full, other])).toEqual(refused(2, [reason]))
      expect(await world.import('origins', [HEADER, empty, full])).toMatchObject({ stored: 1, unchanged: 1 })
      expect(await world.import('origins', [HEADER, full, empty], { erase: true })).toMatchObject({ errors: [reason] })
    })

    test('is rejected with the reason', async () => {
      await expectReasons('origins', HEADER, [
        ['12,2026-03-01,DE,DE-BE,Berlin,1', 'asset_id "12" is unknown'],
        ['11,2026-02-29,DE,DE-BE,Berlin,1', 'date is "2026-02-29", but must be a real date, YYYY-MM-DD'],
        ['11,2026-03-01,DE,FR-75,Paris,1', 'region FR-75 is not in country DE'],
        ['11,2026-03-01,DE,DE-BE,,1', 'city is required'],
        ['11,2026-03-01,DE,DE-BE,Berlin,-1', /impressions is "-1", but must be a whole number from 0/],
        ['11,2026-03-01,DE,DE-BE,Berlin,1.5', /impressions is "1.5"/],
      ])
    })
  })

  describe('demographics', () => {
    const HEADER = 'asset_id,date,gender,age_band,impressions'
    test('change nothing, in the feed either, by an empty value of a day that is not stored', async () => {
      await world.import('demographics', [HEADER, '11,2026-03-01,male,12-17,1'])
      const last = () => world.rows('SELECT max(number) FROM transactions')
      const before = await last()
      const empty = await world.import('demographics', [HEADER, '11,2026-03-02,male,12-17,'], { erase: true })
      expect(empty).toMatchObject({ erased: 0, unchanged: 1 })
      expect(await last()).toEqual(before)
    })

    test('is rejected with the reason', async () => {
      await expectReasons('demographics', HEADER, [
        ['12,2026-03-01,male,12-17,1', 'asset_id "12" is unknown'],
        ['11,2026-03-01,men,12-17,1', 'gender is "men", but must be one of male, female, unknown'],
        ['11,2026-03-01,male,12-18,1', /age_band is "12-18", but must be one of 12-17, 18-24/],
        ['11,2026-03-01,male,12-17,x', /impressions is "x"/],
      ])
    })
  })
})
