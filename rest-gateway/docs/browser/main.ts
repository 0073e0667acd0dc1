/** The script of the guide: links between sections, the base URL in examples, and the interactive reference. */
import './disable-zenscroll'
import { showReference } from './reference'
import { trackSections } from './section-links'
import { insertServiceUrl } from './service-url'

insertServiceUrl()
trackSections()
showReference()
