/** `npm run generate`: writes the files that are derived from others and committed. Tests fail where one is out of date. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { addMigrationHashes } from './migration-hashes.mjs'
import { DIST, ROOT } from './paths.mjs'

const require = createRequire(import.meta.url)

const { generate } = require('../schema/codegen.js')
writeFileSync(join(ROOT, 'schema', 'generated.ts'), await generate())

await import('./build.mjs')

writeOpenApi()

const { writeSchema } = require(join(DIST, 'db', 'migrate', 'write-schema'))
await writeSchema(join(ROOT, 'db', 'migrations', 'schema.sql'))

addMigrationHashes()

function writeOpenApi() {
  const [{ schema }, { openApi }, { partnerRoutes }, { legacyRoutes }, { compileRoute }] = [
    'resolvers/schema',
    'rest-gateway/openapi/openapi',
    'rest-gateway/routes/partner',
    'rest-gateway/routes/legacy',
    'rest-gateway/routes/route',
  ].map(module => require(join(DIST, module)))
  const routes = [...partnerRoutes, ...legacyRoutes].map(record => compileRoute(record))
  const file = join('rest-gateway', 'openapi', 'openapi.json')
  writeFileSync(join(ROOT, file), JSON.stringify(openApi(schema, routes)))
  const biome = join('node_modules', '@biomejs', 'biome', 'bin', 'biome')
  const { status } = spawnSync(process.execPath, [biome, 'format', '--write', file], { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
