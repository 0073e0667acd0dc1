/** The questions by group. The first one is answered when the page opens. */
import { ASSET_QUESTIONS } from './assets'
import { DEMOGRAPHIC_QUESTIONS } from './demographics'
import { NETWORK_QUESTIONS } from './network'
import type { Question } from './question'
import { SENSOR_QUESTIONS } from './sensors'

export const GROUPS: Readonly<Record<string, readonly Question[]>> = {
  Assets: ASSET_QUESTIONS,
  Network: NETWORK_QUESTIONS,
  Demographics: DEMOGRAPHIC_QUESTIONS,
  'Sensors and gaps': SENSOR_QUESTIONS,
}

export const QUESTIONS: readonly Question[] = Object.values(GROUPS).flat()

export const findQuestion = (id: string | undefined): Question | undefined =>
  QUESTIONS.find(question => question.id === id)
