/**
 * Files in the forms in which counts come, through the command. Each file of `forms/` has cases of this form:
 *
 *     == what it is (GRAIN ZONE SERIAL…)        by default `hour Europe/Berlin S-1`; `S-1@FROM/TO` was installed then
 *     the lines of the file
 *     $ the options of `import impressions`, as in a shell
 *     SERIAL DATE TIME=COUNT …                  all counts that are stored; times have an offset on days of a clock change
 *     ! LINE: reason                            each error in its order, `! 2-5:` one for each of these lines; `…` is any text
 *     ~ SERIAL TIME PARTS                       an interval without a count, because parts of it are missing
 *
 * The cases of `given.txt` are named after the files of a folder beside the project, and have no lines of their own.
 *
 * Each option that the message of a refused file names either stores nothing, or what a further run of the case says.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NativeGrain } from '../../schema/generated'
import { withoutTriggers } from '../support/databases'
import { like, splitWords } from '../support/text'
import { World } from '../support/world'
import { Calendar, dayOf, days as range } from '../world/calendar'

interface Run {
  options: string
  counts: string[]
  /** Other results, by their mark. */
  said: Record<Mark, string[]>
}

interface Case {
  name: string
  setup: string
  text: string
  runs: Run[]
}

type Mark = '!' | '~'

const DEFAULT_SETUP = 'hour Europe/Berlin S-1'
const FOLDER = join(__dirname, 'forms')
const GIVEN = join(__dirname, '..', '..', '..', 'shared', 'data', 'forms')
const isGiven = existsSync(GIVEN)
if (!isGiven) console.warn('The files of given.txt are not there: their tests are skipped.')

function readCases(file: string): Case[] {
  const parts = readFileSync(join(FOLDER, file), 'utf8').split(/^== /m).slice(1)
  return parts.map(part => {
    const [head = '', ...runs] = part.trimEnd().split(/^\$ ?/m)
    const [, name = '', setup = DEFAULT_SETUP, text = ''] = /^(.*?)(?: \(([^()]+)\))?\n(?:(.*)\n)?$/s.exec(head) ?? []
    return { name, setup, text, runs: runs.map(readRun) }
  })
}

function readRun(text: string): Run {
  const [options = '', ...lines] = text.trimEnd().split('\n')
  const of = (mark: string) => lines.flatMap(line => (line.startsWith(`${mark} `) ? line.slice(2) : []))
  const counts = lines.filter(line => !/^[!~] /.test(line))
  return { options, counts, said: { '!': of('!').flatMap(spread), '~': of('~') } }
}

/** Returns an error for each line of `2-5: reason`. */
function spread(error: string): string[] {
  const [, first, last, reason] = /^(\d+)-(\d+)(: .*)$/.exec(error) ?? []
  return first === undefined ? [error] : range(Number(first), Number(last)).map(line => `${line}${reason}`)
}

const FLAGS = ['across', 'sum-to-grain', 'short-rows', 'wide']

/** Returns the options that a message names, of those by which rows are read; `--interval` says what they are. */
function findProposed(message: string): string[] {
  const found = [...message.matchAll(/--([a-z-]+)(?: ('[^']*'|"[^"]*"|[^\s,;:()]+))?/g)]
  const options = found.map(([, name = '', value = '']) => (FLAGS.includes(name) ? `--${name}` : `--${name} ${value}`))
  return [...new Set(options)].filter(option => !/^--(interval|skip-faulty|extend-installations) /.test(option))
}

let world: World
let made = ''
let isEmpty = true
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

/** Makes sensors, or empties those that are there. */
async function prepare(setup: string): Promise<void> {
  const isExtended = setup.includes('@')
  if (setup === made && isEmpty && !isExtended) return
  isEmpty = true
  if (setup === made && !isExtended) {
    await world.owner.query(withoutTriggers('DELETE FROM sensor_days'))
    return
  }
  const [grain, time_zone, ...serials] = setup.split(' ') as [NativeGrain, string, ...string[]]
  await world.clear()
  await world.make.together(async make => {
    const asset = await make.asset({ time_zone })
    const vendor = await make.vendor(grain)
    for (const text of serials) {
      const [serial, installed_at = '2010-01-01T00:00Z', removed_at = null] = text.split(/[@/]/)
      await make.sensor({ asset, vendor, serial, grain, installed_at, removed_at })
    }
  })
  made = setup
}

/** Imports a file. Nothing else is stored. */
async function run({ name, setup, text }: Case, options: string): Promise<{ run: Run; messages: string }> {
  await prepare(setup)
  const { code, stdout, stderr } = await world.run(
    ['import', 'impressions', '-', '--json', ...splitWords(options)],
    text || readFileSync(join(GIVEN, name), 'utf8'),
  )
  const [grain, zone] = setup.split(' ') as [NativeGrain, string]
  const counts = await readCounts(Calendar.of(zone), grain)
  isEmpty = counts.length === 0
  const [file] = stdout === '' ? [] : (JSON.parse(stdout).files ?? [])
  const errors = file
    ? file.faults.map(({ line, reason }: { line: number; reason: string }) => `${line ?? 'file'}: ${reason}`)
    : [stderr.trim()]
  expect(code === 0).toBe(file?.refused === false)
  const incomplete = (file?.incomplete ?? []).map((each: object) => Object.values(each).join(' '))
  return {
    run: { options, counts, said: { '!': errors, '~': incomplete } },
    messages: stderr,
  }
}

async function readCounts(calendar: Calendar, grain: NativeGrain): Promise<string[]> {
  return (await world.days()).map(({ serial, date, counts }) => {
    const day = dayOf(date)
    const isPlain = calendar.end(day) - calendar.start(day) === 86_400
    const starts = calendar.starts(day, grain).map(start => calendar.format(start))
    const times = starts.map(start => `${start.slice(11, 16)}${isPlain ? '' : start.slice(19)}`)
    return `${serial} ${date} ${times.flatMap((time, i) => (counts[i]! < 0 ? [] : [`${time}=${counts[i]}`])).join(' ')}`
  })
}

describe.each(readdirSync(FOLDER))('%s', file => {
  const testEach = file === 'given.txt' && !isGiven ? test.skip : test
  testEach.each(readCases(file).map(each => [each.name, each] as const))('%s', async (_, each) => {
    for (const { options, counts, said } of each.runs) {
      const { run: actual, messages } = await run(each, options)
      expect(actual).toEqual({
        options,
        counts,
        said: { '!': said['!'].map(like), '~': said['~'] },
      })
      if (counts.length > 0) continue
      const right = [[], ...each.runs.map(other => other.counts)]
      for (const proposed of findProposed(messages)) {
        const { run: outcome } = await run(each, `${options} ${proposed}`)
        expect([proposed, right]).toEqual([proposed, expect.arrayContaining([outcome.counts])])
      }
    }
  })
})
