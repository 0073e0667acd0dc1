/** The notes on the data of the asset that a chart shows, and their marks. */
import * as Plot from '@observablehq/plot'
import { useEffect, useState } from 'react'
import { readData } from '../../graphql-client'
import { useSession } from '../../scope-context'
import type { Colors } from './colors'
import type { QueryArguments } from './query-arguments'

export interface Note {
  from: string
  to: string | null
  kind: 'caveat' | 'break' | 'unusable'
  text: string
}

const QUERY = `query ChartNotes($assetId: ID!, $fromDate: Date!, $toDate: Date!) {
  asset(id: $assetId) { notes(fromDate: $fromDate, toDate: $toDate) { from to kind text } }
}`

interface ChartNotes {
  notes: Note[]
  /** Why they could not be read. */
  failure?: string
}

const NONE: ChartNotes = { notes: [] }

/** Returns the notes on the asset and days of a query; none until they have been read, or if the chart has no days. */
export function useNotes({ assetId, fromDate, toDate }: QueryArguments, hasDays: boolean): ChartNotes {
  const { apiKey } = useSession()
  const [found, setFound] = useState(NONE)
  useEffect(() => {
    let isShown = true
    setFound(NONE)
    if (!hasDays || !assetId || !fromDate || !toDate) return
    const request = { query: QUERY, variables: { assetId, fromDate, toDate } }
    readData<{ asset: { notes: Note[] } | null }>(apiKey, request).then(
      ({ asset }) => isShown && setFound({ notes: cut(asset?.notes ?? [], fromDate, toDate) }),
      ({ message }: Error) => isShown && setFound({ notes: [], failure: `The notes could not be read. ${message}` }),
    )
    return () => {
      isShown = false
    }
  }, [apiKey, assetId, fromDate, toDate, hasDays])
  return found
}

/** Cuts notes to a range. A break before it is not in the chart. */
const cut = (notes: Note[], fromDate: string, toDate: string): Note[] =>
  notes
    .filter(({ kind, from }) => kind !== 'break' || from >= fromDate)
    .map(note => ({
      ...note,
      from: note.from < fromDate ? fromDate : note.from,
      to: note.to === null || note.to > toDate ? toDate : note.to,
    }))

/** Returns a line of text about a note. */
export const describeNote = ({ kind, from, to, text }: Note): string =>
  `${kind === 'break' ? `┆ Break on ${from}` : `▒ ${kind === 'unusable' ? 'Unusable' : 'Caveat'} ${from === to ? from : `${from} to ${to}`}`}: ${text}`

const HOUR = 3_600_000

/**
 * Returns the marks of notes: breaks as lines, others as areas.
 *
 * @param isDaily whether points stand for days or longer, each at its beginning
 */
export function markNotes(notes: readonly Note[], isDaily: boolean, colors: Colors): Plot.Markish[] {
  const early = isDaily ? 12 * HOUR : 0
  const begin = ({ from }: Note) => new Date(Date.parse(from) - early)
  const end = ({ from, to }: Note) => new Date(Date.parse(to ?? from) + 24 * HOUR - early)
  const ofKind = (kind: Note['kind']) => notes.filter(note => note.kind === kind)
  const area = (kind: Note['kind'], fill: string, fillOpacity: number) =>
    Plot.rect(ofKind(kind), { x1: begin, x2: end, fill, fillOpacity, title: describeNote, className: `note ${kind}` })
  return [
    area('caveat', colors.text, 0.12),
    area('unusable', colors.missing, 0.22),
    Plot.ruleX(ofKind('break'), {
      ...{ x: begin, stroke: colors.text, strokeWidth: 1.5, strokeDasharray: '5,4' },
      ...{ title: describeNote, className: 'note break' },
    }),
  ]
}
