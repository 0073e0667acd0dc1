/** Preloaded into the service when it is profiled: SIGUSR2 starts a CPU profile, the next one writes it to the file PROFILE. */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { startedFile } from './started-file'

const INTERVAL_MICROSECONDS = 200

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS })

let running = false

process.on('SIGUSR2', () => {
  running = !running
  const file = process.env.PROFILE as string
  if (running) return session.post('Profiler.start', () => writeFileSync(startedFile(file), ''))
  session.post('Profiler.stop', (error, { profile }) => {
    if (error) throw error
    // Renamed when it is complete: the reader waits for the file to exist.
    writeFileSync(`${file}.part`, JSON.stringify(profile))
    renameSync(`${file}.part`, file)
  })
})
