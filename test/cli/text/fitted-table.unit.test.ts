import { fittedTable } from '../../../cli/text/fitted-table'

const ROWS = [
  ['c12345678901234567890123', 'a label of some length', 'Alder, Birch'],
  ['c12345678901234567890124', '', 'two\nlines'],
]

const table = (width: number) =>
  fittedTable(['id', 'label', 'companies'], ROWS, ['label', 'companies'], { width }).split('\n')

describe('a table', () => {
  test('is as wide as its texts need', () => {
    expect(table(200)[3]).toBe('│ c12345678901234567890123 │ a label of some length │ Alder, Birch │')
  })

  test('truncates its longest texts with an ellipsis where the terminal is narrow', () => {
    expect(table(60)[3]).toBe('│ c12345678901234567890123 │ a label of so… │ Alder, Birch │')
    expect(table(60)[0]).toHaveLength(60)
  })

  test('never truncates ids', () => {
    expect(table(10)[3]).toBe('│ c12345678901234567890123 │ a l… │ Ald… │')
  })

  test('shows one line for each row', () => {
    expect(table(200)[4]).toContain('│ two lines    │')
  })
})
