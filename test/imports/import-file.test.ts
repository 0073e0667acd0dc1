import { refused, stored } from '../support/outcomes'
import { World } from '../support/world'

describe('a file', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(() => world.clear())

  const names = async () => (await world.rows('SELECT name FROM companies ORDER BY name')).map(({ name }) => name)

  test('may have no rows', async () => {
    expect(await world.import('companies', ['id,name'])).toEqual(stored(0))
  })

  test.each([
    [
      'too many values',
      'companyb1,b,c',
      'has 3 values where the header has 2; a value that contains a comma, like 52,5069, has to be in double quotes',
    ],
    [
      'too few values',
      'companyb1',
      'has 1 values where the header has 2; --short-rows reads cells that are missing at its end as empty',
    ],
    ['a stray quote', 'companyb1,b"b', 'has a quote within a value that does not begin with one'],
    ['an invalid value', 'B,b', /^3: id is "B", but must be an identifier/],
  ])('is refused for a row with %s; with skipFaulty the other rows are stored', async (_, row, reason) => {
    const lines = ['id,name', 'companya1,a', row, 'companyc1,c']
    expect(await world.import('companies', lines)).toEqual(
      refused(3, [typeof reason === 'string' ? `3: ${reason}` : reason]),
    )
    expect(await names()).toEqual([])
    const skipped = await world.import('companies', lines, { skipFaulty: true })
    expect(skipped).toMatchObject({ read: 3, stored: 2, rejected: 1, not_stored: 0 })
    expect(await names()).toEqual(['a', 'c'])
  })

  test.each([
    ['has no header', '', 'file: is empty: there is no header'],
    ['has an unknown column', 'id,town\ncompanya1,a\n', /^1: has unknown columns: "town"/],
    ['cannot be read to its end', 'id,name\ncompanya1,a\ncompanyb1,"b"b\n', /^3: text follows the quote/],
  ])('that %s is refused even with skipFaulty', async (_, text, reason) => {
    for (const skipFaulty of [false, true]) {
      const { errors, stored } = await world.import('companies', Buffer.from(text), { skipFaulty })
      expect([stored, errors]).toEqual([0, [typeof reason === 'string' ? reason : expect.stringMatching(reason)]])
      expect(await names()).toEqual([])
    }
  })
})
