/** Describes the machine and the versions of the software that is measured. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../paths'
import type { CpuLayout } from '../servers/processes'

const PACKAGES = ['pg', 'koa', '@apollo/server', 'graphql-jit'].map(name => `node_modules/${name}`)

const PEER_PACKAGES = [
  ...['fastify', '@fastify/etag', '@fastify/helmet', '@fastify/rate-limit', 'fastify-metrics'],
].map(name => `bench/node_modules/${name}`)

const readVersion = (directory: string): string =>
  JSON.parse(readFileSync(join(ROOT, directory, 'package.json'), 'utf8')).version

/** The items of a Markdown list. @param postgres version of PostgreSQL */
export function machine(postgres: string, { server, postgres: database, generator }: CpuLayout): string[] {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim()
  const versions = [...PACKAGES, ...PEER_PACKAGES].map(
    each => `${each.replace(/^.*node_modules\//, '')} ${readVersion(each)}`,
  )
  const pinned =
    server === undefined
      ? 'not pinned'
      : `servers on CPU ${server}, PostgreSQL on ${database}, load generator on ${generator}`
  return [
    `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB; ${pinned}; load average at the end ${loadavg()
      .map(load => load.toFixed(1))
      .join(', ')}`,
    `commit ${commit}; Node ${process.version}, PostgreSQL ${postgres} with the embedded settings; ${versions.join(', ')}`,
  ]
}
