/** The methodology: the only place that describes it. The documentation shows it as a page. */
import type { Methodology } from '../schema/generated'
import type { Query } from './context'
import { MIN_IMPRESSIONS } from './demographics'

/** Its path in the REST interface. */
export const METHODOLOGY_PATH = '/v1/partner/methodology'

/** Changes of the measurement need a new version, which is the date from which on it applies. */
export const METHODOLOGY: Methodology = {
  version: '2026-11-24',
  standard: [
    {
      name: 'MRC Out-of-Home Measurement Standards',
      edition: 'combined final (Phases 1 and 2), December 2025',
      accredited: false,
    },
    { name: 'OpenOOH measurement specification', edition: 'draft', accredited: false },
  ],
  level: {
    name: 'opportunity_to_see',
    definition:
      'An impression is one passage of one person through the area that a sensor at the asset counts: an opportunity to see the asset. It is not evidence that the person looked at it (likelihood to see, viewed) or that an advertisement was shown at that time.',
  },
  measures: [
    {
      name: 'impressions',
      available: true,
      definition:
        'People counted by the sensors of the asset. A person who passes twice is counted twice. The counts of several sensors on one asset add up.',
    },
    {
      name: 'coverage',
      available: true,
      definition:
        'Observed over expected measurement intervals of the sensors that were installed, from 0 to 1. Counts are not scaled up where it is below 1.',
    },
    {
      name: 'origins',
      available: true,
      definition: 'Impressions by home country, region and city, as imported for the asset by its data source.',
    },
    {
      name: 'demographics',
      available: true,
      definition: 'Impressions by age and gender, as imported for the asset by its data source.',
    },
    {
      name: 'likelihood_to_see',
      available: false,
      definition: 'Sensors count passages. They measure neither visibility of the asset nor direction of view.',
    },
    {
      name: 'viewed',
      available: false,
      definition: 'Sensors count passages. They do not measure whether a person looked at the asset.',
    },
    {
      name: 'reach',
      available: false,
      definition:
        'The number of different people cannot be computed from counts: sensors do not recognize a person who returns.',
    },
    {
      name: 'frequency',
      available: false,
      definition: 'Passages per person are impressions divided by reach, which is not available.',
    },
    {
      name: 'dwell_time',
      available: false,
      definition: 'Counts contain a passage, not its beginning and end: how long a person stayed is not known.',
    },
    {
      name: 'audience',
      available: false,
      definition: 'An audience requires evidence of a likelihood to see, which counts do not have.',
    },
  ],
  sources: {
    provider: 'The vendor of each sensor, in the field `vendor` of `/v1/partner/sensors`.',
    dataSources: [
      'Sensors on the assets.',
      'Data sets of origins and demographics that the operator imports for each asset.',
    ],
  },
  adjustments: [],
  missing:
    'Missing is not zero: an interval in which no sensor reported has null impressions, and 0 means that sensors reported and counted no one. Nothing is estimated or interpolated.',
  suppression: {
    minimumImpressions: MIN_IMPRESSIONS,
    definition: 'Demographics of fewer impressions than this have `suppressed` set and no groups by age or gender.',
  },
  restatements:
    'Counts of past days change when a sensor reports late, when the operator corrects a count, or when the installation of a sensor is corrected. Every change is listed in `/v1/partner/changes`; each total that changed after its day was over, with the reason, in `/v1/partner/restatements`. Up to `final_through` of a company in `/v1/partner/meta`, months are closed and totals final; later days are provisional. Counts never change with the passing of time alone.',
  clockChanges:
    'A day is a calendar day in the time zone of the asset. When clocks go forward it is shorter, when they go back it is longer, and the repeated hour is reported twice with different UTC offsets. Rows add up to the total on these days too.',
}

export const methodology: Query['methodology'] = () => METHODOLOGY
