/** Wrong numbers: commits, feed, restatements, as_of, retention, moves, zones. */
import type { Mutant } from './mutant'

export default [
  {
    mutant: 'a day is over as soon as it has ended, before its last counts can arrive',
    file: 'db/queries/as-of/moment.ts',
    replace: 'SECONDS_UNTIL_OVER = 6 * 3600',
    by: 'SECONDS_UNTIL_OVER = 0',
    test: 'world/world',
    name: 'history 1$',
  },
  {
    mutant: 'the end of what is set aside is set aside, too',
    file: 'db/counts/set-aside-day.ts',
    replace: 'instant < to &&',
    by: 'instant <= to &&',
    test: 'world/histories',
    name: 'a daily count is set aside',
  },
] satisfies Mutant[]
