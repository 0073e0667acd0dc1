/** Compares the records of grains, attributes of assets and kinds of facts with the tables and with the schema. */
import type { GraphQLObjectType } from 'graphql'
import { ATTRIBUTES, GROUP_ATTRIBUTES } from '../../db/assets/attributes'
import { GRAINS, NATIVE_GRAINS, NATIVE_MINUTES } from '../../db/calendar/grains'
import { FACT_KINDS, FACT_TABLES } from '../../db/facts'
import { ENTITIES } from '../../db/references'
import { KINDS } from '../../imports/kinds'
import { schema } from '../../resolvers/schema'
import { enumValues } from '../../rest-gateway/read/choices'
import { World } from '../support/world'

let world: World

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await world.owner.query(
    'SELECT attname::text AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped',
    [table],
  )
  return rows.map(({ name }) => name)
}

/** Returns the numbers that a check constraint of a table names. */
async function numbersInChecks(table: string, column: string): Promise<number[]> {
  const { rows } = await world.owner.query(
    `SELECT pg_get_expr(conbin, conrelid) AS check FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid
     WHERE conrelid = $1::regclass AND contype = 'c' AND attname = $2 AND conkey = ARRAY[attnum]`,
    [table, column],
  )
  return rows.flatMap(({ check }) => check.match(/\d+/g).map(Number))
}

describe('grains', () => {
  test('are those of the schema, from the finest to the coarsest', () => {
    expect(Object.keys(GRAINS)).toEqual(enumValues('Grain'))
    expect(NATIVE_GRAINS).toEqual(enumValues('NativeGrain'))
    expect(Object.entries(GRAINS).flatMap(([name, { unit }]) => (unit ? name : []))).toEqual(enumValues('GroupGrain'))
  })

  test('have the longest ranges that the schema describes', () => {
    const { description } = (schema.getType('Impressions') as GraphQLObjectType).getFields().timeseries ?? {}
    const days = Object.values(GRAINS).map(({ maxDays }) => maxDays.toLocaleString('en'))
    expect(new Set(description?.match(/\d[\d,]*/g))).toEqual(new Set(days))
  })

  test('of sensors are those that a vendor can have', async () => {
    const allowed = await numbersInChecks('vendors', 'native_minutes')
    expect(allowed.sort((a, b) => a - b)).toEqual(Object.values(NATIVE_MINUTES))
  })
})

describe('attributes of assets', () => {
  test('by which assets are grouped are the same everywhere', () => {
    expect(enumValues('AggregateGroup')).toEqual([...enumValues('AssetAttribute'), 'asset'])
    for (const type of ['AggregateRow', 'GroupWeekday']) {
      const fields = Object.keys((schema.getType(type) as GraphQLObjectType).getFields())
      expect(fields).toEqual(expect.arrayContaining([...GROUP_ATTRIBUTES]))
    }
  })

  /** The columns of `assets` that no attribute shows: keys, and what is derived for other responses. */
  const INTERNAL = ['number', 'company', 'class', 'installations', 'rules']

  test('are all columns of assets', async () => {
    const shown = ATTRIBUTES.flatMap(({ sql, column }) => (sql.includes('v.') ? [] : column))
    expect((await columnsOf('assets')).sort()).toEqual([...shown, ...INTERNAL].sort())
  })

  test('of a class are the columns of classes', async () => {
    const ofClass = ATTRIBUTES.flatMap(({ ofClass, field, column }) =>
      ofClass ? (field === 'companyId' ? 'company' : column) : [],
    )
    expect((await columnsOf('asset_classes')).sort()).toEqual(['number', ...ofClass].sort())
  })

  test('have the same choices in files and in the schema', () => {
    const expected = (name: string) => ATTRIBUTES.find(({ field }) => field === name)?.file?.expected
    for (const [field, type] of Object.entries({
      mediaType: 'MediaType',
      format: 'AssetFormat',
      status: 'AssetStatus',
    })) {
      expect(expected(field)).toBe(`one of ${enumValues(type).join(', ')}`)
    }
  })

  test('that the feed includes are reported when they change, and no others', async () => {
    const { owner, make } = world
    const company = await make.company()
    const asset = await make.asset({ company })
    const key = await make.key([company])
    const other: Record<string, string> = {
      ...{ id: `'changed1'`, legacy_id: '77', name: `'Other'`, description: `'Other'`, media_type: `'static'` },
      ...{ format: `'other'`, venue_type_id: '77', status: `'archived'`, indoors: 'NOT indoors', facing_degrees: '77' },
      ...{ width_m: '7.7', height_m: '7.7', latitude: '7.7', longitude: '7.7', address: `'Other'`, city: `'Other'` },
      ...{ region: `country || '-77'`, postal_code: `'77'`, time_zone: `'UTC'`, sensor_minutes: '1440' },
      ...{ country: `'FR', region = NULL`, sensor_ids: `'{other}'`, created_at: 'now()', updated_at: 'now()' },
      ...{ venue_taxonomy: `'1.1'`, external_ids: `'{"other": "1"}'` },
    }
    let path = '/v1/partner/changes'
    const reported = async () => {
      const { data, pagination } = await world.read(path, key)
      path = `/v1/partner/changes?cursor=${pagination.cursor}`
      return data.some(({ kind }: { kind: string }) => kind === 'asset')
    }
    expect(await reported()).toBe(true)
    for (const { field, column, sql, inFeed } of ATTRIBUTES) {
      if (field === 'companyId' || sql.startsWith('v.')) continue
      await owner.query(`UPDATE assets SET ${column} = ${other[column]} WHERE number = $1`, [asset.number])
      expect([field, await reported()]).toEqual([field, inFeed])
    }
    await owner.query(`UPDATE companies SET id = 'changed2' WHERE number = $1`, [company.number])
    expect(await reported()).toBe(true)
  })
})

describe('kinds of facts', () => {
  test('are the kinds of changes that have days', () => {
    expect([...FACT_KINDS, 'asset', 'notes', 'removed', 'sensors'].sort()).toEqual(enumValues('ChangeKind'))
  })

  test('have tables by asset, company and date', async () => {
    for (const table of FACT_TABLES) {
      expect(await columnsOf(table)).toEqual(expect.arrayContaining(['asset', 'company', 'date']))
    }
  })

  test('can be imported, as well as everything that they refer to', () => {
    expect(Object.keys(KINDS).sort()).toEqual([...Object.keys(ENTITIES), ...FACT_KINDS, 'health', 'notes'].sort())
  })
})
