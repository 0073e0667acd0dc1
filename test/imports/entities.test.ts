import { refused, stored, unchanged } from '../support/outcomes'
import { World } from '../support/world'

describe('companies, vendors and assets', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(() => world.clear())

  const HEADER =
    'id,legacy_id,company_id,name,description,media_type,format,venue_type_id,status,indoors,facing_degrees,width_m,height_m,' +
    'latitude,longitude,address,city,region,postal_code,country,time_zone'
  const FULL =
    'assetone1,101,Alder,"Big, bright",By the river,digital,billboard,30101,inactive,yes,359,9.5,3.25,52.5,13.4,Am Ufer 1,Berlin,DE-BE,10115,DE,Europe/Berlin'
  const ASSET = {
    id: 'assetone1',
    legacy_id: 101,
    name: 'Big, bright',
    description: 'By the river',
    media_type: 'digital',
    format: 'billboard',
    venue_type_id: 30101,
    status: 'inactive',
    indoors: true,
    facing_degrees: 359,
    width_m: 9.5,
    height_m: 3.25,
    latitude: 52.5,
    longitude: 13.4,
    address: 'Am Ufer 1',
    city: 'Berlin',
    region: 'DE-BE',
    postal_code: '10115',
    country: 'DE',
    time_zone: 'Europe/Berlin',
  }
  const assets = () => world.rows('SELECT * FROM assets JOIN asset_versions ON asset = number ORDER BY id')
  const alder = () => world.import('companies', ['id,name', 'companya1,Alder', 'companyb1,Birch'])

  describe('companies', () => {
    test('are created, with an id made for those without one, importing the file again changes nothing, and an id renames', async () => {
      const file = ['id,name', 'companya1,Alder', ',Birch']
      expect(await world.import('companies', file)).toEqual(stored(2))
      const made = await world.rows('SELECT id, name FROM companies ORDER BY name')
      expect(made).toEqual([
        { id: 'companya1', name: 'Alder' },
        { id: expect.stringMatching(/^[a-z][a-z0-9]{23}$/), name: 'Birch' },
      ])
      expect(await world.import('companies', file)).toEqual(unchanged(2))
      expect(await world.import('companies', ['name', 'Alder', 'Birch'])).toEqual(unchanged(2))
      expect(await world.rows('SELECT id, name FROM companies ORDER BY name')).toEqual(made)
      const renamed = { stored: 1, unchanged: 1 }
      expect(await world.import('companies', ['id,name', 'companya1,Ash', ',Birch'])).toMatchObject(renamed)
    })

    test('that are repeated in a file count once, and are rejected if their values differ', async () => {
      expect(await world.import('companies', ['id,name', 'companya1,Alder', 'companya1,Alder'])).toMatchObject({
        stored: 1,
        unchanged: 1,
      })
      const file = [
        'id,name',
        'companyc1,Cedar',
        'companyc1,Cypress',
        'companyd1,Dogwood',
        'companye1,Dogwood',
        'companya1,x',
        ',Ash',
        'companya1,y',
      ]
      expect(await world.import('companies', file)).toEqual(
        refused(7, [
          '3: its id has other values on line 2',
          '5: its name has other values on line 4',
          '8: the company has other values on line 6',
        ]),
      )
    })

    test.each([
      ['companya1,Birch', 'name "Birch" belongs to the company companyb1'],
      ['companyx1,Birch', 'name "Birch" belongs to the company companyb1'],
      [
        'Company,x',
        'id is "Company", but must be an identifier: a letter, then 7 to 31 letters or digits, in lower case',
      ],
      ['companyx1,', 'name is required'],
      [`companyx1,${'x'.repeat(201)}`, /^2: name is "x{60}…", but must be text of at most 200 characters/],
    ])('are rejected as a row %j', async (row, reason) => {
      await alder()
      const errors = [typeof reason === 'string' ? `2: ${reason}` : reason]
      expect(await world.import('companies', ['id,name', row, 'companyz1,good'])).toEqual(refused(2, errors))
      const skipped = await world.import('companies', ['id,name', row, 'companyz1,good'], { skipFaulty: true })
      expect(skipped).toMatchObject({ stored: 1, rejected: 1, not_stored: 0 })
    })
  })

  describe('vendors', () => {
    const vendors = () => world.rows('SELECT name, own, native_minutes FROM vendors ORDER BY name')

    test('count by the minute if they are the own vendor, else by quarter hours by default', async () => {
      const file = ['name,own,finest_grain', 'A,true,', 'B,FALSE,', 'C,0,hour', 'D,no,quarter_hour']
      expect(await world.import('vendors', file)).toEqual(stored(4))
      expect(await vendors()).toEqual([
        { name: 'A', own: true, native_minutes: 1 },
        { name: 'B', own: false, native_minutes: 15 },
        { name: 'C', own: false, native_minutes: 60 },
        { name: 'D', own: false, native_minutes: 15 },
      ])
      expect(await world.import('vendors', ['name,finest_grain', 'D,hour'])).toEqual(stored(1))
      expect(await world.import('vendors', ['name,own', 'D,false'])).toEqual(unchanged(1))
    })

    test.each([
      ['name,own,finest_grain', 'E,true,hour', 'the finest grain of the own vendor is minute, not hour'],
      [
        'name,own,finest_grain',
        'E,false,minute',
        'the finest grain of a third party is quarter_hour, hour or day, not minute',
      ],
      ['name,own', 'D,true', 'the finest grain of the own vendor is minute, not quarter_hour'],
      ['name,finest_grain', 'E,hour', 'own is required for a new vendor'],
      ['name,own', 'D,perhaps', 'own is "perhaps", but must be true or false'],
      ['name,finest_grain', 'D,week', 'finest_grain is "week", but must be one of minute, quarter_hour, hour, day'],
    ])('%s %s are rejected with the reason', async (header, row, reason) => {
      await world.import('vendors', ['name,own', 'D,false'])
      expect(await world.import('vendors', [header, row])).toEqual(refused(1, [`2: ${reason}`]))
    })

    test('cannot change their grain after their sensors have counted', async () => {
      const vendor = await world.make.vendor('quarter_hour')
      const sensor = await world.make.sensor({ vendor, grain: 'quarter_hour' })
      const coarser = ['id,finest_grain', `${vendor.id},hour`]
      expect(await world.import('vendors', coarser)).toEqual(stored(1))
      expect(await world.import('vendors', ['id,finest_grain', `${vendor.id},quarter_hour`])).toEqual(stored(1))
      await world.make.counts(sensor, '2026-03-01', () => 1)
      expect(await world.import('vendors', coarser)).toEqual(
        refused(1, ['2: finest_grain cannot change from quarter_hour: sensors of this vendor have counted or moved']),
      )
    })
  })

  describe('assets', () => {
    test('are stored with every field, and importing the file again changes nothing', async () => {
      await alder()
      expect(await world.import('assets', [HEADER, FULL])).toEqual(stored(1))
      const before = await assets()
      expect(before).toEqual([expect.objectContaining({ ...ASSET, measured_from: null, measured_to: null })])
      expect(await world.import('assets', [HEADER, FULL])).toEqual(unchanged(1))
      expect(await world.import('assets', [HEADER, FULL.replace('Alder', 'companya1')])).toEqual(unchanged(1))
      expect(await world.import('assets', ['id,status,indoors', 'assetone1,,'])).toEqual(unchanged(1))
      expect(await assets()).toEqual(before)
    })

    test('can be created from the required columns alone', async () => {
      await alder()
      const header = 'legacy_id,company_id,name,media_type,format,latitude,longitude,country,time_zone'
      expect(await world.import('assets', [header, '7,companya1,A,static,other,-90,180,NZ,Pacific/Auckland'])).toEqual(
        stored(1),
      )
      expect(await assets()).toMatchObject([{ status: 'active', indoors: false, region: null, description: null }])
    })

    test('are updated by id or legacy id in the columns of the file', async () => {
      await alder()
      await world.import('assets', [HEADER, FULL])
      const [{ updated_at: before } = {}] = await assets()
      expect(await world.import('assets', ['legacy_id,name,city', '101,New,'])).toEqual(stored(1))
      const [after] = await assets()
      expect(after).toMatchObject({ ...ASSET, name: 'New', city: null })
      expect(after?.updated_at).not.toBe(before)
      expect(await world.import('assets', ['id,legacy_id', 'assetone1,'])).toEqual(stored(1))
      expect(await assets()).toMatchObject([{ legacy_id: null, name: 'New' }])
      expect(await world.import('assets', ['id,name', 'assetone1,New'])).toEqual(unchanged(1))
    })

    test('are rejected when a value is wrong', async () => {
      const reasons: [column: string, value: string, reason: string | RegExp][] = [
        ['company_id', 'Nobody', 'company_id "Nobody" is unknown'],
        [
          'latitude',
          '"52,5069"',
          'latitude is "52,5069", but must be degrees from -90 to 90 (--thousands, --decimal and --missing say how numbers are written)',
        ],
        [
          'latitude',
          '52,5069',
          /^2: has 3 values where the header has 2; a value that contains a comma, like 52,5069, has to/,
        ],
        ['company_id', 'Birch', 'company_id cannot change: an asset keeps its company'],
        ['latitude', '90.1', 'latitude is "90.1", but must be degrees from -90 to 90'],
        ['latitude', 'NaN', /latitude is "NaN"/],
        ['longitude', '-180.5', /longitude is "-180.5"/],
        ['legacy_id', '0', 'legacy_id is "0", but must be a whole number from 1 to 2147483647'],
        ['legacy_id', '2147483648', /legacy_id/],
        ['legacy_id', '202', 'legacy_id "202" belongs to the asset assettwo2'],
        ['facing_degrees', '360', /facing_degrees is "360", but must be a whole number from 0 to 359/],
        ['width_m', '0', /width_m is "0", but must be a number above 0, at most 10000/],
        ['height_m', '1e5', /height_m/],
        ['media_type', 'paper', /media_type is "paper", but must be one of digital, static/],
        ['format', 'Billboard', /format is "Billboard", but must be one of billboard, bus_shelter/],
        ['country', 'de', /country is "de", but must be an ISO 3166-1 alpha-2 code/],
        ['country', 'FR', 'region DE-BE is not in country FR'],
        ['region', 'FR-75', 'region FR-75 is not in country DE'],
        ['region', 'Berlin', /region is "Berlin", but must be an ISO 3166-2 code/],
        ['time_zone', 'CET+1', /time_zone is "CET\+1", but must be an IANA time zone/],
        ['time_zone', '', 'time_zone is required'],
        ['name', '', 'name is required'],
        ['venue_type_id', '3.5', /venue_type_id/],
        ['indoors', 'maybe', /indoors/],
      ]
      await alder()
      await world.import('assets', [HEADER, FULL, FULL.replace('assetone1,101', 'assettwo2,202')])
      for (const [column, value, reason] of reasons) {
        const { errors } = await world.import('assets', [`id,${column}`, `assetone1,${value}`])
        const expected = typeof reason === 'string' ? `2: ${reason}` : expect.stringMatching(reason)
        expect([column, value, errors]).toEqual([column, value, [expected]])
      }
    })

    test('are rejected with every error of the row, and with what a new asset lacks', async () => {
      await alder()
      expect(await world.import('assets', ['id,latitude,country', 'assetone1,91,xx'])).toMatchObject({
        errors: [expect.stringMatching(/^2: latitude is "91".*; country is "xx"/)],
      })
      const { errors } = await world.import('assets', ['id,name', 'assetone1,A'])
      expect(errors).toEqual(['2: company_id is required for a new asset'])
      expect(await world.import('assets', ['id,name', ',A'])).toMatchObject({
        errors: ['2: id or legacy_id is required'],
      })
    })
  })
})
