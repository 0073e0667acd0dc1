/** On what was measured: the machine, and the versions of all that takes part. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../paths'
import type { Layout } from '../servers/processes'

const versionOf = (directory: string): string =>
  JSON.parse(readFileSync(join(ROOT, directory, 'package.json'), 'utf8')).version

/** Lines of a list in Markdown. */
export function machine(postgres: string, { server, postgres: database, generator }: Layout): string[] {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim()
  const packages = ['node_modules/pg', 'node_modules/koa', 'node_modules/@apollo/server', 'node_modules/graphql-jit']
  const peers = ['bench/node_modules/fastify', 'bench/node_modules/@fastify/etag', 'bench/node_modules/sofa-api']
  const versions = [...packages, ...peers].map(each => `${each.replace(/^.*node_modules\//, '')} ${versionOf(each)}`)
  const pinned =
    server === undefined ? 'not pinned' : `servers on CPU ${server}, PostgreSQL on ${database}, load from ${generator}`
  return [
    `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB; ${pinned}; load average at the end ${loadavg()
      .map(load => load.toFixed(1))
      .join(', ')}`,
    `commit ${commit}; Node ${process.version}, PostgreSQL ${postgres} with the embedded settings; ${versions.join(', ')}`,
  ]
}
