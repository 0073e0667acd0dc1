/** Help for the kinds of files that can be imported. */
import { Help } from 'commander'
import type { KindColumns } from '../../imports/csv/header/column-options'
import type { Kind } from '../../imports/kind-names'
import { KINDS } from '../../imports/kinds'

const MAX_LINE = 78

/** A file of each kind. Each can be imported after those before it. */
const EXAMPLES: Record<Kind, readonly [header: string, row: string]> = {
  companies: ['name', 'Acme Outdoor'],
  vendors: ['name,own,finest_grain', 'CountBox,false,quarter_hour'],
  assets: [
    'legacy_id,company_id,name,media_type,format,latitude,longitude,city,country,time_zone,external_id:hivestack',
    '101,Acme Outdoor,"Zoo, east gate",digital,billboard,52.5069,13.3329,Berlin,DE,Europe/Berlin,93701',
  ],
  sensors: ['serial,model,vendor_id,asset_id,installed_at', 'SN-1,CountBox 2,CountBox,101,2026-01-05'],
  health: ['sensor,checked_at,status', 'SN-1,2026-01-05T09:00:00+01:00,healthy'],
  notes: ['asset_id,from,to,kind,text', '101,2026-01-05,2026-01-09,caveat,"Road works, one lane closed"'],
  impressions: ['sensor,start,impressions', 'SN-1,2026-01-05T08:00:00+01:00,12'],
  origins: ['asset_id,date,country,region,city,impressions', '101,2026-01-05,DE,DE-BE,Berlin,12'],
  demographics: ['asset_id,date,gender,age_band,impressions', '101,2026-01-05,female,25-34,7'],
}

/** Returns the columns of a kind and a file with the command that imports it. */
export function kindHelp(kind: Kind): string {
  const { columns, required } = KINDS[kind]
  const isRequired = (column: string) => required.some(names => names.split('|').includes(column))
  return [
    `Columns of ${kind} (* ${required.some(names => names.includes('|')) ? 'one of them is' : 'are'} required):`,
    new Help()
      .boxWrap(columns.map(column => (isRequired(column) ? `${column}*` : column)).join(', '), MAX_LINE)
      .replace(/^/gm, '  '),
    ...namedHelp(kind),
    '',
    `Example, ${kind}.csv:`,
    ...EXAMPLES[kind].map(line => `  ${line}`),
  ].join('\n')
}

/** Returns a line on the columns of a kind whose names a file chooses, if it has any. */
function namedHelp(kind: Kind): string[] {
  const { named }: KindColumns = KINDS[kind]
  return named ? [`  and ${named.prefix}NAME, NAME being ${named.expected}`] : []
}
