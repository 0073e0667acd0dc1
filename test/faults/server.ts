/** A PostgreSQL of a test's own, which nobody but the test starts again: it can be killed, halted and brought back. */
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
    await server.bringBack()
    const client = new Client({ connectionString: server.url('postgres', 'postgres') })
    await client.connect()
    for (const login of ['reader', 'writer']) await client.query(`CREATE ROLE ${login} LOGIN PASSWORD '${PASSWORD}'`)
    await client.query('CREATE DATABASE metrics')
    await client.end()
    return server
  }

  /** What a service needs to know to work with it. */
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

  async bringBack(): Promise<void> {
    const account = accountFor(join(this.home, 'cluster'))
    // Those that the killed one has left behind take a moment to notice.
    while (!findPostmaster(this.home)) {
      await startServer(this.home, findBinaries(account), account, {}, this.port)
      await sleep(50)
    }
    this.port = findPostmaster(this.home)?.port as number
  }

  kill(): void {
    this.signal('SIGKILL')
  }

  /** Stops it where it stands, with all that it does: connections stay open, and nobody answers. */
  halt(): void {
    this.signal('SIGSTOP')
  }

  goOn(): void {
    this.signal('SIGCONT')
  }

  async dispose(): Promise<void> {
    if (findPostmaster(this.home)) {
      this.goOn()
      this.signal('SIGKILL')
    }
    await sleep(200)
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10 })
  }

  private signal(signal: NodeJS.Signals): void {
    const pid = findPostmaster(this.home)?.pid as number
    for (const each of [pid, ...childrenOf(pid)]) {
      try {
        process.kill(each, signal)
      } catch {
        // Gone with the one before.
      }
    }
  }

  private url(user: string, database: string): string {
    return `postgres://${user}:${PASSWORD}@127.0.0.1:${this.port}/${database}`
  }
}

export const childrenOf = (pid: number): number[] =>
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
