/** A page of the documents: Markdown in a frame that reads well, narrow and wide, by day and by night. */
import { marked } from 'marked'

const STYLE = `
:root { color-scheme: light dark; --text: #1c2330; --soft: #5b6575; --line: #d9dee7; --back: #fff; --block: #f5f7fa; --link: #0b5bd3 }
@media (prefers-color-scheme: dark) { :root { --text: #e4e9f2; --soft: #9aa6b8; --line: #333c4a; --back: #12161d; --block: #1a2029; --link: #7fb2ff } }
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.6 system-ui, sans-serif }
main { max-width: 72rem; margin: 0 auto; padding: 2rem clamp(1rem, 4vw, 3rem) 6rem }
main > :is(p, ul, ol, h1, h2, nav) { max-width: 46rem }
h1 { font-size: 2rem; line-height: 1.2 }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.35rem }
a { color: var(--link) }
code { font: .875em/1.5 ui-monospace, monospace; background: var(--block); padding: .1em .3em; border-radius: .25em; overflow-wrap: anywhere }
pre { margin: 0; padding: .8rem 1rem; background: var(--block); border: 1px solid var(--line); border-radius: .4rem; overflow: auto; max-height: 26rem }
pre code { background: none; padding: 0; overflow-wrap: normal }
.request code { white-space: pre-wrap; overflow-wrap: anywhere; font-weight: 600 }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }
th, td { text-align: left; vertical-align: top; padding: .4rem .9rem .4rem 0; border-bottom: 1px solid var(--line) }
.sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.25rem; margin: 1.25rem 0 }
.sides h3 { margin: 0 0 .4rem; font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft) }
.sides pre + pre { margin-top: .5rem }
@media (max-width: 56rem) { .sides { grid-template-columns: minmax(0, 1fr) } }
`

/** @param insertions what stands for `{{name}}` and `{{name argument}}` in the text, as HTML */
export function renderPage(markdown: string, insertions: Record<string, (argument: string) => string>): string {
  const [, title = 'partner-metrics'] = /^# (.*)$/m.exec(markdown) ?? []
  const filled = markdown.replace(/^\{\{(\w+) ?(.*)\}\}$/gm, (_, name: string, argument: string) => {
    const insert = insertions[name]
    if (!insert) throw new Error(`nothing stands for ${name}`)
    return insert(argument)
  })
  const anchored = marked
    .parse(filled, { async: false })
    .replace(/<h2>(.*?)<\/h2>/g, (_, heading: string) => `<h2 id="${anchorOf(heading)}">${heading}</h2>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · partner-metrics</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body><main>
${anchored}
</main></body>
</html>
`
}

/** A list of links to the sections of a text. */
export const contentsOf = (markdown: string): string =>
  [...markdown.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => `- [${heading}](#${anchorOf(heading)})`).join('\n')

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Text as it may stand in HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
