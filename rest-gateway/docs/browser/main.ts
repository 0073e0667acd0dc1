/** The script of the guide: links between sections, the base URL in examples, and requests from the reference. */
import { trackSections } from './section-links'
import { insertServiceUrl } from './service-url'
import { addForms } from './try-out'

insertServiceUrl()
trackSections()
addForms()
