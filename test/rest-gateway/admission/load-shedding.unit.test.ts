import { LoadShedding } from '../../../rest-gateway/admission/load-shedding'

let load: LoadShedding
/** Delays of the event loop in the current half second. */
let delaysMs: number[]

beforeEach(() => {
  jest.useFakeTimers()
  delaysMs = []
  load = new LoadShedding(
    1_000,
    { findCostliest: () => new Set(['expensive']) },
    {
      get count() {
        return delaysMs.length
      },
      // The histogram of Node includes the time between two samples.
      get mean() {
        return 1e6 * (20 + delaysMs.reduce((sum, delay) => sum + delay, 0) / delaysMs.length)
      },
      reset: () => {
        delaysMs = []
      },
    },
  )
})
afterEach(() => jest.useRealTimers())

function pass(...halfSeconds: number[][]): void {
  for (const delays of halfSeconds) {
    delaysMs = delays
    jest.advanceTimersByTime(500)
  }
}

/** Returns the callers that are refused, of those that are treated differently. */
const refused = () =>
  Object.entries({
    page: load.sheds(undefined, true),
    'no key': load.sheds(undefined, false),
    'expensive key': load.sheds('expensive', false),
    'other key': load.sheds('other', false),
  }).flatMap(([caller, isShed]) => (isShed ? [caller] : []))

test('one long pause refuses nobody, however late the next half second begins', () => {
  pass([0, 0], [4_000])
  expect(refused()).toEqual([])
  pass([], [0, 0], [4_000], [0])
  expect(refused()).toEqual([])
})

test('while the event loop is late, those without an accepted key are refused first, then pages and the most expensive keys', () => {
  pass([501], [501])
  expect(refused()).toEqual(['no key'])
  pass([1_001])
  expect(refused()).toEqual(['no key'])
  pass([1_001])
  expect(refused()).toEqual(['page', 'no key', 'expensive key'])
})

test('nobody is refused once the event loop is on time for half a second', () => {
  pass([2_000], [2_000], [0])
  expect(refused()).toEqual([])
})
