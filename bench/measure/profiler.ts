/** Loaded before the service's own code when it is profiled: SIGUSR2 begins a CPU profile, SIGUSR2 again writes it. */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'

const MICROSECONDS = 200

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.setSamplingInterval', { interval: MICROSECONDS })

let running = false

process.on('SIGUSR2', () => {
  running = !running
  if (running) return session.post('Profiler.start')
  session.post('Profiler.stop', (error, { profile }) => {
    if (error) throw error
    const file = process.env.PROFILE as string
    writeFileSync(`${file}.part`, JSON.stringify(profile))
    renameSync(`${file}.part`, file)
  })
})
