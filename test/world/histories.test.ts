/** Each of these histories has once shown a fault, or detects a mutant that no other does. After each command, everything that the service says is compared. */
import { dayOf } from './calendar'
import { Scenario } from './scenario'

jest.setTimeout(300_000)

const EASTERN = { A: 'America/Toronto', B: 'America/Vancouver', C: 'Europe/Berlin' }
const NOTE = { note: 'a bus parked before it' }

test.each<[string, Record<string, string>, (play: Scenario) => Promise<unknown>]>([
  [
    'a daily count is set aside with the asset and date that it belongs to',
    EASTERN,
    async play => {
      await play.sensor('S', 'day', 'A')
      await play.counts('S', 'A', { '2025-04-05': 205, '2025-04-06': 206 })
      await play.setAside('S', play.at('A', '2025-04-06'), play.at('B', '2025-04-06'), NOTE)
      await play.move('S', 'B', 'B', '2025-04-06')
      await play.counts('S', 'B', { '2025-04-06': 306, '2025-04-07': 307 })
      await play.move('S', 'A', 'B', '2025-04-06')
      await play.restore([...play.state.stretches.keys()][0]!)
    },
  ],
  [
    'a company that had a sensor, and has it again, sees nothing of what another one does with it meanwhile',
    EASTERN,
    async play => {
      await play.sensor('S', 'hour', 'A')
      await play.move('S', 'C', 'C', '2025-04-03')
      await play.runOther(['import', 'vendors', '-'], 'name,own,finest_grain', 'Another,false,hour')
      await play.runOther(['import', 'sensors', '-'], 'serial,model,vendor_id', 'S,m2,Another')
      const health = ['import', 'health', '-']
      await play.runOther(health, 'sensor,checked_at,status', 'S,2025-04-05T10:00:00Z,degraded')
      await play.move('S', 'A', 'A', '2025-04-08')
      await play.runOther(health, 'sensor,checked_at,status,reason', 'S,2025-04-05T11:00:00Z,degraded,dirt')
      await play.counts('S', 'A', { '2025-04-01': 1, '2025-04-09': 2 })
      await play.counts('S', 'C', { '2025-04-04': 3, '2025-04-05': 4 })
      await play.counts('S', 'C', { '2025-04-04': 5 }, { note: 'recalibrated', isPublic: true })
      const note = { asset: null, serial: 'S', kind: 'break', text: 'New lens', internal: false }
      for (const date of ['2025-04-01', '2025-04-04']) {
        await play.addNote({ ...note, from: dayOf(date), to: dayOf(date) })
      }
      await play.setAside('S', play.at('C', '2025-04-05'), play.at('C', '2025-04-07'), { note: 'fog', isPublic: true })
      await play.counts('S', 'C', { '2025-04-05': 6, '2025-04-06': 7 })
      await play.restore([...play.state.stretches.keys()][0]!)
      await play.counts('S', 'C', { '2025-04-05': undefined }, { erase: true })
      await play.deleteImpressions('S', dayOf('2025-04-04'), dayOf('2025-04-06'))
      await play.setAttributes(play.asset('C'), ['FR', 'FR-75', 'Paris'])
      await play.correctZone(play.asset('C'), 'Europe/London')
      await play.move('S', null, 'C', '2025-04-07')
      await play.close('companytwo01', dayOf('2025-03-31'))
      await play.deleteAsset(play.asset('C'), { note: 'gone', restate: true })
    },
  ],
  [
    'newer counts at another company do not turn what was not delivered into something unknown',
    EASTERN,
    async play => {
      await play.sensor('S', 'hour', 'A')
      await play.counts('S', 'A', { '2025-04-05 10:00': 1 })
      await play.move('S', 'C', 'A', '2025-04-07')
      await play.counts('S', 'C', { '2025-04-08 10:00': 2 })
    },
  ],
  [
    'daily counts that are set aside keep their dates when the zone is corrected',
    EASTERN,
    async play => {
      await play.sensor('S', 'day', 'A')
      await play.counts('S', 'A', { '2025-04-05': 1, '2025-04-06': 2, '2025-04-07': 3 })
      await play.setAside('S', play.at('A', '2025-04-06'), play.at('A', '2025-04-07'), NOTE)
      await play.correctZone(play.asset('A'), 'Pacific/Auckland')
      await play.restore([...play.state.stretches.keys()][0]!)
    },
  ],
  [
    'hours that are set aside move with their sensor and time zone, need a place like all others, and are deleted where they are',
    { A: 'Europe/Berlin', B: 'America/Vancouver', C: 'Australia/Lord_Howe' },
    async play => {
      await play.sensor('S', 'hour', 'A')
      await play.counts('S', 'A', {
        '2025-04-05 10:00': 1,
        '2025-04-05 23:00': 2,
        '2025-04-06 01:00': 3,
        '2025-04-06 10:00': 4,
      })
      await play.setAside('S', play.at('A', '2025-04-05 23:00'), play.at('A', '2025-04-06 02:00'), NOTE)
      await play.setAside('S', play.at('A', '2025-04-06 09:00'), play.at('A', '2025-04-06 12:00'), NOTE)
      await play.move('S', 'B', 'A', '2025-04-06')
      await play.correctZone(play.asset('B'), 'Pacific/Auckland')
      await play.correctZone(play.asset('B'), 'Asia/Kathmandu')
      await play.move('S', null, 'A', '2025-04-06')
      await play.deleteImpressions('S', dayOf('2025-04-06'), dayOf('2025-04-06'))
      for (const id of [...play.state.stretches.keys()]) await play.restore(id)
    },
  ],
  [
    'a daily count stays at its asset when its date then begins nearer at the next one',
    { A: 'America/Vancouver', B: 'America/Anchorage', C: 'Europe/Berlin' },
    async play => {
      await play.sensor('S', 'day', 'A')
      await play.counts('S', 'A', { '2025-04-05': 205, '2025-04-06': 206 })
      await play.move('S', 'B', 'B', '2025-04-06')
      await play.correctZone(play.asset('A'), 'Europe/Berlin')
    },
  ],
  [
    'a closed month is what it was before it was closed, after the close is taken back',
    EASTERN,
    async play => {
      await play.sensor('S', 'day', 'A')
      await play.counts('S', 'A', { '2025-03-31': 1, '2025-04-01': 2 })
      await play.close('companyone01', dayOf('2025-03-31'))
      await play.counts('S', 'A', { '2025-03-31': 2 })
      await play.close('companyone01', dayOf('2025-04-30'))
      await play.undoClose('companyone01', dayOf('2025-03-31'))
      await play.undoClose('companyone01', dayOf('2025-04-30'))
      await play.undoClose('companyone01', dayOf('2025-03-31'))
      await play.counts('S', 'A', { '2025-03-31': 3 })
      await play.undoClose('companyone01', dayOf('2025-03-31'))
    },
  ],
  [
    'a day that gets its first value by a move has no restatement, the day that loses it has one',
    EASTERN,
    async play => {
      await play.sensor('S', 'quarter_hour', 'A')
      await play.counts('S', 'A', { '2025-04-05 10:00': 1, '2025-04-05 10:15': 2 })
      await play.move('S', 'B', 'A', '2025-04-05 10:15', { note: 'moved on Friday', isPublic: true })
      await play.move('S', 'A', 'A', '2025-04-05 10:15')
    },
  ],
  [
    'counts that arrive for a stretch are set aside with it, first ones too',
    EASTERN,
    async play => {
      await play.sensor('S', 'quarter_hour', 'A')
      await play.counts('S', 'A', { '2025-04-05 10:00': 1 })
      await play.setAside('S', play.at('A', '2025-04-05 10:00'), play.at('A', '2025-04-05 11:00'), NOTE)
      await play.counts('S', 'A', { '2025-04-05 10:00': 2, '2025-04-05 10:15': 3, '2025-04-05 11:00': 4 })
      await play.counts('S', 'A', { '2025-04-05 10:15': undefined, '2025-04-05 10:30': 5 }, { erase: true })
      await play.restore([...play.state.stretches.keys()][0]!)
    },
  ],
  [
    'days that begin at one o’clock, last 24 and a half hours or have an hour twice have all their intervals',
    { A: 'Asia/Beirut', B: 'Australia/Lord_Howe', C: 'Africa/Casablanca' },
    async play => {
      for (const [serial, grain, asset] of [
        ['S', 'minute', 'A'],
        ['T', 'quarter_hour', 'B'],
        ['U', 'hour', 'B'],
        ['V', 'hour', 'C'],
      ] as const) {
        await play.sensor(serial, grain, asset)
      }
      await play.counts('S', 'A', { '2025-03-29 23:59': 1, '2025-03-30 01:00': 2_147_483_647, '2025-03-30 01:01': 0 })
      await play.counts('T', 'B', { '2025-04-06 01:30': 4, '2025-04-06 01:45': 5, '2025-04-06 02:00': 6 })
      await play.counts('U', 'B', { '2025-04-06 01:30': 7, '2025-04-06 02:00': 8 })
      await play.counts('V', 'C', { '2025-04-06 01:00': 9, '2025-04-06 03:00': 10 })
    },
  ],
  [
    'what is committed while the clock is ahead or behind keeps its order',
    EASTERN,
    async play => {
      await play.sensor('S', 'day', 'A')
      await play.counts('S', 'A', { '2025-04-05': 205, '2025-04-06': 206 })
      for (const days of [3, -2, 0]) {
        await play.setClock(days * 86_400)
        await play.counts('S', 'A', { '2025-04-06': 300 + days }, { note: 'late', isPublic: true })
      }
    },
  ],
  [
    'a closed month is changed by no command, and may be by each with a reason',
    EASTERN,
    async play => {
      const [day, id] = [dayOf('2025-03-31'), play.asset('A')]
      await play.sensor('S', 'day', 'A')
      await play.counts('S', 'A', { '2025-03-31': 1, '2025-04-02': 2 })
      await play.sensor('T', 'hour', 'A')
      await play.counts('T', 'A', { '2025-03-30 10:00': 3, '2025-03-31 10:00': 4 })
      await play.setAside('T', play.at('A', '2025-03-30'), play.at('A', '2025-03-31'), NOTE)
      for (const [kind, name] of [
        ['origins', 'DE|DE-BE|Berlin'],
        ['demographics', 'male|18-24'],
      ] as const) {
        await play.importFacts(kind, id, [{ day, name, value: 5 }], {})
      }
      await play.close('companyone01', day)
      for (const said of [{}, { note: 'lost', restate: true }]) {
        await play.restore([...play.state.stretches.keys()][0]!, said)
        await play.setAside('T', play.at('A', '2025-03-31'), play.at('A', '2025-04-01'), { ...NOTE, ...said })
        await play.counts('S', 'A', { '2025-03-31': undefined }, { erase: true, ...said })
        await play.counts('S', 'A', { '2025-03-31': 3 }, said)
        await play.deleteFacts('origins', id, day, day, said)
        await play.importFacts('demographics', id, [{ day, name: 'male|18-24', value: 6 }], said)
        await play.correctZone(id, 'Pacific/Auckland', said)
        await play.move('S', 'B', 'A', '2025-03-31', said)
        await play.deleteImpressions('S', day, day, said)
      }
      await play.deleteSensor('S')
      await play.deleteAsset(id)
      await play.deleteAsset(id, { note: 'gone', restate: true })
    },
  ],
])('%s', (_, zones, lines) => Scenario.play(zones, lines))

test('the rules of two zones with counts are put in force at once', async () => {
  const from = dayOf('2025-03-30') * 86_400
  const shifts = new Map(['America/Vancouver', 'America/Edmonton'].map(zone => [zone, { from, seconds: -3600 }]))
  await Scenario.play(
    { A: 'America/Vancouver', B: 'America/Edmonton', C: 'Europe/Berlin' },
    async play => {
      for (const [serial, asset] of [
        ['SA', 'A'],
        ['SB', 'B'],
      ] as const) {
        await play.sensor(serial, 'quarter_hour', asset)
        await play.counts(serial, asset, { '2025-03-29 23:45': 1, '2025-04-01 00:00': 2, '2025-04-01 23:45': 3 })
      }
      await play.updateZones()
    },
    shifts,
  )
})

test('the rules of a zone that its asset has left are put in force as well', async () => {
  const shift = { from: dayOf('2025-03-30') * 86_400, seconds: -3600 }
  await Scenario.play(
    { A: 'America/Vancouver' },
    async play => {
      await play.sensor('S', 'quarter_hour', 'A')
      await play.counts('S', 'A', { '2025-04-01 12:00': 2 })
      await play.correctZone(play.asset('A'), 'Europe/Berlin')
      await play.updateZones()
      await play.correctZone(play.asset('A'), 'America/Vancouver')
    },
    new Map([['America/Vancouver', shift]]),
  )
})
