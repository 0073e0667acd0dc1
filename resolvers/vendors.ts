/** Answers who makes sensors. */
import { readVendors } from '../db/vendors'
import type { Query } from './context'

export const vendors: Query['vendors'] = (_, __, { door }) => readVendors(door)
