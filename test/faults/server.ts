/** A PostgreSQL server that a test can kill, pause and restart. The service does not restart it. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountFor } from '../../db/embedded/account'
import { findBinaries } from '../../db/embedded/binaries'
import { findPostmaster } from '../../db/embedded/postmaster'
import { initdb, startServer } from '../../db/embedded/server'
import { withPool } from '../../db/postgres/pool'
import { type Env, isAlive } from '../support/command'

const PASSWORD = 'faults'

export class Server {
  private port = 0

  private readonly home = mkdtempSync(join(tmpdir(), 'partner-metrics-faults-'))
  private readonly account = accountFor(this.home)

  private constructor(private readonly bin?: string) {
    chmodSync(this.home, 0o711)
  }

  /** @param bin the directory of PostgreSQL's programs, by default those of the embedded one */
  static async start(bin?: string): Promise<Server> {
    const server = new Server(bin)
    await initdb(server.home, server.programs, server.account, PASSWORD, false)
    await server.restart()
    await withPool(server.url('postgres', 'postgres'), { max: 1 }, async pool => {
      await pool.query(`CREATE ROLE reader LOGIN PASSWORD '${PASSWORD}'`)
      await pool.query('CREATE DATABASE metrics')
    })
    return server
  }

  /**
   * Starts a replica: a copy of the files, which follows this server.
   *
   * @param settings lines of its configuration
   */
  async replicate(...settings: string[]): Promise<Server> {
    const replica = new Server(this.bin)
    const cluster = join(replica.home, 'cluster')
    const label = await withPool(this.ownerUrl, { max: 1 }, async pool => {
      await pool.query(`SELECT pg_backup_start('copy', true)`)
      // Files of finished transactions may disappear while they are copied.
      execFileSync('cp', ['-a', join(this.home, 'cluster'), cluster], { stdio: 'ignore' })
      return (await pool.query('SELECT labelfile FROM pg_backup_stop(false)')).rows[0].labelfile
    })
    rmSync(join(cluster, 'postmaster.pid'))
    for (const [file, content] of [
      ['backup_label', label],
      ['standby.signal', ''],
    ] as const) {
      writeFileSync(join(cluster, file), content)
      if (this.account) chownSync(join(cluster, file), this.account.uid, this.account.gid)
    }
    const lines = [`primary_conninfo = '${this.conninfo}'`, 'hot_standby_feedback = on', ...settings]
    appendFileSync(join(cluster, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)
    await replica.restart()
    return replica
  }

  /** The settings of a service that uses it. */
  get env(): Env {
    return { DATABASE_URL: this.ownerUrl, READER_DATABASE_URL: this.readerUrl }
  }

  /** The settings of a service that reads from replicas too. */
  envWith(...replicas: Server[]): Env {
    const hosts = [this, ...replicas].map(({ host }) => host).join()
    return { ...this.env, READER_DATABASE_URL: this.readerUrl.replace(this.host, hosts) }
  }

  /** Host and port. */
  get host(): string {
    return `127.0.0.1:${this.port}`
  }

  get readerUrl(): string {
    return this.url('reader', 'metrics')
  }

  /** The connection of a replica to it. */
  get conninfo(): string {
    return `host=127.0.0.1 port=${this.port} user=postgres password=${PASSWORD}`
  }

  get ownerUrl(): string {
    return this.url('postgres', 'metrics')
  }

  /** Runs statements as its superuser. @returns the rows of the last one */
  query(...statements: string[]): Promise<Record<string, unknown>[]> {
    return withPool(this.ownerUrl, { max: 1 }, async pool => {
      let rows: Record<string, unknown>[] = []
      for (const statement of statements) ({ rows } = await pool.query(statement))
      return rows
    })
  }

  async restart(): Promise<void> {
    // The server refuses to start until the children of the killed one have ended.
    while (!findPostmaster(this.home)) {
      await startServer(this.home, this.programs, this.account, {}, this.port)
      await sleep(50)
    }
    this.port = findPostmaster(this.home)?.port as number
  }

  kill(): void {
    this.signal('SIGKILL')
  }

  /** Suspends all its processes: connections stay open, but nothing responds. */
  pause(): void {
    this.signal('SIGSTOP')
  }

  resume(): void {
    this.signal('SIGCONT')
  }

  async dispose(): Promise<void> {
    if (findPostmaster(this.home)) {
      this.resume()
      const killed = this.signal('SIGKILL')
      while (killed.some(isAlive)) await sleep(5)
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10 })
  }

  private get programs(): string {
    return this.bin ?? findBinaries(this.account)
  }

  /** @returns the process ids */
  private signal(signal: NodeJS.Signals): number[] {
    const pid = findPostmaster(this.home)?.pid as number
    const pids = [pid, ...findChildren(pid)]
    for (const each of pids) {
      try {
        process.kill(each, signal)
      } catch {
        // A child ends together with its parent.
      }
    }
    return pids
  }

  private url(user: string, database: string): string {
    return `postgres://${user}:${PASSWORD}@${this.host}/${database}`
  }
}

/** Returns the process ids of the children of a process. */
const findChildren = (pid: number): number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(child => {
      try {
        return Number(/\) \w (\d+) /.exec(readFileSync(`/proc/${child}/stat`, 'utf8'))?.[1]) === pid
      } catch {
        return false
      }
    })
