/** Runs jobs in the process of the load generator, and formats requests for it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { pinned } from '../servers/processes'
import type { Figures, Job, Report } from './generator'

export class Load {
  private readonly generator: ChildProcess

  /** @param cpus on which the generator runs; all if undefined */
  constructor(cpus: string | undefined) {
    const [program, ...args] = pinned(cpus, [process.execPath, join(__dirname, 'generator.js')])
    this.generator = spawn(program!, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  }

  /**
   * @param onStart called when the warm-up is over
   * @throws Error when a connection breaks
   */
  run(job: Job, onStart: () => void): Promise<Figures> {
    return new Promise((resolve, reject) => {
      const onMessage = (report: Report) => {
        if ('started' in report) return onStart()
        this.generator.off('message', onMessage)
        if ('figures' in report) resolve(report.figures)
        else reject(new Error(`the load generator: ${report.error}`))
      }
      this.generator.on('message', onMessage)
      this.generator.send(job)
    })
  }

  stop(): void {
    this.generator.disconnect()
  }
}

/** A GET request as sent on the wire. */
export const get = (path: string, key: string): string => head('GET', path, { 'X-API-Key': key })

/** A POST request with a JSON body as sent on the wire. */
export function post(path: string, key: string, body: string): string {
  const headers = {
    'X-API-Key': key,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
  }
  return head('POST', path, headers) + body
}

const head = (method: string, path: string, headers: Record<string, string>): string =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n`
