/** Resolves the vendors of sensors. */
import { readVendors } from '../db/queries/vendors'
import type { Query } from './context'

export const vendors: Query['vendors'] = (_, __, { reader }) => readVendors(reader)
