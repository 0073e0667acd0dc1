/** The arguments of an example of each command that changes data, for its help. */
const [PERIOD, DAYS] = ['--sensor SN-1 --from 2026-01-05', '--asset 101 --from 2026-01-05 \\\n    --to 2026-01-09']

export const EXAMPLES: Readonly<Record<string, string>> = {
  migrate: '',
  demo: '',
  'import all': 'metrics-export',
  'keys issue': "--company 'Acme Outdoor' --label 'nightly copy'",
  'keys rotate': '- --overlap 24h',
  'keys deactivate': '-',
  'delete companies': "'Acme Outdoor' --dry-run",
  'delete assets': '101',
  'delete sensors': 'SN-1',
  'delete impressions': `${PERIOD} \\\n    --to 2026-01-09`,
  'delete origins': DAYS,
  'delete demographics': DAYS,
  'note add': `${DAYS} --kind caveat --text 'Road works, no bus stops'`,
  'note remove': 'xe3a3tj0mbtvbbq4r28k0u1c',
  retain: '--months 25 --dry-run',
  'set-aside impressions': `${PERIOD}T08:00 \\\n    --to 2026-01-05T12:00 --reason 'bus parked before it'`,
  restore: '1',
  verify: '--repair',
  'zones update': '--dry-run',
  close: "2026-01 --company 'Acme Outdoor'",
}
