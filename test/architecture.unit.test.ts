import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

const root = join(__dirname, '..')

/** The rooms, from the outermost in: each may know those behind it. */
const ROOMS = ['cli', 'rest-gateway', 'resolvers', 'db', 'schema']

const files = ROOMS.flatMap(room =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(room, name)),
)

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

test('arrows run one way: cli → rest-gateway → resolvers → db → schema', () => {
  const wrong = files.flatMap(file =>
    [...textOf(file).matchAll(/from '(\.[^']*)'|require\('(\.[^']*)'\)/g)].flatMap(([, from, required]) => {
      const target = relative(root, resolve(root, dirname(file), (from ?? required) as string)).split(sep)[0] as string
      const [room] = file.split(sep) as [string]
      return ROOMS.includes(target) && ROOMS.indexOf(target) >= ROOMS.indexOf(room) ? [] : [`${file} → ${target}`]
    }),
  )
  expect(wrong).toEqual([])
})

test('each file opens by saying what it is in charge of', () => {
  const silent = files.filter(file => !/^(#!.*\n)?\/[*]/.test(textOf(file)))
  expect(silent).toEqual([])
})

test('SQL stands in db alone, Koa in the gateway alone, the environment is read by the command line alone', () => {
  const strangers = (pattern: RegExp, allowed: string[]) =>
    files.filter(file => pattern.test(textOf(file)) && !allowed.includes(file.split(sep)[0] as string))
  expect(strangers(/from 'pg'/, ['db', 'cli'])).toEqual([])
  expect(strangers(/from 'koa'/, ['rest-gateway'])).toEqual([])
  expect(strangers(/process\.env/, ['cli'])).toEqual([])
  expect(strangers(/from 'graphql/, ['rest-gateway', 'resolvers', 'schema'])).toEqual([])
})
