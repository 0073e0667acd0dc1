/** Random histories through the commands, with everything that the service says compared after each step. */
import { rounds } from '../support/rounds'
import { Checks } from './checks'
import { History, KEYS } from './history'
import { Random } from './random'
import { Steps, UPDATED_ZONES } from './steps'

const { WORLD_HISTORIES, WORLD_STEPS, WORLD_SEED } = process.env
const HISTORIES = Number(WORLD_HISTORIES ?? rounds(4, 200))
const STEPS = Number(WORLD_STEPS ?? rounds(6, 24))
/** A soak draws new histories; a failure names its seed. */
const FIRST_SEED = Number(WORLD_SEED ?? rounds(1, Math.floor(Date.now() / 1000) % 1_000_000))

jest.setTimeout(60_000 + STEPS * 30_000)

test.each(Array.from({ length: HISTORIES }, (_, i) => FIRST_SEED + i))('history %i', async seed => {
  const random = new Random(seed)
  const from = (Math.floor(Date.now() / 86_400_000) - 25) * 86_400
  const history = await History.open(new Map(UPDATED_ZONES.map(zone => [zone, { from, seconds: 3600 }])))
  try {
    const steps = new Steps(history, random)
    await steps.begin()
    const checks = new Checks(history, new Random(seed + 1_000_000), [steps.first, steps.last])
    await history.remember()
    await checks.run(6)
    const moving = 1 + random.below(STEPS)
    for (history.step = 1; history.step <= STEPS; history.step++) {
      if (history.step === moving) await history.transfer()
      await steps.next()
      await history.remember()
      await checks.run(6)
    }
    await checks.runAll()
    await steps.deleteCompany(KEYS.both[1])
    await checks.runAll()
  } catch (error) {
    ;(error as Error).message =
      `WORLD_SEED=${seed} step ${history.step}: ${(error as Error).message}\n${history.script.join('\n')}`
    throw error
  } finally {
    await history.close()
  }
})
