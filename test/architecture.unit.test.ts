/** Keeps the structure of the code as ARCHITECTURE.md describes it. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, sep } from 'node:path'

const root = join(__dirname, '..')

/** The layers, each with those from which it may import. */
const LAYERS: Record<string, readonly string[]> = {
  cli: ['rest-gateway', 'imports', 'resolvers', 'db', 'schema', 'client'],
  client: [],
  web: ['schema'],
  'rest-gateway': ['resolvers', 'db', 'schema'],
  imports: ['db', 'schema'],
  resolvers: ['db', 'schema'],
  db: ['schema'],
  schema: [],
}

const MAX_FILES = 16

const MAX_LINES = 250

/** Written by `npm run generate`, or recorded by tests. */
const GENERATED = ['generated.ts', 'openapi.json', 'examples.json']

function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter(file => !/^client.dist\b|\bnode_modules\b/.test(file))
}

const files = Object.keys(LAYERS).flatMap(listFiles)

const sources = files.filter(file => /\.tsx?$/.test(file))

const readText = (file: string): string => readFileSync(join(root, file), 'utf8')

const layerOf = (file: string): string => file.split(sep)[0] as string

/** Returns the imports of a file: packages by their names, files of the project by their paths. */
const imports = new Map(
  sources.map(file => {
    const found = readText(file).matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*'([^']+)'/g)
    return [file, [...found].map(([, name]) => resolveImport(file, name as string))] as const
  }),
)

function resolveImport(file: string, name: string): string {
  if (!name.startsWith('.')) return name
  const path = normalize(join(dirname(file), name)).replace(/\.js$/, '')
  return sources.find(source => [path, `${path}.ts`, `${path}.tsx`, `${path}.d.ts`].includes(source)) ?? path
}

const findImports = (file: string): string[] => imports.get(file) ?? []

/** Returns the files outside `folders` that import one of these packages. */
const importersOutside = (folders: string[], packages: RegExp): string[] =>
  sources.filter(
    file =>
      !folders.some(folder => file.startsWith(folder + sep)) && findImports(file).some(name => packages.test(name)),
  )

test('imports go one way: cli → rest-gateway → resolvers → db → schema, cli → imports → db, cli → client, and web → schema', () => {
  const wrong = sources.flatMap(file =>
    findImports(file)
      .filter(target => layerOf(target) in LAYERS && ![target, layerOf(file)].includes(layerOf(target)))
      .filter(target => !LAYERS[layerOf(file)]?.includes(layerOf(target)))
      .map(target => `${file} → ${target}`),
  )
  expect(wrong).toEqual([])
})

test('the client imports its own dependencies, and nothing of the service', () => {
  const { dependencies } = JSON.parse(readText(join('client', 'package.json')))
  const packages = sources.filter(file => layerOf(file) === 'client').flatMap(findImports)
  const others = packages.filter(name => !name.startsWith('node:') && layerOf(name) !== 'client')
  expect(others.filter(name => !(name in dependencies) && !name.startsWith('partner-metrics-client'))).toEqual([])
})

test('there are no import cycles', () => {
  const cycles: string[] = []
  const visited = new Set<string>()
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (visited.has(file)) return
    visited.add(file)
    for (const target of findImports(file)) visit(target, [...path, file])
  }
  for (const file of sources) visit(file, [])
  expect(cycles).toEqual([])
})

const written = files.filter(file => !GENERATED.includes(basename(file)))

const folders = [...new Set(written.map(dirname))]

const filesIn = (folder: string): string[] => written.filter(file => dirname(file) === folder)

const linesOf = (file: string): string[] => readText(file).trimEnd().split('\n')

const EXPORT = /^export (?:async |abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm

const exportsOf = (file: string) => [...readText(file).matchAll(EXPORT)].map(([, name]) => [file, name as string])

/** The words of each file, those of tests, the build and the benchmark among them. */
const words = new Map(
  [...sources, ...['test', 'build', 'bench'].flatMap(listFiles), 'knexfile.ts']
    .filter(file => /\.([cm]?[jt]s|tsx)$/.test(file))
    .map(file => [file, new Set(readText(file).match(/\w+/g))]),
)

/** Files of which another one imports everything. */
const wholes = new Set(
  sources.flatMap(file =>
    [...readText(file).matchAll(/import \* as \w+ from '.*\/([\w-]+)'/g)].map(([, name]) => `${name}.ts`),
  ),
)

const isNamedElsewhere = (name: string, own: string): boolean =>
  wholes.has(basename(own)) || [...words].some(([file, found]) => file !== own && found.has(name))

/** The migrations are one file for each change. */
const LARGE_FOLDERS = [join('db', 'migrations')]

/** Each rule, with whatever breaks it. */
test.each([
  [
    `no folder has more than ${MAX_FILES} files of its own`,
    folders.filter(folder => filesIn(folder).length > MAX_FILES && !LARGE_FOLDERS.includes(folder)),
  ],
  [
    'no folder has one file',
    folders.filter(folder => filesIn(folder).length === 1 && !folders.some(other => dirname(other) === folder)),
  ],
  [
    `no source file has more than ${MAX_LINES} lines`,
    sources.filter(file => written.includes(file) && linesOf(file).length > MAX_LINES),
  ],
  [
    'each source file opens with a comment on its responsibility',
    sources.filter(file => !/^(#!.*\n)?\/\*/.test(readText(file))),
  ],
  [
    'no line of an SQL file is wider than 120 columns',
    written.filter(file => /\.sql$/.test(file) && linesOf(file).some(line => line.length > 120)),
  ],
  [
    'each export is named by another file, but those of the client',
    sources
      .flatMap(exportsOf)
      .filter(
        ([file, name]) =>
          written.includes(file!) && file !== join('client', 'index.ts') && !isNamedElsewhere(name!, file!),
      ),
  ],
] as [string, unknown[]][])('%s', (_, wrong) => expect(wrong).toEqual([]))

describe('only one layer knows', () => {
  test('PostgreSQL: db, and the client for the databases of partners', () => {
    expect(importersOutside(['db', 'imports', 'client'], /^(pg|knex)($|[-/])/)).toEqual([])
  })

  test("pg's protocol and private interfaces: db/postgres", () => {
    expect(importersOutside([join('db', 'postgres')], /^pg-protocol|^pg\/lib/)).toEqual([])
    const users = sources.filter(
      file => /\bSubmittable\b/.test(readText(file)) && !file.startsWith(join('db', 'postgres')),
    )
    expect(users).toEqual([])
  })

  test('Koa: rest-gateway', () => {
    expect(importersOutside(['rest-gateway'], /^@?koa($|[-/])/)).toEqual([])
  })

  test('GraphQL: schema, resolvers and rest-gateway', () => {
    expect(
      importersOutside(['schema', 'resolvers', 'rest-gateway', 'web'], /^(graphql|@graphql|@apollo)($|[-/])/),
    ).toEqual([])
  })

  test('the environment variables: cli', () => {
    const readers = sources.filter(file => /process\.env/.test(readText(file)))
    expect(readers.filter(file => layerOf(file) !== 'cli')).toEqual([])
  })
})

test('the service sends no HTTP requests', () => {
  const isServer = (file: string) => !['cli', 'client', 'web'].includes(layerOf(file))
  const requests = /\bfetch\(|\brequest\(|\b(http|https|http2)\.(get|connect)\(|'(node:)?(https|http2|undici)'/
  expect(sources.filter(file => isServer(file) && requests.test(readText(file)))).toEqual([])
})
