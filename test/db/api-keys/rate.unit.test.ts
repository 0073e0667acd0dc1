import { formatRate, parseRate } from '../../../db/api-keys/rate'

test.each([
  ['6000/min', { requests: 6000, seconds: 60 }],
  ['5/s', { requests: 5, seconds: 1 }],
  ['1000000000/d', { requests: 1_000_000_000, seconds: 86_400 }],
  ['100/h', { requests: 100, seconds: 3600 }],
])('%s is parsed, and formatted back to the same text', (text, rate) => {
  expect(parseRate(text)).toEqual(rate)
  expect(formatRate(rate)).toBe(text)
})

test.each(['', '60', '0/min', '-1/min', '1.5/min', '10/minute', '10/constructor', '1000000001/s', ' 1/s'])(
  '%p is not a rate',
  text => {
    expect(parseRate(text)).toBeUndefined()
  },
)
