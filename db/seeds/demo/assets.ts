/**
 * The advertising faces of the demo, read from one table a company. In a table `daily` is the audience of an average
 * day, `shape` when it passes, and `sensors` what counts it (sensors.ts tells how to read that); `status` is active
 * where it is left out.
 */
import { parse } from 'csv-parse/sync'
import { CITIES, type City } from './cities'
import { HARBORLINE } from './harborline'
import { NORDLICHT } from './nordlicht'
import { demoId } from './random'
import type { ShapeName } from './shapes'
import { SOUTHERN } from './southern'

export interface Company {
  id: string
  name: string
}

export interface Face {
  id: string
  legacyId: string
  company: Company
  name: string
  description: string
  city: City
  format: string
  media: string
  indoors: boolean
  venue: string
  facing: string
  width: string
  height: string
  latitude: string
  longitude: string
  address: string
  postal: string
  shape: ShapeName
  daily: number
  sensors: string[]
  status: 'active' | 'inactive' | 'archived'
}

const company = (name: string): Company => ({ id: demoId('company', name), name })

export const COMPANIES = {
  nordlicht: company('Nordlicht Außenwerbung'),
  harborline: company('Harborline Outdoor'),
  southern: company('Southern Cross Panels'),
}

/** Formats as a description has them; other faces have no description. */
const NOUNS: Record<string, string> = {
  billboard: 'billboard',
  bus_shelter: 'panel in a bus shelter',
  urban_panel: 'urban panel',
  spectacular: 'spectacular',
  window_panel: 'panel in a window',
  transit: 'station panel',
  street_furniture: 'panel at the pavement',
  place_based: 'panel inside',
}

const WINDS = ['north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west', 'north-west']

export const FACES: readonly Face[] = [
  ...facesOf(COMPANIES.nordlicht, NORDLICHT),
  ...facesOf(COMPANIES.harborline, HARBORLINE),
  ...facesOf(COMPANIES.southern, SOUTHERN),
]

function facesOf(company: Company, table: string): Face[] {
  const rows: Record<string, string>[] = parse(table.trim(), { columns: true, delimiter: '|', quote: false })
  return rows.map(row => {
    const cell = (column: string): string => row[column] ?? ''
    const [width = '', height = ''] = cell('size').split('x')
    const [latitude = '', longitude = ''] = cell('position').split(',')
    return {
      id: demoId('asset', `${company.name}/${cell('name')}`),
      legacyId: cell('legacy'),
      company,
      name: cell('name'),
      description: describe(cell('media'), cell('format'), cell('address'), cell('facing')),
      city: CITIES[cell('city') as keyof typeof CITIES],
      format: cell('format'),
      media: cell('media'),
      indoors: cell('indoors') === 'yes',
      venue: cell('venue'),
      facing: cell('facing'),
      width,
      height,
      latitude,
      longitude,
      address: cell('address'),
      postal: cell('postal'),
      shape: cell('shape') as ShapeName,
      daily: Number(cell('daily')),
      sensors: cell('sensors').split(' ').filter(Boolean),
      status: (cell('status') || 'active') as Face['status'],
    }
  })
}

function describe(media: string, format: string, address: string, facing: string): string {
  const noun = NOUNS[format]
  if (!noun) return ''
  const kind = `${media === 'digital' ? 'Digital' : 'Printed'} ${noun}, ${address}`
  return facing === '' ? kind : `${kind}, facing ${WINDS[Math.round(Number(facing) / 45) % 8]}`
}
