/** The script of all pages: the current section, copy buttons, the base URL and the reader's data in examples, and the search. */
import { addAuthorization } from './authorization'
import { addCopyButtons } from './copy-buttons'
import { replaceInExamples } from './examples'
import { offerExplorerAgain } from './explorer-link'
import { addSearch } from './search'
import { trackSections } from './section-links'
import { addForms } from './try-out'

/** The placeholder base URL of the examples. */
const BASE_URL = 'https://metrics.example'

replaceInExamples({ [BASE_URL]: location.origin })
trackSections()
offerExplorerAgain()
addCopyButtons()
addForms()
addAuthorization()
addSearch()
document.documentElement.classList.add('scripted')
