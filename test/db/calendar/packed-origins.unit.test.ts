import { forEachOrigin, packOrigins, unpackOrigins } from '../../../db/calendar/packed-origins'

describe('packed origins', () => {
  test.each([
    [
      'small numbers',
      [
        [0, 0],
        [1, 255],
      ],
      '\\x11' + '0000' + '01ff',
    ],
    ['an index of two bytes', [[256, 1]], '\\x21' + '010001'],
    ['counts of two, four and six bytes', [[0, 256]], '\\x12' + '000100'],
    ['a count of four bytes', [[3, 2 ** 31 - 1]], '\\x14' + '037fffffff'],
    ['a count of six bytes', [[3, 2 ** 47]], '\\x16' + '03800000000000'],
  ] as [string, [number, number][], string][])('of %s are read as they were written', (_, entries, packed) => {
    expect(packOrigins(new Map(entries))).toBe(packed)
    expect([...unpackOrigins(packed)]).toEqual(entries)
  })

  test('are ordered by place', () => {
    expect(
      packOrigins(
        new Map([
          [2, 3],
          [1, 4],
        ]),
      ),
    ).toBe('\\x1101040203')
  })

  test('of several days are counted and read one after the other', () => {
    const read: [number, number][] = []
    const days = packOrigins(new Map([[0, 7]])) + packOrigins(new Map([[300, 70_000]]))
    expect(forEachOrigin(days, (index, count) => read.push([index, count]))).toBe(2)
    expect(read).toEqual([
      [0, 7],
      [300, 70_000],
    ])
    expect(forEachOrigin('', () => {})).toBe(0)
  })
})
