/** The notes on the data of the asset that a chart shows, the days that are not final, and their marks. */
import * as Plot from '@observablehq/plot'
import { useEffect, useState } from 'react'
import { readData } from '../../graphql-client'
import { useSession } from '../../scope-context'
import type { Colors } from './colors'
import type { QueryArguments } from './query-arguments'

export interface Note {
  from: string
  to: string | null
  /** `provisional`: days behind the last closed month. */
  kind: 'caveat' | 'break' | 'unusable' | 'provisional'
  text: string
}

const QUERY = `query ChartNotes($assetId: ID!, $fromDate: Date!, $toDate: Date!) {
  asset(id: $assetId) { companyId notes(fromDate: $fromDate, toDate: $toDate) { from to kind text } }
  meta { companies { id finalThrough } }
}`

interface NotesData {
  asset: { companyId: string; notes: Note[] } | null
  meta: { companies: { id: string; finalThrough: string | null }[] }
}

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
    readData<NotesData>(apiKey, request).then(
      data => isShown && setFound({ notes: cut(allNotes(data, toDate), fromDate, toDate) }),
      ({ message }: Error) => isShown && setFound({ notes: [], failure: `The notes could not be read. ${message}` }),
    )
    return () => {
      isShown = false
    }
  }, [apiKey, assetId, fromDate, toDate, hasDays])
  return found
}

const DAY = 86_400_000

/** Returns the notes, and one on the days that are not final, where a month was closed before them. */
function allNotes({ asset, meta }: NotesData, toDate: string): Note[] {
  if (!asset) return []
  const final = meta.companies.find(({ id }) => id === asset.companyId)?.finalThrough
  if (!final || final >= toDate) return asset.notes
  const from = new Date(Date.parse(final) + DAY).toISOString().slice(0, 10)
  const text = `totals up to ${final} are final, later ones may change`
  return [{ from, to: null, kind: 'provisional', text }, ...asset.notes]
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
  kind === 'provisional'
    ? `│ Provisional from ${from}: ${text}`
    : `${kind === 'break' ? `┆ Break on ${from}` : `▒ ${kind === 'unusable' ? 'Unusable' : 'Caveat'} ${from === to ? from : `${from} to ${to}`}`}: ${text}`

const HOUR = DAY / 24

/**
 * Returns the marks of notes: breaks, and where days are not final any more, as lines, others as areas.
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
    Plot.ruleX(ofKind('provisional'), {
      ...{ x: begin, stroke: colors.text, strokeWidth: 1, strokeOpacity: 0.6 },
      ...{ title: describeNote, className: 'note provisional' },
    }),
    Plot.ruleX(ofKind('break'), {
      ...{ x: begin, stroke: colors.text, strokeWidth: 1.5, strokeDasharray: '5,4' },
      ...{ title: describeNote, className: 'note break' },
    }),
  ]
}
