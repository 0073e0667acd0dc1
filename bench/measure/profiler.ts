/** Preloaded into the service when it is profiled: SIGUSR2 starts a CPU profile, the next SIGUSR2 writes it to the file PROFILE. */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'

const INTERVAL_MICROSECONDS = 200

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS })

let running = false

process.on('SIGUSR2', () => {
  running = !running
  if (running) return session.post('Profiler.start')
  session.post('Profiler.stop', (error, { profile }) => {
    if (error) throw error
    const file = process.env.PROFILE as string
    // Renamed when it is complete: the reader waits for the file to exist.
    writeFileSync(`${file}.part`, JSON.stringify(profile))
    renameSync(`${file}.part`, file)
  })
})
