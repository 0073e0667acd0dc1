/** The changelog as an Atom feed (RFC 4287): one entry per version, whose heading has its date. */
import { escapeHtml } from '../layout/escape-html'
import { renderMarkdown } from '../layout/markdown'

/** "## 0.1.0 · 2026-11-24" */
const VERSION = /^## (\S+) · (\d{4}-\d{2}-\d{2})$/m

const ID = 'urn:partner-metrics:changelog'

/** Returns XML. @param changelog in Markdown; sections without a version and date are not in the feed */
export function changelogFeed(changelog: string): string {
  const versions = changelog.split(/^(?=## )/m).flatMap(section => {
    const [heading, version, date] = VERSION.exec(section) ?? []
    return heading
      ? [{ version, date, ...renderMarkdown(section.replace(heading, '')), anchor: anchorOf(section) }]
      : []
  })
  const entries = versions.map(
    ({ version, date, html, anchor }) => `<entry>
<id>${ID}:${version}</id>
<title>partner-metrics ${version}</title>
<updated>${date}T00:00:00Z</updated>
<link href="/docs/changelog#${anchor}"/>
<content type="html">${escapeHtml(html)}</content>
</entry>
`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${ID}</id>
<title>partner-metrics: changes</title>
<author><name>partner-metrics</name></author>
<updated>${versions[0]?.date}T00:00:00Z</updated>
<link rel="self" href="/docs/changelog.atom"/>
<link href="/docs/changelog"/>
${entries.join('')}</feed>
`
}

const anchorOf = (section: string): string => renderMarkdown(section).sections[0]?.id ?? ''
