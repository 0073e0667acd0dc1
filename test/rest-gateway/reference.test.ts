import { legacyRoutes } from '../../rest-gateway/routes/legacy'
import { partnerRoutes } from '../../rest-gateway/routes/partner'
import { Service, send } from '../harness'

test('the reference tells of every route its path, parameters and the query that it runs, without a foreign address', async () => {
  const service = await Service.start()
  try {
    const { status, headers, text } = await send(`${service.url}/docs`)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    for (const { path, operation, summary, parameters } of [...partnerRoutes, ...legacyRoutes]) {
      for (const word of [
        `GET ${path}`,
        `query ${operation}`,
        summary,
        ...parameters.map(({ name }) => `<code>${name}</code>`),
      ]) {
        expect(text).toContain(word.replaceAll("'", '&#39;'))
      }
    }
    expect(text).not.toMatch(/https?:\/\//)
  } finally {
    await service.stop()
  }
})

test('the changelog is a page', async () => {
  const service = await Service.start()
  try {
    const { status, text } = await send(`${service.url}/docs/changelog`)
    expect(status).toBe(200)
    expect(text).toContain('<h2 id="unreleased">Unreleased</h2>')
  } finally {
    await service.stop()
  }
})
