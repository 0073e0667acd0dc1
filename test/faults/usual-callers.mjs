/**
 * Callers of the usual kind, in a process of their own, so that they wait for the service and for nothing else: some that
 * keep their connection, each with a key of its own, and some that come anew each time.
 */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const { url, keys, ...asked } = JSON.parse(process.argv[2])

let { paths, pauseMs } = asked
let times
let statuses

const ask = (path, key, agent) =>
  new Promise(resolve => {
    const asking = request(new URL(path, url), { agent, headers: { 'X-API-Key': key } })
    asking.setTimeout(30_000, () => asking.destroy())
    asking.on('error', () => resolve(0))
    asking.on('response', response => {
      response.on('error', () => resolve(0))
      response.on('end', () => resolve(response.statusCode)).resume()
    })
    asking.end()
  })

async function call(key, agent) {
  for (let i = 0; ; i++) {
    const began = performance.now()
    const status = await ask(paths[i % paths.length], key, agent)
    times.push(performance.now() - began)
    statuses[status] = (statuses[status] ?? 0) + 1
    await sleep(pauseMs)
  }
}

function begin() {
  times = []
  statuses = {}
}

process.on('message', told => {
  if (told.paths) ({ paths, pauseMs } = told)
  else if (told === 'begin') begin()
  else process.send({ statuses, ...figures() })
})

function figures() {
  const sorted = times.toSorted((a, b) => a - b)
  const at = share => sorted[Math.floor(sorted.length * share)]
  return { asked: sorted.length, p50: at(0.5), p99: at(0.99) }
}
process.on('disconnect', () => process.exit())

begin()
for (const key of keys) call(key, new Agent({ keepAlive: true, maxSockets: 1 }))
call(keys[0], false)
