/** The list of tools. It fills a part of the context of every assistant, so it is short. */
import type { Parameter } from '../parameters/params'
import type { JsonSchema } from '../routes/envelopes'
import type { Route } from '../routes/record'

/** Returns the result of `tools/list` as JSON. A parameter is described by the first tool that has it. */
export function listTools(routes: ReadonlyMap<string, Route>): string {
  const described = new Set<string>()
  const tools = [...routes].map(([name, { summary, description, parameters }]) => ({
    name,
    title: summary,
    description: firstSentence(description),
    inputSchema: inputSchema(parameters, described),
    annotations: { readOnlyHint: true, openWorldHint: false },
  }))
  return JSON.stringify({ tools })
}

/** Returns the schema of arguments, which is closed: the routes refuse unknown parameters. */
const inputSchema = (parameters: readonly Parameter[], described: Set<string>): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    parameters.map(({ name, schema, description }) => {
      const isKnown = described.has(name + description)
      described.add(name + description)
      return [name, (isKnown ? schema : { ...schema, description }) as JsonSchema]
    }),
  ),
  required: parameters.flatMap(({ name, required }) => (required ? name : [])),
  additionalProperties: false,
})

const firstSentence = (text: string): string => /^.*?\.(?=\s+[A-Z`]|$)/s.exec(text)?.[0] ?? text
