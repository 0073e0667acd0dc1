import { buildStatement, knex, parameter } from '../../../db/queries/statements'

const [low, high] = [parameter('low'), parameter('high')]

const query = () => knex.from('t').whereRaw('(:low::int IS NULL OR a > :low)', { low }).whereBetween('b', [low, high])

test('a parameter has one number, however often the statement refers to it', () => {
  const { name, text } = buildStatement('numbers', query())
  expect(name).toBe('numbers')
  expect(text).toBe('select * from "t" where ($1::int IS NULL OR a > $1) and "b" between $1 and $2')
})

test('values come in the order of the parameters, missing ones as null, others not at all', () => {
  const statement = buildStatement<{ high?: number; low?: number; other?: number }>('numbers', query())
  expect(statement.bindValues({ high: 9, low: 1, other: 5 })).toEqual([1, 9])
  expect(statement.bindValues({ high: 9 })).toEqual([null, 9])
})

test('a value in place of a parameter is refused', () => {
  expect(() => buildStatement('numbers', knex.from('t').where('a', 1))).toThrow(
    'numbers has a binding that is not a parameter: 1',
  )
})
