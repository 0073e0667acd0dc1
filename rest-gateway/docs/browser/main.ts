/** The script of the guide: links between sections and to the explorer, the base URL in examples, and requests from the reference. */
import { offerExplorer } from './explorer-link'
import { trackSections } from './section-links'
import { insertServiceUrl } from './service-url'
import { addForms } from './try-out'

insertServiceUrl()
trackSections()
offerExplorer()
addForms()
