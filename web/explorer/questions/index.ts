/** The questions by group. The first one is answered when the page opens. */
import { ASSET_QUESTIONS } from './assets'
import { DEMOGRAPHIC_QUESTIONS } from './demographics'
import { GAP_QUESTIONS } from './gaps'
import { NETWORK_QUESTIONS } from './network'
import type { Question } from './question'

export const GROUPS: Readonly<Record<string, readonly Question[]>> = {
  Assets: ASSET_QUESTIONS,
  Network: NETWORK_QUESTIONS,
  Demographics: DEMOGRAPHIC_QUESTIONS,
  Gaps: GAP_QUESTIONS,
}

export const QUESTIONS: readonly Question[] = Object.values(GROUPS).flat()

export const findQuestion = (id: string | undefined): Question | undefined =>
  QUESTIONS.find(question => question.id === id)
