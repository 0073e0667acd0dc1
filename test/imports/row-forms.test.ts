import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportOptions } from '../../imports/import-file'
import type { NativeGrain } from '../../schema/generated'
import { Counting } from '../support/counting'

const FORMS = join(__dirname, '..', '..', '..', 'shared', 'data', 'forms')

const present = existsSync(FORMS)
if (!present)
  console.warn('The forms of counts are not there: their test is skipped.')

  /** Small files in the forms that were met in published data, and what is right for each. */
;(present ? describe : describe.skip)('rows of several lengths', () => {
  let counting: Counting
  beforeAll(async () => {
    counting = await Counting.open()
  })
  afterAll(() => counting.imports.close())
  beforeEach(() => counting.imports.clear())

  const give = async (file: string, grain: NativeGrain, options: ImportOptions = {}) => {
    // One file is of another zone.
    const zone = file === 'every-row-twice' ? 'America/New_York' : 'Europe/Berlin'
    await counting.sensorIn(zone, grain, { installed_at: '2017-01-01T00:00:00Z' })
    const { errors } = await counting.imports.run('impressions', createReadStream(join(FORMS, `${file}.csv`)), {
      set: [['sensor', 'S1']],
      map: [
        ['start', 'ts'],
        ['impressions', 'Count'],
      ],
      ...options,
    })
    return errors.length > 0 ? errors : await counting.counts()
  }
  const sum: ImportOptions = { sumToGrain: true }
  const twice: ImportOptions = { ignore: ['Weather'] }

  test.each<[string, NativeGrain, ImportOptions, Record<number, number>]>([
    ['half-hours', 'hour', sum, { 8: 55, 9: 91, 10: 127, 11: 163 }],
    ['two-hours', 'day', sum, { 0: 870 }],
    ['ten-minutes', 'hour', sum, { 8: 273, 9: 597 }],
    ['sparse', 'quarter_hour', {}, { 32: 23, 33: 32, 38: 41, 44: 50, 48: 59 }],
    ['every-row-twice', 'hour', { ...twice, repeatedHour: 'first' }, { 0: 23, 1: 32, 3: 41, 4: 50 }],
  ])('are right where they fit the sensor: %s (%s)', async (file, grain, options, counts) => {
    expect(await give(file, grain, options)).toEqual([[expect.any(String), counts]])
  })

  test.each<[string, NativeGrain, ImportOptions, RegExp]>([
    ['half-hours', 'quarter_hour', {}, /finest_grain hour, and give --sum-to-grain/],
    ['two-hours', 'hour', {}, /finest_grain day, and give --sum-to-grain/],
    ['weeks', 'day', {}, /multiples of 7 days apart.*no grain holds/],
    ['ten-minutes', 'quarter_hour', {}, /not the start of a quarter hour, the finest grain of the sensor(,\d+:|,file)/],
    ['ten-minutes', 'quarter_hour', sum, /multiples of 10 minutes apart, which do not add up.*finest_grain hour/],
    ['every-row-twice', 'hour', twice, /give --repeated-hour first or second/],
  ])('are refused where they do not: %s (%s, %j)', async (file, grain, options, reason) => {
    expect((await give(file, grain, options)).join()).toMatch(reason)
    expect(await counting.counts()).toEqual([])
  })
})
