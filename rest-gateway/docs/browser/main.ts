/** What the page of the documents does in a browser beyond being read: the reference to try things in, and where one is. */
import './own-links'
import { addressHere } from './address'
import { showReference } from './reference'
import { followSections } from './sections'

addressHere()
followSections()
showReference()
