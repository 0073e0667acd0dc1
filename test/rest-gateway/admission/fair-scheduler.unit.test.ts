import fc from 'fast-check'
import { FairScheduler, type Release } from '../../../rest-gateway/admission/fair-scheduler'

const MAX_WAIT_MS = 3_000

/** Requests of several callers at a scheduler. They run until they are finished. */
class Requests {
  /** The names of the requests that have started, in order. */
  readonly started: string[] = []
  /** The names of all requests that have arrived. */
  arrived = ''
  readonly refused: string[] = []
  private readonly running: { name: string; release: Release }[] = []
  readonly scheduler: FairScheduler

  constructor(slots: number) {
    this.scheduler = new FairScheduler(slots, MAX_WAIT_MS)
  }

  /** Each letter is a request of the caller with that name. Capital letters are ad hoc queries. */
  async arrive(names: string): Promise<void> {
    this.arrived += names
    for (const name of names) {
      this.scheduler.acquire(name.toLowerCase(), name !== name.toLowerCase()).then(release => {
        if (release) this.started.push(name)
        else this.refused.push(name)
        if (release) this.running.push({ name, release })
      })
    }
    await settle()
  }

  /** Finishes the oldest running request of each of these callers. */
  async finish(names: string): Promise<void> {
    for (const name of names) {
      const index = this.running.findIndex(request => request.name === name)
      if (index < 0) throw new Error(`no request of ${name} is running`)
      this.running.splice(index, 1)[0]?.release()
      await settle()
    }
  }

  /** The names of the requests that wait. */
  get waiting(): string {
    return this.started.reduce((names, name) => names.replace(name, ''), this.arrived)
  }

  /** The names of the running requests, sorted. */
  get active(): string {
    return this.running
      .map(({ name }) => name)
      .sort()
      .join('')
  }
}

/** Promises that can resolve have resolved. */
const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0)

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

/** `+` requests arrive; `-` they finish; `=` these run; `>` all that have started, in their order. */
test.each([
  ['a single caller uses all slots', 4, '+aaaaaa =aaaa -a =aaaa'],
  ['callers that wait are served in turn, however many requests each of them has', 1, '+aaaabbc -aabcab >aabcaba'],
  ['a new caller waits for one request of each other caller', 1, '+aaaabbbb +c -aab >aabc'],
  ['while others wait a caller has at most half of the slots', 4, '+aaaaaaaa +bbbb =aaaa -aa =aabb -a =aabb -b =aabb'],
  ['a caller may exceed its half while nobody else waits', 4, '+b +aaaaaaaa =aaab -b =aaaa +b -a =aaab'],
  [
    'ad hoc queries leave a quarter of the slots to persisted queries',
    8,
    '+AAAAAAAAAA =AAAAAA +BBB =AAAAAA +ccc =AAAAAAcc -A =AAAAABcc -A =AAAABccc',
  ],
  ['a few ad hoc queries of an analyst do not wait beside a partner', 10, '+p +AAAA =AAAAp -AAAA +AAAA =AAAAp'],
  ['the ad hoc queries of a caller do not delay its persisted queries', 2, '+AAAAa =Aa -a =A +aa =Aa -a >Aaaa'],
  ['with a single slot ad hoc queries are served, too', 1, '+Ab -Ab >Ab'],
])('%s', async (_, slots, script) => {
  const requests = new Requests(slots)
  for (const [step, names] of script.split(' ').map(text => [text[0], text.slice(1)] as const)) {
    if (step === '+') await requests.arrive(names)
    else if (step === '-') await requests.finish(names)
    else expect(step === '=' ? requests.active : requests.started.join('')).toBe(names)
  }
})

const arrivals = fc.array(fc.string({ unit: fc.constantFrom(...'abcAB'), maxLength: 6 }), { maxLength: 12 })

test('whatever arrives, no slot is free while a persisted query waits, ad hoc queries have their share, and all are served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), arrivals, async (slots, batches) => {
      const requests = new Requests(slots)
      const check = () => {
        const { active, waiting } = requests
        expect(active.length).toBeLessThanOrEqual(slots)
        if (/[a-z]/.test(waiting)) expect(active).toHaveLength(slots)
        expect(active.replace(/[a-z]/g, '').length).toBeLessThanOrEqual(Math.max(1, Math.floor(slots * 0.75)))
      }
      for (const names of batches) {
        await requests.arrive(names)
        check()
        if (requests.active) await requests.finish(requests.active[0] as string)
        check()
      }
      while (requests.active) await requests.finish(requests.active[0] as string)
      expect(requests.started.toSorted()).toEqual([...batches.join('')].toSorted())
      expect(requests.scheduler.waiting).toBe(0)
    }),
  )
})

test('with a single slot, no caller is served twice while another one waits', async () => {
  await fc.assert(
    fc.asyncProperty(arrivals, async batches => {
      const requests = new Requests(1)
      for (const names of batches) await requests.arrive(names.toLowerCase())
      let last = ''
      // The first one starts before others have arrived.
      await requests.finish(requests.active)
      while (requests.active) {
        const name = requests.active
        if (name === last) expect(requests.waiting.replaceAll(name, '')).toBe('')
        last = name
        await requests.finish(name)
      }
    }),
  )
})

test('a request that waits too long is refused, and takes no slot later', async () => {
  const requests = new Requests(1)
  await requests.arrive('ab')
  await jest.advanceTimersByTimeAsync(MAX_WAIT_MS - 1)
  expect(requests.refused).toEqual([])
  await jest.advanceTimersByTimeAsync(1)
  expect(requests.refused).toEqual(['b'])
  expect(requests.scheduler.waiting).toBe(0)
  await requests.finish('a')
  await requests.arrive('c')
  expect(requests.started.join('')).toBe('ac')
})

test('beyond a thousand waiting requests, and beyond five hundred of one caller, requests are refused at once', async () => {
  const requests = new Requests(1)
  await requests.arrive('a'.repeat(1 + 500))
  expect(requests.refused).toEqual([])
  await requests.arrive('a')
  expect(requests.refused).toEqual(['a'])
  await requests.arrive('b'.repeat(500))
  expect(requests.refused).toEqual(['a'])
  await requests.arrive('c')
  expect(requests.refused).toEqual(['a', 'c'])
  await requests.finish('a')
  await requests.arrive('c')
  expect(requests.refused).toEqual(['a', 'c'])
})
