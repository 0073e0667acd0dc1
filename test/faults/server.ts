/** A PostgreSQL server that a test can kill, pause and restart. The service does not restart it. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { accountFor } from '../../db/embedded/account'
import { findBinaries } from '../../db/embedded/binaries'
import { initdb } from '../../db/embedded/initdb'
import { findPostmaster } from '../../db/embedded/postmaster'
import { startServer } from '../../db/embedded/start-server'
import type { Env } from '../support/command'

const PASSWORD = 'faults'

export class Server {
  private port = 0

  private constructor(private readonly home: string) {}

  static async start(): Promise<Server> {
    const home = mkdtempSync(join(tmpdir(), 'partner-metrics-faults-'))
    chmodSync(home, 0o711)
    const server = new Server(home)
    const account = accountFor(home)
    await initdb(home, findBinaries(account), account, PASSWORD, false)
    await server.restart()
    const client = new Client({ connectionString: server.url('postgres', 'postgres') })
    await client.connect()
    for (const login of ['reader', 'writer']) await client.query(`CREATE ROLE ${login} LOGIN PASSWORD '${PASSWORD}'`)
    await client.query('CREATE DATABASE metrics')
    await client.end()
    return server
  }

  /** The settings of a service that uses it. */
  get env(): Env {
    return {
      DATABASE_URL: this.ownerUrl,
      READER_DATABASE_URL: this.url('reader', 'metrics'),
      WRITER_DATABASE_URL: this.url('writer', 'metrics'),
    }
  }

  get ownerUrl(): string {
    return this.url('postgres', 'metrics')
  }

  async restart(): Promise<void> {
    const account = accountFor(join(this.home, 'cluster'))
    // The server refuses to start until the children of the killed one have ended.
    while (!findPostmaster(this.home)) {
      await startServer(this.home, findBinaries(account), account, {}, this.port)
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
      this.signal('SIGKILL')
    }
    await sleep(200)
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10 })
  }

  private signal(signal: NodeJS.Signals): void {
    const pid = findPostmaster(this.home)?.pid as number
    for (const each of [pid, ...findChildren(pid)]) {
      try {
        process.kill(each, signal)
      } catch {
        // A child ends together with its parent.
      }
    }
  }

  private url(user: string, database: string): string {
    return `postgres://${user}:${PASSWORD}@127.0.0.1:${this.port}/${database}`
  }
}

/** Returns the process ids of the children of a process. */
export const findChildren = (pid: number): number[] =>
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
