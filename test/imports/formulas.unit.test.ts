import { guardFormula } from '../../db/formulas'

describe('text for spreadsheets', () => {
  test.each(['=1+1', '+cmd', '-1+1', '@SUM(A1)', '\tx', '\rx', '-', "'=1", '=', '-1,5x', '＝1'])(
    'that would be evaluated begins with an apostrophe: %j',
    text => expect(guardFormula(text)).toBe(`'${text}`),
  )

  test.each(['-5', '+5', '-1.25', '-1,5', '-1e-7', '12', '', 'a=b', "'a", '2026-03-01'])('is unchanged: %j', text =>
    expect(guardFormula(text)).toBe(text),
  )
})
