/** The methodology page: methodology.md, filled in with what the API returns. */
import { METHODOLOGY } from '../../../resolvers/methodology'
import { fillPlaceholders, renderTable } from '../layout/markdown'
import { readDocument } from '../read-document'

/** Returns Markdown. */
export function methodologyText(): string {
  const { version, standard, level, measures, sources, adjustments, missing, suppression, restatements, clockChanges } =
    METHODOLOGY
  return fillPlaceholders(readDocument('methodology.md'), {
    version: () => version,
    level: () => level.definition,
    standards: () =>
      standard
        .map(({ name, edition, accredited }) => `- ${name} (${edition}): ${accredited ? '' : 'not '}accredited`)
        .join('\n'),
    measures: () =>
      renderTable(
        ['measure', 'available', 'definition, or the reason why it is not available'],
        measures.map(({ name, available, definition }) => [`\`${name}\``, available ? 'yes' : 'no', definition]),
      ),
    provider: () => sources.provider,
    sources: () => sources.dataSources.map(source => `- ${source}`).join('\n'),
    adjustments: () =>
      adjustments.length > 0 ? `OpenOOH \`adjustments\`: ${adjustments.join(', ')}.` : 'There are none.',
    missing: () => missing,
    restatements: () => restatements,
    suppression: () => suppression.definition,
    minimum: () => String(suppression.minimumImpressions),
    clock_changes: () => clockChanges,
  })
}
