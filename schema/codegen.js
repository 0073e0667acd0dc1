/** Writes schema/generated.ts, the resolver types, from the SDL. `npm run generate`; a test shows when it was forgotten. */
const { readdirSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { codegen } = require('@graphql-codegen/core')
const typescript = require('@graphql-codegen/typescript')
const typescriptResolvers = require('@graphql-codegen/typescript-resolvers')
const { parse } = require('graphql')

const ROW = "Omit<Asset, 'company' | 'sensors' | 'installations' | 'impressions' | 'demographics'>"

const folder = __dirname

/** The text that schema/generated.ts should have. */
async function generate() {
  const sdl = readdirSync(folder)
    .filter(name => name.endsWith('.graphql'))
    .sort()
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  const types = await codegen({
    filename: 'schema/generated.ts',
    schema: parse(sdl),
    documents: [],
    plugins: [{ typescript: {} }, { resolvers: {} }],
    pluginMap: { typescript, resolvers: typescriptResolvers },
    config: {
      enumsAsTypes: true,
      useTypeImports: true,
      avoidOptionals: { field: true },
      skipTypename: true,
      strictScalars: true,
      defaultScalarType: 'unknown',
      scalars: {
        Date: 'string',
        DateTime: 'string',
        Count: 'number',
        AgeBand: 'string',
        ExternalIds: 'Record<string, string>',
      },
      // The types of parents whose fields are not all read with them.
      mappers: {
        Asset: ROW,
        AssetPage: `{ nodes: ${ROW}[]; hasMore: boolean; last: string | null; filter: InputMaybe<AssetFilter> }`,
        Impressions: '{ assetId: string; fromDate: string; toDate: string; nested?: boolean }',
        AggregateImpressions: '{ rows(): unknown; total: number; average: number; assetCount: number }',
        // A row has the attributes by which it is grouped, and no others.
        AggregateRow: 'Partial<AggregateRow>',
        HourOfWeek: 'Partial<HourOfWeek>',
        GroupImpressions: '{ filter: InputMaybe<AssetFilter>; fromDate: string; toDate: string }',
        GroupAsset: "Omit<GroupAsset, 'name'>",
        SensorPage: '{ nodes: Sensor[]; hasMore: boolean; last: string | null; args: QuerySensorsArgs }',
        LegacyMetrics: '{ id: string; fromDate: string; toDate: string }',
      },
    },
  })
  return `/* Made by \`npm run generate\` from the .graphql files. Not edited by hand. */\n${types}`
}

module.exports = { generate }

if (require.main === module) {
  generate().then(types => writeFileSync(join(folder, 'generated.ts'), types))
}
