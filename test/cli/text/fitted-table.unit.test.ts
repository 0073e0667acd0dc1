import { fittedTable } from '../../../cli/text/fitted-table'

const ROWS = [
  ['c12345678901234567890123', 'a label of some length', 'Alder, Birch'],
  ['c12345678901234567890124', '', 'two\nlines'],
]

const table = (width: number) =>
  fittedTable(['id', 'label', 'companies'], ROWS, ['label', 'companies'], { width }).split('\n')

describe('a table', () => {
  test('is as wide as its texts need, with one line for each row', () => {
    expect(table(200)[3]).toBe('│ c12345678901234567890123 │ a label of some length │ Alder, Birch │')
    expect(table(200)[4]).toContain('│ two lines    │')
  })

  test('cuts its longest texts in their middle where the terminal is narrow', () => {
    expect(table(60)[3]).toBe('│ c12345678901234567890123 │ a label…length │ Alder, Birch │')
    expect(table(60)[0]).toHaveLength(60)
  })

  test('never truncates ids, and prints the values of each row one below the other where they do not fit', () => {
    expect(table(42)[3]).toBe('│ c12345678901234567890123 │ a …h │ Al…h │')
    expect(table(41)).toEqual([
      'id         c12345678901234567890123',
      'label      a label of some length',
      'companies  Alder, Birch',
      '',
      'id         c12345678901234567890124',
      'companies  two lines',
    ])
  })

  test('has numbers on the right, in groups; tab-separated values have neither', () => {
    const rows = Object.entries({ a: 1234, b: 5, c: null })
    const draw = (width?: number) => fittedTable(['id', 'counts'], rows, [], { width })
    expect(draw(80).split('\n').slice(3, 6)).toEqual(['│ a  │  1,234 │', '│ b  │      5 │', '│ c  │        │'])
    expect(draw()).toBe('id\tcounts\na\t1234\nb\t5\nc\t')
  })
})
