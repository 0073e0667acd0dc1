import { HostStates } from '../../../db/postgres/hosts/host-states'

const LAG = 1_000

const PRIMARY = 0
const [FIRST, SECOND] = [1, 2] as const

let states: HostStates

beforeEach(() => {
  states = new HostStates(3, LAG)
})

const primary = (lsn: number, at: number, { host = PRIMARY as number, timeline = 1 } = {}) =>
  states.answered(host, { isStandby: false, lsn, timeline, startedAt: '' }, at, at)

const standby = (host: number, lsn: number, at: number, startedAt = '') =>
  states.answered(host, { isStandby: true, lsn, timeline: null, startedAt }, at, at)

const order = (at: number, rank = 0, last?: number) => states.order(rank, last, at)

describe('a read', () => {
  test('stays on the host of the read before it, while that can be used', () => {
    primary(100, 0)
    standby(FIRST, 100, 0)
    standby(SECOND, 100, 0)
    expect(order(10, 0, PRIMARY)[0]).toBe(PRIMARY)
    expect(order(10, 0, SECOND)[0]).toBe(SECOND)
    states.failed(SECOND)
    expect(order(10, 0, SECOND)).toEqual([FIRST, PRIMARY, SECOND])
  })

  test('leaves a replica that lags more, until it is well within the bound', () => {
    standby(FIRST, 100, 0)
    standby(SECOND, 100, 0)
    for (let at = 0; at <= 2_000; at += 250) primary(100 + at, at)
    standby(SECOND, 2_100, 2_000)
    standby(FIRST, 1_000, 2_000)
    expect(order(2_000)).toEqual([SECOND, PRIMARY])
    standby(FIRST, 1_150, 2_010)
    expect(order(2_010)).toEqual([SECOND, PRIMARY])
    standby(FIRST, 1_900, 2_020)
    expect(order(2_020)).toEqual([FIRST, SECOND, PRIMARY])
    states.refused(FIRST)
    expect(order(2_020)).toEqual([SECOND, PRIMARY])
  })
})

test('a replica that replays nothing is behind, unless there is nothing to replay, until it has caught up', () => {
  for (let second = 0; second <= 3; second++) {
    primary(100 + second, second * 1_000)
    standby(FIRST, 100, second * 1_000)
    standby(SECOND, 100 + second, second * 1_000)
  }
  expect([states.role(FIRST), states.role(SECOND)]).toEqual(['behind', 'standby'])
  expect(order(3_000)).toEqual([SECOND, PRIMARY])
  standby(FIRST, 103, 3_250)
  expect(states.role(FIRST)).toBe('standby')
})

describe('after a failover', () => {
  beforeEach(() => {
    primary(100, 0)
    standby(FIRST, 80, 0)
    standby(SECOND, 95, 0)
    states.failed(PRIMARY)
    primary(85, 2_000, { host: FIRST, timeline: 2 })
  })

  test('the old primary is not used any more, even if it answers as one', () => {
    primary(500, 2_100)
    expect([states.role(PRIMARY), states.availablePrimary()]).toEqual(['retired', FIRST])
    expect(order(2_100)).not.toContain(PRIMARY)
  })

  test('the old primary is used again as a replica', () => {
    standby(PRIMARY, 85, 2_100, 'restarted')
    expect(order(2_100)).toContain(PRIMARY)
  })

  test('a replica with changes that the new primary lacks is not used until it restarts', () => {
    primary(86, 2_250, { host: FIRST, timeline: 2 })
    standby(SECOND, 95, 2_260)
    expect(order(2_260)).toEqual([FIRST, PRIMARY])
    primary(120, 2_500, { host: FIRST, timeline: 2 })
    standby(SECOND, 120, 2_510)
    expect(order(2_510)).toEqual([FIRST, PRIMARY])
    expect(states.role(SECOND)).toBe('diverged')
    standby(SECOND, 120, 2_600, 'restarted')
    expect(order(2_600)[0]).toBe(SECOND)
    expect(states.role(SECOND)).toBe('standby')
  })
})
