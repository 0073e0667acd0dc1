import { parse, validate } from 'graphql'
import { changedLines } from '../../../cli/import/closing-lines'
import { FACT_KINDS } from '../../../db/facts'
import { schema } from '../../../resolvers/schema'

const day = { name: 'Zoo', from: '2026-01-05', to: '2026-01-05' }
const origin = 'http://127.0.0.1:4000'

test.each([...FACT_KINDS, 'sensors' as const])(
  'an import of %s ends with a request and with a query for the explorer',
  kind => {
    const few = changedLines(kind, [{ ...day, id: 'zooeastgate' }], origin)
    const many = changedLines(
      kind,
      Array.from({ length: 30 }, (_, i) => ({ ...day, id: `asset${i}`, to: '2028-01-05' })),
      origin,
    )
    expect(few.join('\n')).toContain(`curl -H "X-API-Key: $KEY" '${origin}/v1/partner/assets/zooeastgate/`)
    for (const lines of [few, many]) {
      const [, fragment = ''] = new RegExp(`^  ${origin}/explorer#(.*)$`, 'm').exec(lines.join('\n')) ?? []
      const query = new URLSearchParams(fragment).get('query') as string
      expect(validate(schema, parse(query))).toEqual([])
      if (lines === few) expect(query).toContain('"zooeastgate"')
    }
  },
)
